import type { Edge } from "../../model/plan.ts";

/** The dependencies of each object, by its key. */
export type Graph = ReadonlyMap<string, readonly Edge[]>;

/** A dependency with both of its ends. */
export interface Link extends Edge {
  readonly from: string;
}

/**
 * Builds a graph of all `firm` links, and of the `loose` links that close no cycle, in their order.
 * If two links connect the same objects, the first one stays. Edges are sorted by the key of their
 * target.
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
