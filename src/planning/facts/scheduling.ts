import pMap from "p-map";
import { usesClaims } from "../../model/cluster/persistent-volume-claims.ts";
import { listAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import { type Cluster, sharedReads } from "../../ports/kubernetes.ts";
import {
  type ClusterFact,
  knownValues,
  type SchedulingFacts,
} from "../../preflight/cluster-facts.ts";
import { startsWithClaims } from "../../preflight/rollouts/claim-rules.ts";
import { rolledOutWorkloads, unrolledWorkloads } from "../../preflight/rollouts/workload.ts";
import { isNewClaim } from "../../preflight/rules/unbindable-claims.ts";

type ObjectsFact = ClusterFact<readonly KubeObject[]>;

const noObjects: ObjectsFact = { known: true, value: [] };

/** Reads nodes, running Pods and storage, if the plan creates Pods or claims volumes. */
export async function readSchedulingFacts(cluster: Cluster, plan: Plan): Promise<SchedulingFacts> {
  const workloads = rolledOutWorkloads(plan);
  const makers = unrolledWorkloads(plan);
  const claimNamespaces = changedNamespaces(plan.changes.filter(startsWithClaims));
  const isClaiming = plan.changes.some(isNewClaim);
  // A workload without replicas starts no rollout, but it still uses the existing claims.
  if (workloads.length + makers.length === 0) {
    if (isClaiming) return { ...noFacts, ...(await readStorage(cluster, claimNamespaces)) };
    const claims = await listObjects(cluster, "v1", "PersistentVolumeClaim", claimNamespaces);
    return { ...noFacts, claims };
  }
  const namespaces = makerNamespaces([...workloads, ...makers]);
  const withClaims =
    isClaiming ||
    claimNamespaces.length > 0 ||
    workloads.some(({ spec }) => usesClaims(spec)) ||
    makers.some(({ pod }) => usesClaims({ template: { spec: pod } }));
  const shared = sharedReads(cluster);
  const all = (apiVersion: string, kind: string) =>
    listObjects(shared, apiVersion, kind, [undefined]);
  const running = all("v1", "Pod");
  const [nodes, pods, replicaSets, known, classes, storage, autoscaler] = await Promise.all([
    all("v1", "Node"),
    running,
    listObjects(cluster, "apps/v1", "ReplicaSet", makerNamespaces(workloads)),
    all("v1", "Namespace"),
    all("scheduling.k8s.io/v1", "PriorityClass"),
    withClaims
      ? readStorage(cluster, [...new Set([...namespaces, ...claimNamespaces])])
      : noStorage,
    findAutoscaler(cluster, running),
  ]);
  const placed = { nodes, pods, replicaSets, namespaces: known };
  return { ...placed, priorityClasses: classes, ...storage, autoscaler };
}

function makerNamespaces(makers: readonly { readonly change: Change }[]): readonly string[] {
  return changedNamespaces(makers.map(({ change }) => change));
}

function changedNamespaces(changes: readonly Change[]): readonly string[] {
  return [...new Set(changes.map(({ id }) => id.namespace))].toSorted();
}

async function readStorage(cluster: Cluster, namespaces: readonly string[]) {
  const shared = sharedReads(cluster);
  const [claims, volumes, storageClasses, csiNodes] = await Promise.all([
    listObjects(cluster, "v1", "PersistentVolumeClaim", namespaces),
    listObjects(shared, "v1", "PersistentVolume", [undefined]),
    listObjects(shared, "storage.k8s.io/v1", "StorageClass", [undefined]),
    listObjects(shared, "storage.k8s.io/v1", "CSINode", [undefined]),
  ]);
  return { claims, volumes, storageClasses, csiNodes };
}

const noStorage = {
  claims: noObjects,
  volumes: noObjects,
  storageClasses: noObjects,
  csiNodes: noObjects,
};

const noFacts: SchedulingFacts = {
  nodes: noObjects,
  pods: noObjects,
  replicaSets: noObjects,
  namespaces: noObjects,
  priorityClasses: noObjects,
  ...noStorage,
  autoscaler: undefined,
};

async function listObjects(
  cluster: Pick<Cluster, "list">,
  apiVersion: string,
  kind: string,
  namespaces: readonly (string | undefined)[],
): Promise<ObjectsFact> {
  const answers = await pMap(namespaces, (each) => cluster.list(apiVersion, kind, each), {
    concurrency: 4,
  });
  const [only, ...others] = answers;
  // The same array shows that the answer is shared, so that what follows from it is computed once.
  if (only?.ok === true && others.length === 0) return { known: true, value: only.value.items };
  const value: KubeObject[] = [];
  for (const answer of answers) {
    if (answer.ok) value.push(...answer.value.items);
    // A namespace that this deployment creates is empty.
    else if (answer.failure.reason !== "not-found") {
      return { known: false, why: answer.failure.message };
    }
  }
  return { known: true, value };
}

const unreadableAutoscaler = "a cluster autoscaler (qvs can't read whether one exists)";

/**
 * Returns the name of the component that adds nodes on demand; undefined if there is none.
 * With such a component, a Pod that fits on no node doesn't stay pending.
 */
export async function findAutoscaler(
  cluster: Cluster,
  pods: Promise<ObjectsFact>,
): Promise<string | undefined> {
  const [karpenter, status, running] = await Promise.all([
    findKarpenter(cluster),
    sharedReads(cluster).read({
      ...{ apiVersion: "v1", kind: "ConfigMap", namespace: "kube-system" },
      name: "cluster-autoscaler-status",
    }),
    pods,
  ]);
  if (karpenter !== undefined && karpenter !== unreadableAutoscaler) return karpenter;
  const exists = status.ok && status.value !== undefined;
  if (exists || knownValues(running).some(runsAutoscaler)) return "The cluster autoscaler";
  return status.ok ? karpenter : unreadableAutoscaler;
}

/** Returns Karpenter only if it has a NodePool; without one it adds no nodes. */
async function findKarpenter(cluster: Cluster): Promise<string | undefined> {
  const shared = sharedReads(cluster);
  const kind = await shared.preferredKind("karpenter.sh", "NodePool");
  if (!kind.ok) return kind.failure.reason === "unknown-kind" ? undefined : unreadableAutoscaler;
  const apiVersion = `karpenter.sh/${kind.value.version}`;
  const pools = await shared.list(apiVersion, "NodePool", undefined);
  if (!pools.ok) return "Karpenter (qvs can't read its NodePools)";
  return pools.value.items.length > 0 ? "Karpenter" : undefined;
}

/**
 * Reports whether the Pod runs the cluster autoscaler.
 * Its status ConfigMap can be in another namespace, or not exist at all.
 */
function runsAutoscaler(pod: KubeObject): boolean {
  return listAt(pod, "spec", "containers").some((container) =>
    /(^|\/)cluster-autoscaler(-amd64|-arm64)?(:|@|$)/.test(textAt(container, "image") ?? ""),
  );
}
