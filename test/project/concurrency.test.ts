import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { canceledRuns, evaluated } from "../support/platform/concurrency.ts";

interface Concurrency {
  readonly group: string;
  readonly "cancel-in-progress": boolean;
}

const root = join(import.meta.dirname, "../..");

function concurrencyOf(file: string, job: string): Concurrency {
  const { jobs } = parse(readFileSync(join(root, ".github/workflows", file), "utf8"));
  return jobs[job].concurrency;
}

const afterOthers = "inputs.environment-suffix != '' && format('-{0}', github.run_id) || ''";

/** Returns the job of a run of the pull request with the number 7. */
function ready(file: string, run: string, suffix: string) {
  const { group, "cancel-in-progress": cancelInProgress } = concurrencyOf(file, "plan");
  const values = {
    "github.workflow": "Plan",
    "github.run_id": run,
    "inputs.comment-key || inputs.working-directory": "",
    "fromJSON(inputs.inputs).comment-key || fromJSON(inputs.inputs).working-directory": "",
    "github.event.pull_request.number || github.ref": "7",
    "matrix.job.name": "production",
    [afterOthers]: suffix === "" ? "" : `-${run}`,
  };
  return { run, group: evaluated(group, values), cancelInProgress };
}

test.each([
  ["plan.yml", "-plan"],
  ["plan-environments.yml", "-plan"],
])("an older run that reaches its job of %s late cancels no newer run", (file, suffix) => {
  expect(canceledRuns([ready(file, "newer", suffix), ready(file, "older", suffix)])).toEqual([]);
});

test("a single job cancels the older run, because it is ready at the start of its run", () => {
  const runs = [ready("plan.yml", "older", ""), ready("plan.yml", "newer", "")];
  expect(canceledRuns(runs)).toEqual(["older"]);
});

test("the caller cancels older runs as a whole, in the order of their start", () => {
  const { concurrency } = parse(readFileSync(join(root, "workflows/plan.yml"), "utf8"));
  expect(concurrency).toEqual({
    group: "plan-${{ github.event.pull_request.number || github.ref }}",
    "cancel-in-progress": true,
  });
});

test("drift.yml can run once per environment in one run, and creates no GitHub deployment", () => {
  const { jobs } = parse(readFileSync(join(root, ".github/workflows/drift.yml"), "utf8"));
  expect(jobs.drift.environment).toEqual({
    name: "${{ inputs.environment }}",
    deployment: false,
  });
  const group = (environment: string) =>
    evaluated(jobs.drift.concurrency.group, {
      "inputs.comment-key || inputs.working-directory": "",
      "inputs.environment": environment,
    });
  // A third job would replace the second one that waits in the same group.
  expect(group("staging-plan")).not.toBe(group("production-plan"));
});
