import { expect, test } from "vitest";
import type { ApplyResult } from "../../../../src/apply/summarize-run.ts";
import { withProblems } from "../../../../src/deploying/recording/record-end.ts";
import type { Release } from "../../../../src/model/deployments/release.ts";

test("a problem with the records fails the run, with the inputs of its fix", () => {
  const problem = {
    code: "deployment-source-mismatch",
    where: [],
    what: "The deployment is of another repository",
    fix: "If it has moved, take it with --adopt",
    inputs: ["adopt: true"],
  } as const;
  const result = { succeeded: true, failures: [] as ApplyResult["failures"] } as ApplyResult;
  const after = withProblems({ release: {} as Release, result }, [problem]).result;
  expect(after.succeeded).toBe(false);
  expect(after.failures).toEqual([expect.objectContaining({ inputs: ["adopt: true"] })]);
});
