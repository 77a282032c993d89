import { dependsOnAnnotation } from "../../model/annotations.ts";
import { nameFromKey, nameOf } from "../../model/object.ts";
import type { ChangeAction, Edge, Plan } from "../../model/plan/plan.ts";
import { isRelabeled } from "../diff/live-diff.ts";
import { orderChecks } from "../review/count-objects.ts";
import type { DeploymentReview, OrderedCheck } from "../review/review.ts";

/** The objects and checks of a plan and their dependencies, ready to render. */
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
 * The look of a node. `ready` is a moment that the rest waits for: all new objects are ready, or
 * all checks passed.
 */
export type NodeStyleName = ChangeAction | "delete" | "check" | "awaited" | "ready";

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /**
   * The reason for the dependency, such as "its Pod template reads it". Empty for the
   * edges around `ready` and around the checks after it.
   */
  readonly reason: string;
}

interface DrawnObject {
  readonly key: string;
  readonly label: string;
  readonly look: NodeStyleName;
  readonly after: readonly Edge[];
}

/** The contents of a graph. */
interface Drawing {
  readonly applied: readonly DrawnObject[];
  readonly checks: readonly OrderedCheck[];
  readonly removed: readonly DrawnObject[];
}

/** Returns the graph of the changes, or of all objects that the plan declares. */
export function planGraph(plan: Plan, what: "changes" | "all"): PlanGraph {
  const changes = upserts(plan, what);
  const removed = plan.deletions.map(({ key, id, after }) => ({
    ...{ key, after, label: nameOf(id) },
    look: "delete" as const,
  }));
  const keys = new Set([...changes, ...removed].map(({ key }) => key));
  const applied = [...changes, ...(what === "all" ? awaited(plan) : [])];
  return drawGraph({ applied, checks: orderChecks(plan, keys), removed });
}

/** Returns the graph of the changes in a review. */
export function orderGraph({
  order,
  checks = [],
}: Pick<DeploymentReview, "order" | "checks">): PlanGraph {
  const drawn = order.map(({ key, name, action, after }) => {
    return { key, label: name, look: action, after };
  });
  const isDeleted = ({ look }: DrawnObject) => look === "delete";
  const applied = drawn.filter((each) => !isDeleted(each));
  return drawGraph({ applied, checks, removed: drawn.filter(isDeleted) });
}

function drawGraph({ applied, checks, removed }: Drawing): PlanGraph {
  const gates = checks.filter(({ gate }) => gate !== undefined);
  const last = checks.filter(({ gate }) => gate === undefined).map(drawCheck);
  const upserted = [...gates.map(drawCheck), ...applied.map((each) => addGates(each, gates))];
  const drawn = [...upserted, ...last, ...removed];
  const ids = new Map(drawn.map(({ key }, index) => [key, `n${index}`]));
  const nodes = drawn.map(({ key, label, look }) => ({ id: ids.get(key) ?? "", key, label, look }));
  const edges = drawn.flatMap((each) => incomingEdges(each, ids));
  const end = drawEnd(upserted, last, removed, ids);
  return { nodes: [...nodes, ...end.nodes], edges: [...edges, ...end.edges] };
}

function drawCheck({ key, name, gate }: OrderedCheck): DrawnObject {
  return { key, label: name, look: "check", after: gate?.after ?? [] };
}

/**
 * Adds the checks that an object waits for. An arrow from the check replaces those from the objects
 * that the check needs, because the object waits for them only through the check.
 */
function addGates(object: DrawnObject, gates: readonly OrderedCheck[]): DrawnObject {
  const waitsFor = gates.filter(({ gate }) => gate?.before.includes(object.key));
  if (waitsFor.length === 0) return object;
  const keys = new Set(waitsFor.map(({ key }) => key));
  const needed = new Set(waitsFor.flatMap(({ gate }) => gate?.after.map(({ on }) => on) ?? []));
  const own = object.after.filter(({ on }) => !keys.has(on) && !needed.has(on));
  const reason = `annotation ${dependsOnAnnotation}`;
  return { ...object, after: [...own, ...[...keys].map((on) => ({ on, reason }))] };
}

function upserts({ changes }: Plan, what: "changes" | "all"): readonly DrawnObject[] {
  return changes
    .filter((change) => what === "all" || (change.action !== "unchanged" && !isRelabeled(change)))
    .map(({ key, id, action, after }) => ({ key, after, label: nameOf(id), look: action }));
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

const ready = { id: "ready", key: "ready", label: "all objects ready", look: "ready" } as const;
const passed = { id: "passed", key: "passed", label: "all checks passed", look: "ready" } as const;

/**
 * Returns the edges from the last upserts through the last checks to the first deletions, with the
 * nodes between them. qvs checks and deletes nothing before all new objects are ready.
 */
function drawEnd(
  upserted: readonly DrawnObject[],
  checks: readonly DrawnObject[],
  deletions: readonly DrawnObject[],
  ids: ReadonlyMap<string, string>,
): PlanGraph {
  const dependencies = new Set(upserted.flatMap(({ after }) => after.map(({ on }) => on)));
  const deleted = new Set(deletions.map(({ key }) => key));
  const last = upserted.filter(({ key }) => !dependencies.has(key));
  const first = deletions.filter(({ after }) => !after.some(({ on }) => deleted.has(on)));
  const idsOf = (drawn: readonly DrawnObject[]) => drawn.map(({ key }) => ids.get(key) ?? "");
  const hasEnd = checks.length > 0 || first.length > 0;
  // Without a node between several checks and several deletions, their arrows would cross.
  const isCrossed = checks.length > 1 && first.length > 1;
  const nodes = [...(last.length > 0 && hasEnd ? [ready] : []), ...(isCrossed ? [passed] : [])];
  const steps = [
    ...(hasEnd ? [idsOf(last)] : []),
    nodes.includes(ready) ? [ready.id] : [],
    idsOf(checks),
    isCrossed ? [passed.id] : [],
    idsOf(first),
  ].filter((step) => step.length > 0);
  return { nodes, edges: steps.slice(1).flatMap((step, index) => join(steps[index] ?? [], step)) };
}

function join(before: readonly string[], after: readonly string[]): readonly GraphEdge[] {
  return before.flatMap((from) => after.map((to) => ({ from, to, reason: "" })));
}

interface NodeStyle {
  readonly fill: string;
  readonly stroke: string;
  /** The mark of the action. Many readers can't distinguish the colors. */
  readonly mark: string;
}

/** GitHub's colors for additions, changes and deletions. A check has its own shape. */
export const nodeStyles: Readonly<Record<NodeStyleName, NodeStyle>> = {
  create: { fill: "#dafbe1", stroke: "#1a7f37", mark: "+ " },
  update: { fill: "#fff8c5", stroke: "#9a6700", mark: "~ " },
  replace: { fill: "#ffebe9", stroke: "#9a6700", mark: "± " },
  delete: { fill: "#ffebe9", stroke: "#cf222e", mark: "- " },
  unchanged: { fill: "#f6f8fa", stroke: "#8c959f", mark: "" },
  check: { fill: "#ddf4ff", stroke: "#0969da", mark: "" },
  awaited: { fill: "#ffffff", stroke: "#8c959f", mark: "waits for " },
  ready: { fill: "#ffffff", stroke: "#1f2328", mark: "" },
};

export const ink = "#1f2328";
