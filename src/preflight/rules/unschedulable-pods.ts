import { at, type JsonObject } from "../../model/json.ts";
import { nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { ClusterFacts } from "../cluster-facts.ts";
import { obstaclePath } from "../field-paths.ts";
import {
  type ClusterSnapshot,
  createClusterSnapshot,
  withPlannedObjects,
} from "../rollouts/cluster-snapshot.ts";
import { missingForOnePod } from "../rollouts/missing-facts.ts";
import {
  describeStandstill,
  externalPlacement,
  type Standstill,
  standstillText,
} from "../rollouts/standstill.ts";
import { type UnrolledWorkload, unrolledWorkloads } from "../rollouts/workload.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";
import { labelsAt } from "../scheduling/selectors.ts";
import { createSimulatedCluster } from "../scheduling/simulated-cluster.ts";
import { rejectedKeys } from "./rejected-pods.ts";
import { capitalize } from "./sentences.ts";

/**
 * Reports new Jobs and similar objects whose Pods no node could ever run, even if it were empty.
 * A node that is only full now might have room later.
 */
export function unschedulablePods(input: PreflightInput): readonly Finding[] {
  const refused = rejectedKeys(input);
  const workloads = unrolledWorkloads(input.plan).filter(({ change }) => !refused.has(change.key));
  if (workloads.length === 0) return [];
  const planned = withPlannedObjects(input.facts, input.plan);
  const state = createClusterSnapshot({ ...planned, pods: { known: true, value: [] } }, input.plan);
  return workloads.flatMap((maker) => checkWorkload(maker, state, planned, input));
}

function checkWorkload(
  workload: UnrolledWorkload,
  state: ClusterSnapshot,
  facts: ClusterFacts,
  input: PreflightInput,
): readonly Finding[] {
  const missing = missingForOnePod(workload, facts);
  const why = missing?.why ?? externalPlacement(workload.pod);
  if (why !== undefined) return [unknownFinding(workload, why, missing?.fix ?? "", input)];
  const cluster = createSimulatedCluster(state.nodes);
  // Pods that its affinity requires can be added later, and Pods that it avoids can leave.
  const shape = { ...state.shape(samplePod(workload, state)), attracted: [] };
  if (cluster.nodes.some((node) => cluster.obstacle(shape, node) === undefined)) return [];
  return [unschedulableFinding(workload, describeStandstill(cluster, shape), input)];
}

/** Returns the Pod as the API server would store it, if a dry run succeeded. */
function samplePod({ change, pod, labels }: UnrolledWorkload, { samples }: ClusterSnapshot) {
  const { namespace } = change.id;
  const sample = samples.get(change.key);
  if (sample === undefined) return { namespace, labels, spec: pod };
  const spec = (at(sample, "spec") ?? {}) as JsonObject;
  return { namespace, labels: labelsAt(at(sample, "metadata", "labels")), spec };
}

function unschedulableFinding(
  workload: UnrolledWorkload,
  standstill: Standstill,
  input: PreflightInput,
): Finding {
  const { change, isAwaited } = workload;
  const { autoscaler } = input.facts;
  const emptied = standstill.usable === 0 ? [] : ["Even empty nodes have no place for it"];
  const later = autoscaler === undefined ? [] : [`${capitalize(autoscaler)} might add nodes`];
  return changeFinding(change, input.placeOf, {
    code: "never-fits",
    severity: isAwaited && autoscaler === undefined ? "error" : "warning",
    what: `${nameOf(change.id)}${failureText(workload)} on any node`,
    why: [standstillText(standstill), ...emptied, ...later].join(". "),
    fix: placementFix(workload, standstill),
    path: obstaclePath(standstill.mainObstacle, change.desired),
  });
}

function failureText({ change }: UnrolledWorkload): string {
  return change.id.kind === "Pod" ? " can't run" : ": its Pods can't run";
}

function placementFix({ change }: UnrolledWorkload, { mainObstacle }: Standstill): string {
  const isPod = change.id.kind === "Pod";
  if (mainObstacle?.type === "volume") {
    return `Add volumes for its claims on nodes that ${isPod ? "it" : "its Pods"} can use, or set a StorageClass that creates volumes`;
  }
  return `Change ${isPod ? "its node requirements" : "the node requirements of its Pods"}, or add suitable nodes`;
}

function unknownFinding(
  { change }: UnrolledWorkload,
  why: string,
  fix: string,
  { placeOf }: PreflightInput,
): Finding {
  return changeFinding(change, placeOf, {
    code: "rollout-unknown",
    severity: "note",
    what: `${nameOf(change.id)}: qvs can't predict whether any node can run its Pods`,
    why,
    fix,
  });
}
