import pMap from "p-map";
import { listAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { Fact, SchedulingFacts } from "../../preflight/facts.ts";
import { workloadsOf } from "../../preflight/rollouts/workload.ts";

type Objects = Fact<readonly KubeObject[]>;

const nothing: Objects = { known: true, value: [] };

/** Where Pods may run, and what runs there: only for a plan that rolls something out. */
export async function readSchedulingFacts(cluster: Cluster, plan: Plan): Promise<SchedulingFacts> {
  const workloads = workloadsOf(plan);
  if (workloads.length === 0) return noFacts;
  const namespaces = [...new Set(workloads.map(({ change }) => change.id.namespace))].toSorted();
  const withClaims = workloads.some(({ spec }) => usesClaims(spec));
  const all = (apiVersion: string, kind: string) => list(cluster, apiVersion, kind, [undefined]);
  const own = (apiVersion: string, kind: string) => list(cluster, apiVersion, kind, namespaces);
  const [nodes, pods, replicaSets, known, priorityClasses, claims, volumes, autoscaler] =
    await Promise.all([
      all("v1", "Node"),
      all("v1", "Pod"),
      own("apps/v1", "ReplicaSet"),
      all("v1", "Namespace"),
      all("scheduling.k8s.io/v1", "PriorityClass"),
      withClaims ? own("v1", "PersistentVolumeClaim") : nothing,
      withClaims ? all("v1", "PersistentVolume") : nothing,
      findAutoscaler(cluster),
    ]);
  const placed = { nodes, pods, replicaSets, namespaces: known };
  return { ...placed, priorityClasses, claims, volumes, autoscaler };
}

const noFacts: SchedulingFacts = {
  nodes: nothing,
  pods: nothing,
  replicaSets: nothing,
  namespaces: nothing,
  priorityClasses: nothing,
  claims: nothing,
  volumes: nothing,
  autoscaler: undefined,
};

async function list(
  cluster: Cluster,
  apiVersion: string,
  kind: string,
  namespaces: readonly (string | undefined)[],
): Promise<Objects> {
  const answers = await pMap(namespaces, (each) => cluster.list(apiVersion, kind, each), {
    concurrency: 4,
  });
  const value: KubeObject[] = [];
  for (const answer of answers) {
    if (answer.ok) value.push(...answer.value.items);
    // A namespace that this deployment makes has nothing in it.
    else if (answer.failure.reason !== "not-found") {
      return { known: false, why: answer.failure.message };
    }
  }
  return { known: true, value };
}

function usesClaims(spec: Parameters<typeof listAt>[0]): boolean {
  return (
    listAt(spec, "volumeClaimTemplates").length > 0 ||
    listAt(spec, "template", "spec", "volumes").some(
      (volume) => textAt(volume, "persistentVolumeClaim", "claimName") !== undefined,
    )
  );
}

const unreadableAutoscaler = "a cluster autoscaler (whether there is one can't be read)";

/** What adds nodes as they are needed: then a Pod without a place is not without one for ever. undefined: nothing does. */
export async function findAutoscaler(cluster: Cluster): Promise<string | undefined> {
  const pool = await cluster.preferredKind("karpenter.sh", "NodePool");
  if (pool.ok) return "Karpenter";
  const status = await cluster.read({
    ...{ apiVersion: "v1", kind: "ConfigMap", namespace: "kube-system" },
    name: "cluster-autoscaler-status",
  });
  if (status.ok && status.value !== undefined) return "The cluster autoscaler";
  const isAnswered = status.ok && pool.failure.reason === "unknown-kind";
  return isAnswered ? undefined : unreadableAutoscaler;
}
