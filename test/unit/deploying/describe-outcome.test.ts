import { expect, test } from "vitest";
import type { DeployedOutcome } from "../../../src/deploying/deploy-outcome.ts";
import { rollbackAdvice } from "../../../src/deploying/describe-outcome.ts";

const place = { name: "shop", namespace: "shop", context: undefined };
const failed = { previous: 3, result: { succeeded: false } } as unknown as DeployedOutcome;
const refused = { type: "refused", problems: [] } as const;

test.each<readonly [name: string, outcome: DeployedOutcome, isAdvised: boolean]>([
  ["a deployment that failed", failed, true],
  ["a run whose rollback was rejected", { ...failed, wentBack: refused }, false],
  ["a rollback that failed to the same release", { ...failed, rollbackOf: 3 }, false],
  ["a rollback that failed to another release", { ...failed, rollbackOf: 2 }, true],
])(
  "the outcome suggests a rollback after %s, unless it was just rejected",
  (_, outcome, isAdvised) => {
    expect(rollbackAdvice(outcome, place).length > 0).toBe(isAdvised);
  },
);
