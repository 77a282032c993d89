import type { Release } from "../../model/deployments/release.ts";
import type { ReleaseHistory } from "../../model/deployments/release-history.ts";
import { at, numberAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { RolloutForecast } from "../../model/plan/predictions.ts";
import { createPodShape } from "../scheduling/pod-shape.ts";
import type { SchedulingNode } from "../scheduling/scheduling-node.ts";
import { createSimulatedCluster, type SimulatedCluster } from "../scheduling/simulated-cluster.ts";
import { buildController } from "./build-controller.ts";
import type { ClusterSnapshot, LivePod } from "./cluster-snapshot.ts";
import type { OwnPod } from "./controller-input.ts";
import { isAvailable } from "./pod-group.ts";
import { maxRounds, placeWaiting, type SimulatedController } from "./simulation.ts";
import { rolledOutWorkloads, type Workload } from "./workload.ts";

/**
 * Predicts the ready Pods of each rollout that replaces Pods. It uses the simulated controllers on
 * nodes with room for every Pod, and needs only the plan, so a deployment and its preview have the
 * same forecast. The findings show whether the real nodes and quotas have room. Rollouts that keep
 * all Pods have none.
 */
export function forecastRollouts(plan: Plan, history: ReleaseHistory): readonly RolloutForecast[] {
  return rolledOutWorkloads(plan).flatMap((workload) => {
    const forecast = forecastRollout(workload);
    if (forecast === undefined) return [];
    const seconds = predictSeconds(forecast, history.releases);
    return [seconds === undefined ? forecast : { ...forecast, seconds }];
  });
}

function forecastRollout(workload: Workload): RolloutForecast | undefined {
  const { live, hasSameTemplate, change } = workload;
  if (live === undefined || hasSameTemplate) return undefined;
  const counts = liveCounts(workload, live);
  if (counts.pods === 0 || counts.pods > maxPods || workload.replicas > maxPods) return undefined;
  const { state, own } = idealCluster(workload, live, counts);
  const cluster = createSimulatedCluster(state.nodes);
  const controller = buildController(state, workload, own, {});
  for (const pod of controller.pods()) if (pod.node !== undefined) cluster.place(pod, pod.node);
  const found = simulateAvailability(controller, cluster);
  if (found === undefined || found.waves === 0) return undefined;
  const replicas = workload.kind === "DaemonSet" ? counts.pods : workload.replicas;
  const { leastReady, mostPods, waves } = found;
  const morePods = mostPods - Math.max(replicas, counts.pods);
  return { key: change.key, replicas, leastReady: Math.min(leastReady, replicas), morePods, waves };
}

/** The maximum number of Pods. The simulation of more takes too long for one line. */
const maxPods = 500;

interface LiveCounts {
  readonly pods: number;
  readonly ready: number;
}

function liveCounts({ kind }: Workload, live: KubeObject): LiveCounts {
  const status = (name: string) => numberAt(live, "status", name) ?? 0;
  if (kind === "DaemonSet")
    return { pods: status("desiredNumberScheduled"), ready: status("numberReady") };
  return { pods: status("replicas"), ready: status("readyReplicas") };
}

interface IdealCluster {
  readonly state: ClusterSnapshot;
  readonly own: readonly OwnPod[];
}

/** Returns nodes with room for every Pod, and the live Pods of the workload on them. */
function idealCluster(workload: Workload, live: KubeObject, counts: LiveCounts): IdealCluster {
  const { kind, uid, change } = workload;
  const nodes = Array.from({ length: kind === "DaemonSet" ? counts.pods : 1 }, (_, index) =>
    idealNode(`node-${index}`),
  );
  const hasSets = kind === "Deployment" || kind === "Rollout";
  const controller = hasSets ? `${uid} set` : uid;
  const shape: ClusterSnapshot["shape"] = ({ namespace, labels }) =>
    createPodShape({ namespace, labels, spec: {} }, noSurroundings);
  const podShape = shape({ namespace: change.id.namespace, labels: {}, spec: {} });
  const pods = Array.from({ length: counts.pods }, (_, index): LivePod => {
    const object = livePod(`${change.id.name}-${index}`, index < counts.ready);
    return { object, shape: podShape, controller, node: nodes[index % nodes.length] };
  });
  const replicaSets = hasSets ? [liveReplicaSet(live, uid, controller, counts.pods)] : [];
  return {
    state: { nodes, pods, replicaSets, samples: new Map(), shape },
    own: pods.map((pod) => ({ ...pod, owner: change.key })),
  };
}

const noSurroundings = {
  namespaces: new Map(),
  claims: new Map(),
  ephemeralClaim: () => {
    throw new Error("an empty Pod has no claims");
  },
};

function idealNode(name: string): SchedulingNode {
  const allocatable = new Map([["pods", 1_000_000]]);
  return { name, labels: {}, taints: [], allocatable, attachable: new Map() };
}

function livePod(name: string, isReady: boolean): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    status: { conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
  };
}

/** Returns the ReplicaSet of the live template, as its controller would have created it. */
function liveReplicaSet(
  live: KubeObject,
  owner: string,
  uid: string,
  replicas: number,
): KubeObject {
  const stable = textAt(live, "status", "stableRS") ?? "";
  const template = at(live, "spec", "template") ?? {};
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: uid,
      uid,
      labels: { "rollouts-pod-template-hash": stable },
      ownerReferences: [{ uid: owner, controller: true }],
    },
    spec: { replicas, template },
  };
}

/** The number of earlier rollouts that count. */
const maxEarlier = 5;

/** Returns the duration in seconds, from the median time that earlier rollouts took per wave. */
function predictSeconds(
  { key, waves }: RolloutForecast,
  newestFirst: readonly Release[],
): number | undefined {
  const perWave = newestFirst
    .flatMap(({ rollouts = [] }) => rollouts.filter((each) => each.key === key))
    .flatMap((each) =>
      each.observed === undefined || each.waves === 0 ? [] : [each.observed.seconds / each.waves],
    )
    .slice(0, maxEarlier)
    .toSorted((a, b) => a - b);
  const median = perWave[Math.floor(perWave.length / 2)];
  return median === undefined ? undefined : Math.max(1, Math.round(median * waves));
}

/** The ready Pods during a simulated rollout. */
interface Availability {
  readonly leastReady: number;
  readonly mostPods: number;
  /** The number of times that new Pods become ready one after another. */
  readonly waves: number;
}

/**
 * Simulates a rollout whose new Pods become ready late: the controller first does everything that
 * it can without them. This shows the smallest number of ready Pods. Undefined if the rollout
 * doesn't complete.
 */
function simulateAvailability(
  controller: SimulatedController,
  cluster: SimulatedCluster,
): Availability | undefined {
  let leastReady = countReady(controller);
  let mostPods = controller.pods().length;
  let waves = 0;
  const observe = () => {
    leastReady = Math.min(leastReady, countReady(controller));
    mostPods = Math.max(mostPods, controller.pods().length);
  };
  for (let round = 0; round < maxRounds; round++) {
    const changed = controller.reconcile(cluster);
    observe();
    if (controller.isComplete()) return { leastReady, mostPods, waves };
    if (changed) continue;
    // The new Pods become ready together.
    if (placeWaiting(controller.pods(), cluster, []) === 0) return undefined;
    waves++;
  }
  return undefined;
}

function countReady(controller: SimulatedController): number {
  return controller.pods().filter(isAvailable).length;
}
