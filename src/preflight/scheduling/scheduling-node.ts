import { type Amounts, readAmounts } from "../../model/cluster/pod-resources.ts";
import { at, type Json, listAt, numberAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { PodShape } from "./pod-shape.ts";
import { type Labels, labelsAt, meetsRequirement, selects } from "./selectors.ts";

export interface SchedulingNode {
  readonly name: string;
  readonly labels: Labels;
  /** The taints that keep away Pods that don't tolerate them. */
  readonly taints: readonly Json[];
  readonly allocatable: Amounts;
  /** The most volumes that each driver can attach, for drivers with a limit. */
  readonly attachable: ReadonlyMap<string, number>;
}

/**
 * Creates a node of the simulation.
 * `csiNode` is the object of the same name with the node's drivers.
 */
export function schedulingNode(node: KubeObject, csiNode?: KubeObject): SchedulingNode {
  const taints = listAt(node, "spec", "taints").filter(
    (taint) => textAt(taint, "effect") !== "PreferNoSchedule",
  );
  const isCordoned = at(node, "spec", "unschedulable") === true;
  return {
    name: textAt(node, "metadata", "name") ?? "",
    labels: labelsAt(at(node, "metadata", "labels")),
    taints: isCordoned ? [...taints, cordon] : taints,
    allocatable: readAmounts(at(node, "status", "allocatable")),
    attachable: new Map(listAt(csiNode, "spec", "drivers").flatMap(driverLimit)),
  };
}

function driverLimit(driver: Json): readonly (readonly [string, number])[] {
  const count = numberAt(driver, "allocatable", "count");
  return count === undefined ? [] : [[textAt(driver, "name") ?? "", count]];
}

const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Reports whether the Pod's node name, node rules and volumes allow the node. */
export function isAllowedNode(shape: PodShape, node: SchedulingNode): boolean {
  const { nodeName, volumeTerms } = shape;
  return (
    (nodeName === undefined || nodeName === node.name) &&
    matchesNodeRules(shape, node) &&
    volumeTerms.every((terms) => matchesAnyTerm(terms, node))
  );
}

/** Reports whether the Pod's own node rules allow the node, without its volumes. */
export function matchesNodeRules(
  { nodeSelector, nodeTerms }: PodShape,
  node: SchedulingNode,
): boolean {
  return (
    selects({ matchLabels: nodeSelector }, node.labels) &&
    (nodeTerms === undefined || matchesAnyTerm(nodeTerms, node))
  );
}

/** Reports whether one of these terms matches the node. */
export function matchesAnyTerm(terms: readonly Json[], node: SchedulingNode): boolean {
  return terms.some((term) => matchesNode(term, node));
}

/** Reports whether a term matches the node; an empty term matches none. */
function matchesNode(term: Json, { name, labels }: SchedulingNode): boolean {
  const expressions = listAt(term, "matchExpressions");
  const fields = listAt(term, "matchFields");
  return (
    expressions.length + fields.length > 0 &&
    expressions.every((each) => meetsRequirement(each, labels)) &&
    fields.every((each) => meetsRequirement(each, { "metadata.name": name }))
  );
}

/**
 * Returns the first taint that keeps the Pod away.
 * If the Pod names its node, only the kubelet checks the taints, and only for `NoExecute`.
 */
export function untoleratedTaint(
  { tolerations, nodeName }: PodShape,
  { taints }: SchedulingNode,
): Json | undefined {
  return taints.find(
    (taint) =>
      (nodeName === undefined || textAt(taint, "effect") === "NoExecute") &&
      !tolerations.some((each) => tolerates(each, taint)),
  );
}

function tolerates(toleration: Json, taint: Json): boolean {
  const effect = textAt(toleration, "effect") ?? "";
  if (effect !== "" && effect !== textAt(taint, "effect")) return false;
  const key = textAt(toleration, "key") ?? "";
  const isAny = textAt(toleration, "operator") === "Exists";
  if (key === "") return isAny;
  if (key !== textAt(taint, "key")) return false;
  return isAny || (textAt(toleration, "value") ?? "") === (textAt(taint, "value") ?? "");
}
