import { afterAll, describe, expect, test } from "vitest";
import { nothingCompared } from "../../accuracy/compare.ts";
import { allBatches } from "../../accuracy/real/changes/all.ts";
import { type Batch, playBatch, type Rules } from "../../accuracy/real/play-batch.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { startCompiler } from "../../support/cue/native.ts";
import type { QvsResult } from "../../support/qvs/run-qvs.ts";
import { randomChoice } from "../../support/random-choice.ts";
import { randomDeployments } from "./random-deployments.ts";
import { installRules } from "./random-surroundings.ts";

/**
 * Changes real manifests randomly and compares the preview with the result. `QVS_RANDOM=SEED:COUNT`
 * makes other changes, and `QVS_RANDOM=SEED:COUNT:NUMBER` those of one deployment.
 */
const { seed, count, only } = randomChoice(60);
/** Only one batch can use a node port. */
const batches = allBatches.filter(({ given = "" }) => !given.includes("nodePort"));
const cluster = useCluster();
const compiler = startCompiler();

afterAll(() => compiler.close());

const cases = randomDeployments(seed, count)
  .map((drawn, index) => ({ ...drawn, number: index + 1 }))
  .filter(({ number }) => only === undefined || number === only);

describe.concurrent("previews of random changes are right", () => {
  test.for(cases)(
    `${seed}:${count}:$number`,
    async ({ edits, made, number, rules, areLate, flags, ...drawn }, { onTestFinished }) => {
      const from = batches[(seed + number) % batches.length] as Batch;
      const install: Rules["install"] = (...where) => installRules(rules, ...where);
      const batch: Batch = {
        ...from,
        ...drawn,
        ...(rules.length > 0 && { rules: { areLate, install } }),
        changes: [["by chance", ...edits]],
      };
      const accuracy = nothingCompared();
      const how = {
        isWide: true,
        flags: ["--timeout", "20s", allowDeleteFlag, ...flags],
        judge: requireOnlyWaits,
      };
      const setting = { cluster, compiler, accuracy, onFinished: onTestFinished, ...how };
      try {
        await playBatch(batch, setting);
      } finally {
        console.log(`${from.what}: ${made.join("; ")}`);
      }
      expect(accuracy.wrong).toEqual([]);
    },
  );
});

const unready = /not (ready|deleted) after|: not ready/;
const allowDeleteFlag = "--allow-delete=PersistentVolumeClaim,CustomResourceDefinition,Namespace";

/**
 * Throws for an unexpected failure. Pods that never become ready are not a fault, and an immediate
 * rejection is compared with the preview. Other failures are allowed only if the preview warned of
 * them.
 */
function requireOnlyWaits(
  { code, stdout, stderr }: QvsResult,
  { what }: Batch,
  _how: string,
  isWarned = false,
): void {
  if (code === 0 || stderr.trimEnd().endsWith("Nothing was changed.")) return;
  const failed = stderr.split("\n").filter((line) => line.includes(" failed: "));
  const waited = failed.filter(
    (line) =>
      unready.test(line) || (isWarned && /admission webhook|denied|was deleted while/.test(line)),
  );
  if (failed.length === 0 || waited.length < failed.length)
    throw new Error(`${what}:\n${stdout}${stderr}`);
}
