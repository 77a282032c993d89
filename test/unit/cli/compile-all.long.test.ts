import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../../support/cue/native.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { shopFiles } from "../../support/shop/shop-files.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

const deployments = (...entries: readonly string[]) =>
  `deployments:\n${entries.map((each) => `  - {config: qvs.yaml, ${each}}\n`).join("")}`;

const two = {
  ...shopFiles,
  ".valuestream/deployments.yaml": deployments(
    "name: staging, params: [../params.yaml]",
    "name: production, params: [../params.yaml, ../production.yaml]",
  ),
  "production.yaml": "replicas: 5\n",
};

function repository(changes: Readonly<Record<string, string>> = {}) {
  const { directory } = temporaryRepository({ ...two, ...changes });
  const qvs = (...args: readonly string[]) => runHere(directory, ["compile", ...args], compiler);
  return { directory, qvs };
}

test("stdout has all deployments in the order of the list, each under its name", async () => {
  const { code, stdout, stderr } = await repository().qvs("--all");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.match(/^(---|#.*| {2}replicas: .*)$/gm)).toEqual([
    ...["# deployment: staging", "---", "# app/deployment", "  replicas: 2"],
    ...["# deployment: production", "---", "# app/deployment", "  replicas: 5"],
  ]);
});

test("JSON has each deployment by name, as if qvs compiled it alone", async () => {
  const { qvs } = repository();
  const all = JSON.parse((await qvs("--all", "--format", "json")).stdout);
  expect(Object.keys(all)).toEqual(["staging", "production"]);
  const alone = await qvs("--deployment", "production", "--format", "json");
  expect(all.production).toEqual(JSON.parse(alone.stdout));
});

test("each deployment has its own output directory, and files of an earlier run are removed", async () => {
  const { directory, qvs } = repository();
  await qvs("--deployment", "staging", "-o", "out");
  const { stderr } = await qvs("--all", "-o", "out");
  expect(stderr).toBe(
    "Wrote 4 files to out, removed app/deployment.yaml, layout.yaml from an earlier run\n",
  );
  const files = readdirSync(join(directory, "out"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));
  expect(files.sort()).toEqual([
    "out/.qvs-output",
    "out/production/app/deployment.yaml",
    "out/production/layout.yaml",
    "out/staging/app/deployment.yaml",
    "out/staging/layout.yaml",
  ]);
  expect((await qvs("--all", "-o", "out")).stderr).toBe("Wrote 4 files to out\n");
});

test("all problems of all deployments are reported together, and nothing is written", async () => {
  const { directory, qvs } = repository({
    ".valuestream/deployments.yaml": deployments(
      "name: good, params: [../params.yaml]",
      "name: many, params: [../params.yaml, ../many.yaml]",
      "name: lost, params: [../lost.yaml]",
      "name: more, params: [../params.yaml, ../many.yaml]",
    ),
    "many.yaml": "replicas: 50\n",
  });
  const { code, stdout, stderr } = await qvs("--all", "-o", "out");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(
    'Parameter file "lost.yaml" doesn\'t exist\n  --> .valuestream/deployments.yaml:4:45\n',
  );
  expect(stderr.match(/"replicas"/g), "what two deployments have in common").toHaveLength(1);
  expect(stderr).toMatch(/\n\n2 errors\.\n$/);
  expect(existsSync(join(directory, "out"))).toBe(false);
});

test.each(["--config", "--deployment"])("--all can't be combined with %s", async (flag) => {
  const { code, stderr } = await repository().qvs("--all", flag, "x");
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining("--all can't be combined with --config or --deployment"),
  });
});
