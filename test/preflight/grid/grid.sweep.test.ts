import pMap from "p-map";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCompiler } from "../../../src/world/start-compiler.ts";
import { runHere } from "../../cli/run-here.ts";
import { type ClusterOptions, type RunningCluster, startCluster } from "../../cluster/start.ts";
import { clusterAt } from "../../support/cluster.ts";
import type { GridCase } from "./build.ts";
import { byTurns, classes } from "./classes.ts";
import { type Played, playCase } from "./play-case.ts";

/**
 * Rollouts that are foretold and then done, on a real scheduler with real controllers. Each has nodes of its own, where nothing
 * else may run, so they go side by side: most of the time they wait.
 */
const sideBySide = 12;
const { QVS_SWEEPS, QVS_GRID } = process.env;
const all = classes.flat();
/** How many a run of CI has time for. */
const inTime = 160;
const cases = chosenCases();
/** In milliseconds; all of it on two busy cores. */
const longest = 3_600_000;
const compiler = startCompiler();
const cleanups: (() => void)[] = [];
const running: RunningCluster[] = [];
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
  const started = await startCluster({ nodes: 1, rollouts: true, auditLog: false, ...options });
  running.push(started);
  const cluster = clusterAt(started);
  for (const each of priorityClasses) await cluster.apply("default", JSON.stringify(each));
  const playOne = async (each: GridCase, index: number) => {
    const played = await playCase(each, `case-${index + 1}`, cluster, {
      onFinished: (work) => cleanups.push(work),
      run: (folder, args, env) => runHere(folder, args, compiler, env),
    }).catch((error: Error) => error);
    tell(each, played);
    results.set(each.name, played);
  };
  await pMap(some, playOne, { concurrency: sideBySide });
}

/** At once, so that a run that is stopped was not for nothing. */
function tell(grid: GridCase, played: Played | Error): void {
  const said = played instanceof Error ? played.message : wrongIn(grid, played);
  if (said !== undefined) console.log(`${grid.name}: ${said}`);
}

function wrongIn(grid: GridCase, played: Played): string | undefined {
  const right = rightFor(grid, played);
  return played.foretold === right ? undefined : `foretold: ${played.foretold}, not: ${right}`;
}

function rightFor({ isOpen, isRace }: GridCase, { ended }: Played): Played["foretold"] {
  if (isOpen === true) return "unknown";
  return ended && isRace !== true ? "ends" : "does not end";
}

afterAll(async () => {
  for (const cleanUp of cleanups) cleanUp();
  await compiler.close();
  await Promise.all(running.map(({ stop }) => stop()));
});

describe("whether it can end is foretold:", () => {
  test.for(cases)("$name", (grid) => {
    const played = results.get(grid.name);
    if (played === undefined || played instanceof Error) throw played ?? new Error("not played");
    expect(played.foretold, played.told).toBe(rightFor(grid, played));
  });
});

test.skipIf(QVS_GRID !== undefined)("both endings are tried", () => {
  const endings = [...results.values()].map((each) => !(each instanceof Error) && each.ended);
  expect(endings.filter(Boolean).length).toBeGreaterThan(cases.length / 4);
  expect(endings.filter((ended) => !ended).length).toBeGreaterThan(cases.length / 4);
});

/** QVS_SWEEPS=all plays every case, QVS_GRID those with this in their name; else some of each class, on one cluster. */
function chosenCases(): readonly GridCase[] {
  if (QVS_GRID !== undefined) return all.filter(({ name }) => new RegExp(QVS_GRID).test(name));
  if (QVS_SWEEPS === "all") return all;
  const usual = classes.map((each) => each.filter(({ featureGate }) => featureGate !== true));
  return byTurns(usual, inTime);
}

const priorityClasses = [
  priorityClass("grid-urgent", { value: 1000 }),
  priorityClass("grid-low", { value: 10 }),
  priorityClass("grid-patient", { value: 1000, preemptionPolicy: "Never" }),
];

function priorityClass(name: string, fields: object) {
  const apiVersion = "scheduling.k8s.io/v1";
  return { apiVersion, kind: "PriorityClass", metadata: { name }, ...fields };
}
