import { afterAll, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../src/model/object.ts";
import { nothingCompared } from "../../accuracy/compare.ts";
import { allBatches } from "../../accuracy/real/changes/all.ts";
import type { Batch } from "../../accuracy/real/play-batch.ts";
import { secondNamespace, stagesOf } from "../../accuracy/real/stages.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { fc } from "../../support/fast-check.ts";
import { randomChoice } from "../../support/random-choice.ts";
import { editOf, type OwnDraw, priorDraw, twoDraw } from "./random-edits.ts";
import { type Declared, playTwo } from "./two-deployments.ts";

/**
 * Deploys real manifests as two deployments, of which the second depends on the first, and moves
 * objects between them. Compares the preview of both in one run with the results.
 * `QVS_RANDOM=SEED:COUNT[:NUMBER]` selects other changes.
 */
const { seed, count, only } = randomChoice(30);
const batches = allBatches.filter(({ given = "" }) => !given.includes("nodePort"));
const cluster = useCluster();
const compiler = startCompiler();

afterAll(() => compiler.close());

interface Drawn {
  readonly prior: readonly OwnDraw[];
  readonly own: readonly OwnDraw[];
  /** For each object in turn: true if the first deployment has it. The list repeats. */
  readonly shares: readonly boolean[];
  /** The numbers of the objects that move to the other deployment. */
  readonly moves: readonly number[];
}

const draws: fc.Arbitrary<Drawn> = fc.record({
  prior: fc.array(
    priorDraw.filter(({ way }) => way !== "own"),
    { maxLength: 2 },
  ),
  own: fc.array(twoDraw, { maxLength: 3 }),
  shares: fc.array(fc.boolean(), { minLength: 4, maxLength: 8 }),
  moves: fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 4 }),
});

const cases = fc
  .sample(draws, { seed, numRuns: count })
  .map((drawn, index) => ({ ...drawn, number: index + 1 }))
  .filter(({ number }) => only === undefined || number === only);

describe.concurrent("previews of two deployments in one run are right", () => {
  test.for(cases)(`${seed}:${count}:$number`, async ({ number, ...drawn }, { onTestFinished }) => {
    const from = batches[(seed + number) % batches.length] as Batch;
    const made: string[] = [];
    const edits = (some: readonly OwnDraw[]) => some.map((draw) => editOf(draw, made));
    const namespace = await cluster.namespace("two");
    await cluster.kubectl("create", "namespace", secondNamespace(namespace));
    const changes = [["by chance", ...edits(drawn.own)]] as const;
    const prior = edits(drawn.prior);
    const stages = await stagesOf({ ...from, prior, changes }, namespace);
    const accuracy = nothingCompared();
    try {
      const isPlayed = await playTwo(shared(stages, drawn, made), namespace, {
        ...{ cluster, compiler, accuracy, onFinished: onTestFinished },
      });
      if (!isPlayed) made.unshift("not played");
    } finally {
      console.log(`${from.what}: ${made.join("; ")}`);
    }
    expect(accuracy.wrong).toEqual([]);
  });
});

function shared(
  [before, after]: readonly [readonly KubeObject[], readonly KubeObject[]],
  { shares, moves }: Drawn,
  made: string[],
): readonly [Declared, Declared] {
  const moved = new Set(moves.map((number) => number % before.length));
  const nameOf = ({ kind, metadata }: KubeObject) => `${kind}/${metadata["name"]}`;
  const names = before.map(nameOf);
  const numberOf = (object: KubeObject) => names.indexOf(nameOf(object));
  // Custom resources can be in either deployment.
  const wasFirst = (object: KubeObject) =>
    object.kind === "CustomResourceDefinition" || shares[numberOf(object) % shares.length] === true;
  const becomesFirst = (object: KubeObject) => wasFirst(object) !== moved.has(numberOf(object));
  for (const object of before.filter((each) => moved.has(numberOf(each))))
    made.push(`${nameOf(object)} ${wasFirst(object) ? "to the second" : "to the first"}`);
  return [halves(before, wasFirst), halves(after, becomesFirst)];
}

function halves(all: readonly KubeObject[], isFirst: (object: KubeObject) => boolean): Declared {
  return { first: all.filter(isFirst), second: all.filter((each) => !isFirst(each)) };
}
