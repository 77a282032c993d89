import { afterAll, describe, expect, test } from "vitest";
import { useCluster } from "../../../support/cluster/use-cluster.ts";
import { startCompiler } from "../../../support/cue/native.ts";
import { verifiedClaims } from "../../claims.ts";
import { rollbackGroups } from "./groups.ts";
import { type RollbackOutcome, rollBackEach } from "./roll-back-change.ts";

/**
 * Deploys each change of published manifests alone, rolls it back, and compares the rollback with
 * its prediction in the preview of the change (docs/deploy/roll-back.md#before-the-merge). Tries
 * impossible rollbacks with every flag.
 */
const cluster = useCluster();
const compiler = startCompiler();
const outcomes: RollbackOutcome[] = [];

afterAll(() => compiler.close());

describe.concurrent("rollbacks of real manifests", () => {
  test.for(rollbackGroups)("$what", async (group, { onTestFinished }) => {
    await rollBackEach(group, outcomes, { cluster, compiler, onFinished: onTestFinished });
  });
});

test("the predicted rollbacks of real manifests are correct", () => {
  console.log(outcomes.map(outcomeText).join("\n"));
  const predictedAs = (possible: boolean | undefined) => {
    const found = outcomes.filter(({ predicted }) => predicted.possible === possible);
    return { all: found.length, right: found.filter(({ wrong }) => wrong.length === 0).length };
  };
  const [possible, impossible] = [predictedAs(true), predictedAs(false)];
  const losses = outcomes.filter(({ predicted }) => predicted.lost.length > 0);
  console.log(
    `${outcomes.length} rollbacks: ${possible.right} of ${possible.all} "possible" and ${impossible.right} of ${impossible.all} "not possible" as predicted, ${losses.length} with losses, ${predictedAs(undefined).all} unknown`,
  );
  const { rollbacks: claimed } = verifiedClaims();
  expect(impossible.right).toBe(impossible.all);
  expect(possible.right / possible.all).toBeGreaterThanOrEqual(0.99);
  expect(outcomes.length).toBeGreaterThan(claimed.changes);
  expect(impossible.all).toBeGreaterThan(claimed.impossible);
  expect(losses.length).toBeGreaterThan(5);
  // Custom resources that change to another API version.
  expect(predictedAs(undefined).all).toBeLessThanOrEqual(2);
});

function outcomeText({ what, predicted, worked, wrong }: RollbackOutcome): string {
  const { possible, objects, lost, reasons, needs } = predicted;
  const answer = possible === undefined ? "unknown" : possible ? "possible" : "not possible";
  const details = [...lost, ...reasons].map((each) => each.what);
  const result = worked ? "rolled back" : "not rolled back";
  const text = [answer, ...needs, `${objects} objects`, ...details].join(", ");
  return [`${what}: ${text}; ${result}`, ...wrong.map((each) => `  WRONG: ${each}`)].join("\n");
}
