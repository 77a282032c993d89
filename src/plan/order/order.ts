/**
 * Decides the order in which objects are deployed.
 * An object never comes before one of its dependencies, and an object of `app` never before one of
 * `appSetup`.
 */

import { walkDepthFirst } from "../../model/depth-first.ts";
import { nameFromKey } from "../../model/object.ts";
import type { Edge } from "../../model/plan/plan.ts";
import {
  declarationPlaces,
  type Fact,
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
} from "../../model/problems/problem.ts";
import type { Stage } from "../../model/sources/compilation.ts";

/**
 * The order of the stages.
 * The objects that `app` needs must already exist, whatever the names of the objects are.
 */
const stageRank: Readonly<Record<Stage, number>> = { appSetup: 0, app: 1 };

interface Orderable {
  readonly key: string;
  readonly stage: Stage;
  readonly where?: Position;
}

/** Returns the objects in deploy order, or one error with all edges for each dependency cycle. */
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

/** Compares by stage, then by key. The result doesn't depend on the order of the input. */
function byStageAndKey(a: Orderable, b: Orderable): number {
  return stageRank[a.stage] - stageRank[b.stage] || (a.key < b.key ? -1 : 1);
}

/** Places every object directly after its dependencies. */
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
  const byKey = Map.groupBy(objects, ({ key }) => key);
  const waiting = cycle.flatMap(({ from }) => byKey.get(from) ?? []);
  const first = nameFromKey(cycle[0]?.from ?? "");
  return {
    code: "dependency-cycle",
    what:
      cycle.length === 1
        ? `${first} depends on itself`
        : `${first} depends on itself through other objects`,
    facts: cycleFacts(cycle),
    fix: "Remove one of these dependencies from its annotation or reference",
    where: declarationPlaces(...waiting),
  };
}

/** Describes a cycle. A reason that all its edges share is named only once. */
function cycleFacts(cycle: readonly Link[]): readonly Fact[] {
  const reasons = [...new Set(cycle.map(({ reason }) => reason))];
  if (reasons.length > 1) {
    return cycle.map(({ from, on, reason }) => ({
      label: "dependency",
      value: `${from} waits for ${on} (${reason})`,
    }));
  }
  const path = [...cycle.map(({ from }) => from), cycle.at(-1)?.on].join(" → ");
  return [
    { label: "cycle", value: path },
    { label: "dependency", value: reasons.join() },
  ];
}

/** The dependencies of each object, by its key. */
export type Graph = ReadonlyMap<string, readonly Edge[]>;

/** A dependency with both of its ends. */
export interface Link extends Edge {
  readonly from: string;
}

/**
 * Builds a graph of all required links, and of the optional links that close no cycle, in their
 * order. If two links connect the same objects, the first one stays. Edges are sorted by the key of
 * their target.
 */
export function buildGraph(required: readonly Link[], optional: readonly Link[]): Graph {
  const edges = new Map<string, Map<string, Edge>>();
  for (const link of required) insert(edges, link);
  for (const link of optional) if (!reaches(edges, link.on, link.from)) insert(edges, link);
  return new Map(
    [...edges].map(([from, to]) => [
      from,
      [...to.values()].toSorted((a, b) => (a.on < b.on ? -1 : 1)),
    ]),
  );
}

function insert(edges: Map<string, Map<string, Edge>>, { from, ...edge }: Link): void {
  const known = edges.get(from) ?? new Map<string, Edge>();
  if (!known.has(edge.on)) known.set(edge.on, edge);
  edges.set(from, known);
}

function reaches(
  edges: ReadonlyMap<string, ReadonlyMap<string, Edge>>,
  start: string,
  goal: string,
): boolean {
  const seen = new Set<string>();
  const open = [start];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (key === goal) return true;
    if (seen.has(key)) continue;
    seen.add(key);
    open.push(...(edges.get(key)?.keys() ?? []));
  }
  return false;
}
