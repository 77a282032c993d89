import { at, type JsonObject } from "../../model/json.ts";
import { groupOf, type KubeObject } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { ClusterFacts } from "../cluster-facts.ts";
import { asPlanned, awaitsPods, samplePodSpec } from "../planned-pods.ts";
import { createPodShape } from "../scheduling/pod-shape.ts";
import { schedulingNode } from "../scheduling/scheduling-node.ts";
import { labelsAt } from "../scheduling/selectors.ts";
import { ephemeralClaims } from "./claim-rules.ts";
import { nodesForDaemon } from "./daemon-set-controller.ts";

export function isDaemonSet({ apiVersion, kind }: KubeObject): boolean {
  return groupOf(apiVersion) === "apps" && kind === "DaemonSet";
}

/**
 * Counts the nodes on which a DaemonSet with this Pod spec runs.
 * The result is undefined if qvs can't read nodes.
 */
export function countDaemonNodes(
  planned: KubeObject,
  { id }: Pick<Change, "id">,
  pod: JsonObject,
  facts: ClusterFacts,
): number | undefined {
  const { nodes } = facts;
  if (!nodes.known) return undefined;
  const labels = labelsAt(at(planned, "spec", "template", "metadata", "labels"));
  const ephemeralClaim = ephemeralClaims(facts);
  const surroundings = { namespaces: new Map(), claims: new Map(), ephemeralClaim };
  const shape = createPodShape({ namespace: id.namespace, labels, spec: pod }, surroundings);
  const all = nodes.value.map((each) => schedulingNode(each));
  return nodesForDaemon(shape, all).length;
}

/**
 * Reports whether the deployment waits for Pods of the object.
 * A DaemonSet that matches no node has no Pods and is ready.
 */
export function awaitsPodsOnNodes(change: Change, facts: ClusterFacts): boolean {
  if (!awaitsPods(change)) return false;
  const planned = asPlanned(change);
  const pod = samplePodSpec(change, facts);
  if (!isDaemonSet(planned) || pod === undefined) return true;
  return countDaemonNodes(planned, change, pod, facts) !== 0;
}
