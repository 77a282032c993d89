/**
 * Decides in which order objects are deployed, and guarantees one rule: no object comes before one that it depends on,
 * and none of `app` before one of `appSetup`.
 */
import type { Stage } from "../../model/compilation.ts";
import { walkDepthFirst } from "../../model/depth-first.ts";
import {
  declaredAt,
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
} from "../../model/problems/problem.ts";
import type { Graph, Link } from "./graph.ts";

/** Stage by stage: what `app` needs must already be there, whatever the names of the objects are. */
const stageRank: Readonly<Record<Stage, number>> = { appSetup: 0, app: 1 };

export interface Orderable {
  readonly key: string;
  readonly stage: Stage;
  readonly where?: Position;
}

/** The objects in deploy order, or one problem per dependency cycle that names every edge of it. */
export function orderObjects<T extends Orderable>(
  objects: readonly T[],
  graph: Graph,
): Result<readonly T[]> {
  const sorted = objects.toSorted(byStageAndKey);
  const { placed, cycles } = placeAll(sorted, graph);
  return cycles.length > 0
    ? failed(cycles.map((cycle) => cycleProblem(cycle, objects)))
    : ok(placed);
}

/** Ties are broken by text, so the order never depends on the order of the input. */
function byStageAndKey(a: Orderable, b: Orderable): number {
  return stageRank[a.stage] - stageRank[b.stage] || (a.key < b.key ? -1 : 1);
}

/** Places every object directly after what it waits for. */
function placeAll<T extends Orderable>(sorted: readonly T[], graph: Graph) {
  const byKey = new Map(sorted.map((object) => [object.key, object]));
  const placed: T[] = [];
  const cycles: (readonly Link[])[] = [];
  walkDepthFirst(byKey.keys(), {
    edgesOf: (key) => (graph.get(key) ?? []).filter(({ on }) => byKey.has(on)),
    targetOf: ({ on }) => on,
    leave: (key) => {
      const object = byKey.get(key);
      if (object !== undefined) placed.push(object);
    },
    cycle: (edges) => cycles.push(edges.map(({ from, edge }) => ({ from, ...edge }))),
  });
  return { placed, cycles };
}

function cycleProblem(cycle: readonly Link[], objects: readonly Orderable[]): Problem {
  const waiting = cycle.flatMap(({ from }) => objects.filter(({ key }) => key === from));
  return {
    code: "dependency-cycle",
    what: `These objects wait for each other: ${describeCycle(cycle)}`,
    fix: "Remove one of these dependencies from its annotation or reference",
    where: declaredAt(...waiting),
  };
}

/** One reason for all of them need not be said at every step. */
function describeCycle(cycle: readonly Link[]): string {
  const reasons = new Set(cycle.map(({ reason }) => reason));
  if (reasons.size > 1) {
    return cycle.map(({ from, on, reason }) => `${from} waits for ${on} (${reason})`).join("; ");
  }
  const way = [...cycle.map(({ from }) => from), cycle.at(-1)?.on].join(" → ");
  return `${way} (${[...reasons].join()})`;
}
