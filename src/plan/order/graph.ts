import type { Edge } from "../../model/plan.ts";

/** Who waits for whom, by key. */
export type Graph = ReadonlyMap<string, readonly Edge[]>;

/** One edge with both of its ends. */
export interface Link extends Edge {
  readonly from: string;
}

/**
 * A graph of `firm` links, which are all kept, and of those `loose` ones that close no cycle, tried in their order.
 * Of two links between the same objects the first stays. Edges are sorted by the key that they point to.
 */
export function buildGraph(firm: readonly Link[], loose: readonly Link[]): Graph {
  const edges = new Map<string, Map<string, Edge>>();
  for (const link of firm) insert(edges, link);
  for (const link of loose) if (!reaches(edges, link.on, link.from)) insert(edges, link);
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
