import pMap from "p-map";
import { afterAll, beforeAll, expect, test } from "vitest";
import { randomChoice } from "../../support/random-choice.ts";
import type { GridCase } from "../../support/rollout-pieces.ts";
import { type RandomRollout, randomRollouts } from "./random-rollouts.ts";
import { type Grid, sideBySide, startGrid } from "./start-grid.ts";

/**
 * Creates each workload, changes it, and changes it again if that got stuck.
 * `QVS_RANDOM=SEED:COUNT` plays other rollouts, and `QVS_RANDOM=SEED:COUNT:NUMBER` one of them.
 */
const { seed, count, only } = randomChoice(60);
/** The time limit in milliseconds. */
const longest = 7_200_000;

let grid: Grid;

beforeAll(async () => {
  grid = await startGrid();
}, longest);

afterAll(() => grid.stop());

test("predictions of the completion of random rollouts are right", {
  timeout: longest,
}, async () => {
  const rollouts = randomRollouts(seed, count).filter(
    (_, index) => only === undefined || index + 1 === only,
  );
  const wrong = await pMap(rollouts, playOne, { concurrency: sideBySide });
  expect(wrong.flat().join("\n\n")).toBe("");
});

/** Plays a rollout. Returns its wrong predictions. */
async function playOne(
  { first, next, again }: RandomRollout,
  index: number,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const play = async (one: GridCase) => {
    const id = `random-${index + 1}-${one.steps.length}`;
    const { predicted, isWarning, ended, told } = await grid.play(one, id);
    const happened = ended ? "ends" : "does not end";
    const isRight = predicted === happened || (predicted === "does not end" && isWarning);
    console.log(`${one.name}: predicted ${predicted}${isWarning ? "" : " for sure"}, ${happened}`);
    if (!isRight) wrong.push(`${one.name}: ${happened}\n${JSON.stringify(one)}\n${told}`);
    return isRight && predicted === happened && happened;
  };
  if ((await play(first)) === "ends" && (await play(next)) === "does not end") await play(again);
  return wrong;
}
