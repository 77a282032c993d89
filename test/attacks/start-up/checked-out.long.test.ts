import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { isInCheckout } from "../../support/platform/action-reference.ts";
import { attacks } from "../attack.ts";

const folder = join(import.meta.dirname, "../../../.github/workflows");

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: { readonly path?: string; readonly repository?: string };
}

interface Job {
  readonly uses?: string;
  readonly steps?: readonly Step[];
}

/** The jobs of the reusable workflows, in which credentials and files of a pull request meet. */
const jobs = readdirSync(folder)
  .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }))
  .filter(({ text }) => text.includes("workflow_call:"))
  .flatMap(({ file, text }) =>
    Object.entries(parse(text).jobs as Readonly<Record<string, Job>>).map(([name, job]) => ({
      name: `${file} ${name}`,
      called: [job.uses, ...(job.steps ?? []).map(({ uses }) => uses)].filter(
        (uses) => uses !== undefined,
      ),
      steps: job.steps ?? [],
    })),
  );

test("the reusable workflows call the Action and their own workflows", () => {
  const called = new Set(jobs.flatMap(({ called: all }) => all.filter((it) => it[0] === "$")));
  expect([...called].toSorted()).toEqual([
    "$/.github/workflows/deploy-level.yml",
    "$/.github/workflows/deploy-levels.yml",
    "$/.github/workflows/plan-environments.yml",
    "$/run",
    "$/run/login",
  ]);
});

attacks("start-up", "no checked-out file replaces the Action in $name", jobs, (job) => {
  for (const uses of job.called) expect([uses, isInCheckout(uses)]).toEqual([uses, false]);
  for (const { uses = "", with: given = {} } of job.steps)
    if (uses.startsWith("actions/checkout@")) {
      // The repository of the caller, in the workspace.
      expect(given).not.toHaveProperty("path");
      expect(given).not.toHaveProperty("repository");
    }
});

attacks("start-up", "no command of $name reads a checked-out file", jobs, ({ steps }) => {
  for (const { run = "" } of steps)
    for (const line of run.trim().split("\n")) expect(line).toMatch(words);
});

const words =
  /^\s*(?:echo "|exit 1$|if \[|fi$|hash=\$\(printf '%s' "\$INPUTS" \| git hash-object --stdin\)$|$)/;
