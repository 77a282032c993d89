import { nameFromKey, nameOf } from "../../model/object.ts";
import type { ChangeAction, Edge, Plan } from "../../model/plan.ts";
import { isRelabelled } from "../diff/relabelled.ts";
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
  readonly look: GraphLook;
}

/**
 * The look of a node. `ready` is the moment before the first deletion: all new objects are ready.
 */
export type GraphLook = ChangeAction | "delete" | "awaited" | "ready";

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /**
   * The reason for the dependency, such as "its Pod template reads it". Empty for edges of `ready`.
   */
  readonly reason: string;
}

interface Drawn {
  readonly key: string;
  readonly label: string;
  readonly look: GraphLook;
  readonly after: readonly Edge[];
}

/** Returns the graph of the changes, or of all objects that the plan declares. */
export function planGraph(plan: Plan, what: "changes" | "all"): PlanGraph {
  const made = [...upserts(plan, what), ...(what === "all" ? awaited(plan) : [])];
  const gone = plan.deletions.map(({ key, id, after }) => ({
    ...{ key, after, label: nameOf(id) },
    look: "delete" as const,
  }));
  return drawGraph(made, gone);
}

/** Returns the graph of the changes in a review. */
export function orderGraph(order: readonly OrderedObject[]): PlanGraph {
  const drawn = order.map(({ key, name, action, after }) => {
    return { key, label: name, look: action, after };
  });
  const isDeleted = ({ look }: Drawn) => look === "delete";
  return drawGraph(
    drawn.filter((each) => !isDeleted(each)),
    drawn.filter(isDeleted),
  );
}

function drawGraph(made: readonly Drawn[], gone: readonly Drawn[]): PlanGraph {
  const drawn: readonly Drawn[] = [...made, ...gone];
  const ids = new Map(drawn.map(({ key }, index) => [key, `n${index}`]));
  const nodes = drawn.map(({ key, label, look }) => ({ id: ids.get(key) ?? "", key, label, look }));
  const edges = drawn.flatMap((each) => edgesTo(each, ids));
  const cleanup = cleanupEdges(made, gone, ids);
  const ready = { id: "ready", key: "ready", label: "all objects ready", look: "ready" as const };
  return {
    nodes: cleanup.length === 0 ? nodes : [...nodes, ready],
    edges: [...edges, ...cleanup],
  };
}

function upserts({ changes }: Plan, what: "changes" | "all"): readonly Drawn[] {
  return changes
    .filter((change) => what === "all" || (change.action !== "unchanged" && !isRelabelled(change)))
    .map(({ key, id, action, after }) => ({ key, after, label: nameOf(id), look: action }));
}

/** Returns the objects outside this deployment that it waits for. */
function awaited({ awaited: objects = [] }: Plan): readonly Drawn[] {
  return objects.map(({ key }) => ({ key, label: nameFromKey(key), look: "awaited", after: [] }));
}

/** Returns one edge for each pair of objects, with all reasons. */
function edgesTo({ key, after }: Drawn, ids: ReadonlyMap<string, string>): readonly GraphEdge[] {
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
  made: readonly Drawn[],
  gone: readonly Drawn[],
  ids: ReadonlyMap<string, string>,
): readonly GraphEdge[] {
  if (gone.length === 0 || made.length === 0) return [];
  const waitedFor = new Set(made.flatMap(({ after }) => after.map(({ on }) => on)));
  const deleted = new Set(gone.map(({ key }) => key));
  const last = made.filter(({ key }) => !waitedFor.has(key));
  const first = gone.filter(({ after }) => !after.some(({ on }) => deleted.has(on)));
  const id = ({ key }: Drawn) => ids.get(key) ?? "";
  return [
    ...last.map((each) => ({ from: id(each), to: "ready", reason: "" })),
    ...first.map((each) => ({ from: "ready", to: id(each), reason: "" })),
  ];
}
