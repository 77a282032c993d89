import type { KubeObject } from "../model/object.ts";
import type { Plan } from "../model/plan.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { ClusterFacts, Fact } from "../preflight/facts.ts";
import { dryRunPods } from "./dry-run-pods.ts";

const nothing: Fact<readonly KubeObject[]> = { known: true, value: [] };

/** Reads what of the cluster decides how this plan ends; what may not be read is a fact, too. */
export async function readFacts(
  cluster: Cluster,
  plan: Plan,
  concurrency: number,
): Promise<ClusterFacts> {
  const samplePods = await dryRunPods(cluster, plan, concurrency);
  return { nodes: nothing, pods: nothing, replicaSets: nothing, samplePods };
}
