import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { workflowsWith } from "../../src/report/problem-phrases.ts";

/** The workflows that people copy, against the advice of messages and pages. */
const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

test("a user can start a deployment or a rollback with the override that a freeze advises", () => {
  expect(workflowsWith("override-freeze")).toEqual(["deploy.yml"]);
  for (const name of ["deploy", "rollback"]) {
    const { on, jobs } = parse(read(`workflows/${name}.yml`));
    expect(on.workflow_dispatch.inputs).toHaveProperty("override-freeze");
    expect(jobs[name].with["override-freeze"]).toContain("inputs.override-freeze");
  }
});

test("pages use the major version of actions/checkout that the workflows pin", () => {
  const [, pinned = ""] =
    /actions\/checkout@[0-9a-f]{40} # (v\d+)/.exec(read(".github/workflows/deploy.yml")) ?? [];
  const exclude = (path: string) => path.includes("node_modules");
  const used = globSync("docs/**/*.md", { cwd: root, exclude }).flatMap((path) =>
    [...read(path).matchAll(/actions\/checkout@(v\d+)/g)].map(([, version]) => [path, version]),
  );
  expect(used.length).toBeGreaterThan(3);
  expect(used.filter(([, version]) => version !== pinned)).toEqual([]);
});

test("no job names an image that GitHub has removed or announced to remove", () => {
  // github.com/actions/runner-images/blob/main/README.md#available-images
  for (const path of globSync(".github/workflows/*.yml", { cwd: root }))
    expect(read(path)).not.toMatch(/ubuntu-(?:18|20|22)\.04/);
});
