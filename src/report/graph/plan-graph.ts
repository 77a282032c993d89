import { nameFromKey, nameOf } from "../../model/object.ts";
import type { ChangeAction, Edge, Plan } from "../../model/plan.ts";
import { isRelabeled } from "../diff/relabeled.ts";
import type { OrderedObject } from "../review/review.ts";

/** The objects of a plan and their dependencies, ready to render. */
export interface PlanGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  /** A unique name of letters and digits. */
  readonly id: string;
  readonly key: string;
  readonly label: string;
  readonly look: NodeStyleName;
}

/**
 * The look of a node. `ready` is the moment before the first deletion: all new objects are ready.
 */
export type NodeStyleName = ChangeAction | "delete" | "awaited" | "ready";

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /**
   * The reason for the dependency, such as "its Pod template reads it". Empty for edges of `ready`.
   */
  readonly reason: string;
}

interface DrawnObject {
  readonly key: string;
  readonly label: string;
  readonly look: NodeStyleName;
  readonly after: readonly Edge[];
}

/** Returns the graph of the changes, or of all objects that the plan declares. */
export function planGraph(plan: Plan, what: "changes" | "all"): PlanGraph {
  const changes = upserts(plan, what);
  const upserted = [...gates(plan, changes), ...changes, ...(what === "all" ? awaited(plan) : [])];
  const removed = plan.deletions.map(({ key, id, after }) => ({
    ...{ key, after, label: nameOf(id) },
    look: "delete" as const,
  }));
  return drawGraph(upserted, removed);
}

/** Returns the graph of the changes in a review. */
export function orderGraph(order: readonly OrderedObject[]): PlanGraph {
  const drawn = order.map(({ key, name, action, after }) => {
    return { key, label: name, look: action, after };
  });
  const isDeleted = ({ look }: DrawnObject) => look === "delete";
  return drawGraph(
    drawn.filter((each) => !isDeleted(each)),
    drawn.filter(isDeleted),
  );
}

function drawGraph(upserted: readonly DrawnObject[], removed: readonly DrawnObject[]): PlanGraph {
  const drawn: readonly DrawnObject[] = [...upserted, ...removed];
  const ids = new Map(drawn.map(({ key }, index) => [key, `n${index}`]));
  const nodes = drawn.map(({ key, label, look }) => ({ id: ids.get(key) ?? "", key, label, look }));
  const edges = drawn.flatMap((each) => incomingEdges(each, ids));
  const cleanup = cleanupEdges(upserted, removed, ids);
  const ready = { id: "ready", key: "ready", label: "all objects ready", look: "ready" as const };
  return {
    nodes: cleanup.length === 0 ? nodes : [...nodes, ready],
    edges: [...edges, ...cleanup],
  };
}

function upserts({ changes }: Plan, what: "changes" | "all"): readonly DrawnObject[] {
  return changes
    .filter((change) => what === "all" || (change.action !== "unchanged" && !isRelabeled(change)))
    .map(({ key, id, action, after }) => ({ key, after, label: nameOf(id), look: action }));
}

/** Returns the checks that drawn objects wait for. */
function gates({ gates: all = [] }: Plan, drawn: readonly DrawnObject[]): readonly DrawnObject[] {
  const waiting = new Set(drawn.flatMap(({ after }) => after.map(({ on }) => on)));
  return all
    .filter(({ key }) => waiting.has(key))
    .map(({ key, after }) => ({ key, after, label: nameFromKey(key), look: "awaited" }));
}

/** Returns the objects outside this deployment that it waits for. */
function awaited({ awaited: objects = [] }: Plan): readonly DrawnObject[] {
  return objects.map(({ key }) => ({ key, label: nameFromKey(key), look: "awaited", after: [] }));
}

/** Returns one edge for each pair of objects, with all reasons. */
function incomingEdges(
  { key, after }: DrawnObject,
  ids: ReadonlyMap<string, string>,
): readonly GraphEdge[] {
  const known = Map.groupBy(after, ({ on }) => on);
  return [...known].flatMap(([on, edges]) => {
    const from = ids.get(on);
    if (from === undefined) return [];
    const reasons = [...new Set(edges.map(({ reason }) => reason))];
    return [{ from, to: ids.get(key) ?? "", reason: reasons.join("; ") }];
  });
}

/**
 * Returns the edges between the last upserts and the first deletions, through the node `ready`.
 * qvs deletes nothing before all new objects are ready.
 */
function cleanupEdges(
  upserted: readonly DrawnObject[],
  deletions: readonly DrawnObject[],
  ids: ReadonlyMap<string, string>,
): readonly GraphEdge[] {
  if (deletions.length === 0 || upserted.length === 0) return [];
  const dependencies = new Set(upserted.flatMap(({ after }) => after.map(({ on }) => on)));
  const deleted = new Set(deletions.map(({ key }) => key));
  const last = upserted.filter(({ key }) => !dependencies.has(key));
  const first = deletions.filter(({ after }) => !after.some(({ on }) => deleted.has(on)));
  const id = ({ key }: DrawnObject) => ids.get(key) ?? "";
  return [
    ...last.map((each) => ({ from: id(each), to: "ready", reason: "" })),
    ...first.map((each) => ({ from: "ready", to: id(each), reason: "" })),
  ];
}
