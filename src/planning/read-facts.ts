import { nothingEarlier } from "../model/earlier.ts";
import type { Plan } from "../model/plan.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { ClusterFacts } from "../preflight/facts.ts";
import { dryRunClaims, dryRunPods } from "./dry-run-pods.ts";
import { readDependencies } from "./facts/dependencies.ts";
import { readNamers } from "./facts/namers.ts";
import { readQuotas } from "./facts/quotas.ts";
import { readSchedulingFacts } from "./facts/scheduling.ts";

/** Reads what of the cluster decides how this plan ends; what may not be read is a fact, too. */
export async function readFacts(
  cluster: Cluster,
  plan: Plan,
  concurrency: number,
  earlier = nothingEarlier,
): Promise<ClusterFacts> {
  const [scheduling, samplePods, sampleClaims, quotas, dependencies, namers] = await Promise.all([
    readSchedulingFacts(cluster, plan),
    dryRunPods(cluster, plan, concurrency),
    dryRunClaims(cluster, plan, concurrency),
    readQuotas(cluster, plan, concurrency),
    readDependencies(cluster, plan, concurrency),
    readNamers(cluster, plan, concurrency),
  ]);
  const before = {
    earlier: [...earlier.changes.values()],
    earlierDeleted: [...earlier.deleted.values()],
  };
  const read = { samplePods, sampleClaims, quotas, dependencies, namers };
  return { ...scheduling, ...read, ...before };
}
