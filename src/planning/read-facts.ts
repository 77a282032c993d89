import type { Plan } from "../model/plan.ts";
import { noUpstreamDeployments } from "../model/upstream-deployments.ts";
import type { ClusterFacts } from "../preflight/cluster-facts.ts";
import { dryRunClaims, dryRunPods } from "./dry-run-pods.ts";
import { readDependencies } from "./facts/dependencies.ts";
import { readAdmission, readKinds, readOwners, readQuotas } from "./facts/read-facts.ts";
import { readOutsideReferrers, readReferrers, readUsers } from "./facts/referrers.ts";
import { readSchedulingFacts } from "./facts/scheduling.ts";
import { type FactsReader, readUnready } from "./facts/unready.ts";

/**
 * Reads the facts about the cluster that decide the outcome of this plan.
 * A denied read is a fact, too.
 */
export async function readFacts(
  reader: FactsReader,
  plan: Plan,
  upstream = noUpstreamDeployments,
): Promise<ClusterFacts> {
  const { cluster, concurrency } = reader;
  const before = {
    upstreamChanges: [...upstream.changes.values()],
    upstreamDeletions: [...upstream.deleted.values()],
  };
  const [
    scheduling,
    samplePods,
    sampleClaims,
    quotas,
    dependencies,
    users,
    near,
    outside,
    kinds,
    unready,
    owners,
    admissionObjects,
  ] = await Promise.all([
    readSchedulingFacts(cluster, plan),
    dryRunPods(cluster, plan, concurrency),
    dryRunClaims(cluster, plan, concurrency),
    readQuotas(cluster, plan, concurrency),
    readDependencies(cluster, plan, concurrency),
    readUsers(cluster, plan, concurrency),
    readReferrers(cluster, plan, concurrency),
    readOutsideReferrers(cluster, plan, concurrency),
    readKinds(cluster, plan),
    readUnready(reader, plan, upstream),
    readOwners(cluster, plan, concurrency),
    readAdmission(cluster, plan, before),
  ]);
  const referrers = new Map([...near, ...outside]);
  const samples = { samplePods, sampleClaims };
  const read = {
    ...samples,
    quotas,
    dependencies,
    users,
    referrers,
    kinds,
    unready,
    owners,
    admissionObjects,
  };
  return { ...scheduling, ...read, ...before };
}
