import { afterAll, describe, expect, test } from "vitest";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { verifiedClaims } from "../claims.ts";
import { nothingCompared } from "../compare.ts";
import { allBatches } from "./changes/all.ts";
import { playBatch } from "./play-batch.ts";

/**
 * Deploys published manifests, then changes them, and compares the preview of each change with the
 * result.
 */
const batches = allBatches;
const cluster = useCluster();
const compiler = startCompiler();
const accuracy = nothingCompared();

afterAll(() => compiler.close());

describe.concurrent("previews of real manifests", () => {
  test.for(batches)("$what", async (batch, { onTestFinished }) => {
    await playBatch(batch, { cluster, compiler, accuracy, onFinished: onTestFinished });
  });
});

test("all previews of real manifests are correct", () => {
  const { objects, fields, refusals, warnings, rollbacks, wrong } = accuracy;
  const share = ({ right, all }: typeof objects) => `${right} of ${all}`;
  const changes = batches.flatMap((batch) => batch.changes).length;
  console.log(
    `${changes} changes: objects ${share(objects)}, fields ${share(fields)}, refusals ${share(refusals)}, warnings ${share(warnings)}, rollbacks ${share(rollbacks)} as predicted (${rollbacks.unknown} unknown)\n${[...wrong, ...rollbacks.wrong].join("\n")}`,
  );
  expect(wrong).toEqual([]);
  const { real } = verifiedClaims();
  expect(changes).toBeGreaterThan(real.changes);
  expect(objects.right).toBeGreaterThan(real.objects);
  expect(refusals.right).toBeGreaterThan(real.refusals);
  expect(warnings.all).toBeGreaterThan(5);
  expect(rollbacks.wrong.filter((each) => each.includes("predicted not possible"))).toEqual([]);
  expect(rollbacks.right / rollbacks.all).toBeGreaterThan(0.99);
  expect(rollbacks.right).toBeGreaterThan(30);
});
