import pMap from "p-map";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterOptions } from "../../support/cluster/start.ts";
import type { GridCase } from "../../support/rollout-pieces.ts";
import { byTurns, classes } from "./classes.ts";
import type { Played } from "./play-case.ts";
import { type Grid, rightFor, sideBySide, startGrid } from "./start-grid.ts";

/** Predicts rollouts, runs them, and compares the outcomes. */
const { QVS_SWEEPS, QVS_GRID } = process.env;
const all = classes.flat();
/** The number of cases that a CI run has time for. */
const inTime = 160;
const cases = chosenCases();
/** The time limit in milliseconds, for all cases on two busy cores. */
const longest = 3_600_000;
const grids: Grid[] = [];
const results = new Map<string, Played | Error>();

beforeAll(async () => {
  await play(
    cases.filter(({ featureGate }) => featureGate !== true),
    {},
  );
  await play(
    cases.filter(({ featureGate }) => featureGate === true),
    { featureGates: "MaxUnavailableStatefulSet=true" },
  );
}, longest);

async function play(some: readonly GridCase[], options: ClusterOptions): Promise<void> {
  if (some.length === 0) return;
  const grid = await startGrid(options);
  grids.push(grid);
  const playOne = async (each: GridCase, index: number) => {
    const played = await grid.play(each, `case-${index + 1}`).catch((error: Error) => error);
    printResult(each, played);
    results.set(each.name, played);
  };
  await pMap(some, playOne, { concurrency: sideBySide });
}

/** Prints each result immediately, so that an interrupted run still has results. */
function printResult(grid: GridCase, played: Played | Error): void {
  const said = played instanceof Error ? played.message : wrongIn(grid, played);
  if (said !== undefined) console.log(`${grid.name}: ${said}`);
}

function wrongIn(grid: GridCase, played: Played): string | undefined {
  const right = rightFor(grid, played);
  return played.predicted === right ? undefined : `predicted: ${played.predicted}, not: ${right}`;
}

afterAll(async () => {
  await Promise.all(grids.map(({ stop }) => stop()));
});

describe("the prediction of the rollout's completion is right:", () => {
  test.for(cases)("$name", (grid) => {
    const played = results.get(grid.name);
    if (played === undefined || played instanceof Error) throw played ?? new Error("not played");
    expect(played.predicted, played.details).toBe(rightFor(grid, played));
  });
});

test.skipIf(QVS_GRID !== undefined)("both outcomes are tested", () => {
  const endings = [...results.values()].map((each) => !(each instanceof Error) && each.ended);
  expect(endings.filter(Boolean).length).toBeGreaterThan(cases.length / 4);
  expect(endings.filter((ended) => !ended).length).toBeGreaterThan(cases.length / 4);
});

/**
 * Returns the cases to play. QVS_SWEEPS=all selects every case, and QVS_GRID selects cases by a
 * part of the name. Default: some of each class, on one cluster.
 */
function chosenCases(): readonly GridCase[] {
  if (QVS_GRID !== undefined) return all.filter(({ name }) => new RegExp(QVS_GRID).test(name));
  if (QVS_SWEEPS === "all") return all;
  const usual = classes.map((each) =>
    each.filter(({ featureGate, keepsControllerBusy }) => !(featureGate || keepsControllerBusy)),
  );
  return byTurns(usual, inTime);
}
