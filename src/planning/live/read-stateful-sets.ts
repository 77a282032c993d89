import pMap from "p-map";
import { apiProblem } from "../../model/cluster/api/api-failure.ts";
import type { LiveObjects } from "../../model/deployments/release.ts";
import { addressOf, type KubeObject, nameOf } from "../../model/object.ts";
import { type ClaimGrowth, fieldManager } from "../../model/plan/plan.ts";
import { failed, ok, type Result, resultProblems } from "../../model/problems/problem.ts";
import {
  type CheckedGrowth,
  type ClaimGrowthFacts,
  smallerClaims,
} from "../../plan/changes/claim-growth.ts";
import type { DeclaredObject, DesiredObject } from "../../plan/declared/objects.ts";
import { orphanedReplicas } from "../../plan/ownership/orphaned-pods.ts";
import type { DryRunResults, PlanRules } from "../../plan/plan-input.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { growClaimPatch } from "../../ssa/steps/grow-claims.ts";
import { allowsOrphans, isStatefulSet } from "../../ssa/steps/orphan.ts";

interface GrowthContext {
  readonly rules: Pick<PlanRules, "deployment">;
  readonly dryRuns: DryRunResults;
  readonly concurrency: number;
}

/**
 * Reads the claims of each StatefulSet that is replaced without its Pods.
 * A dry run of each claim shows whether its StorageClass and the quota allow the new size.
 */
export async function readClaimGrowth(
  cluster: Cluster,
  objects: readonly DesiredObject[],
  context: GrowthContext,
): Promise<ReadonlyMap<string, ClaimGrowthFacts>> {
  const sets = objects.filter(({ key }) =>
    context.dryRuns.get(key)?.steps.some(({ type }) => type === "orphan"),
  );
  const read = await pMap(
    sets,
    async (desired) => [desired.key, await readGrowth(cluster, desired, context)] as const,
    { concurrency: context.concurrency },
  );
  return new Map(read);
}

async function readGrowth(
  cluster: Cluster,
  { object, id, stage }: DesiredObject,
  { rules, concurrency }: GrowthContext,
): Promise<ClaimGrowthFacts> {
  const listed = await cluster.list("v1", "PersistentVolumeClaim", id.namespace);
  if (!listed.ok) return { claims: [], unread: listed.failure.message };
  const options = { fieldManager: fieldManager(rules.deployment, stage), dryRun: true };
  const byName = new Map(listed.value.items.map((claim) => [claim.metadata.name, claim]));
  const check = async (growth: ClaimGrowth): Promise<CheckedGrowth> => {
    const claim = byName.get(growth.name) as KubeObject;
    const answer = await cluster.patch(addressOf(claim), growClaimPatch(growth, claim), options);
    return answer.ok ? { growth } : { growth, failure: answer.failure };
  };
  const claims = await pMap(smallerClaims(object, listed.value.items), check, { concurrency });
  return { claims };
}

interface OrphanCount {
  readonly key: string;
  /** Undefined if there are no such Pods. */
  readonly count: number | undefined;
}

/**
 * Reads the number of replicas of each missing StatefulSet whose Pods might still run, by its key.
 * Without this number, its controller could delete Pods and their data.
 */
export async function readOrphanedReplicas(
  cluster: Cluster,
  declared: readonly DeclaredObject[],
  live: LiveObjects,
  concurrency: number,
): Promise<Result<ReadonlyMap<string, number>>> {
  const missing = declared.filter(
    ({ key, object }) => !live.has(key) && isStatefulSet(object) && allowsOrphans(object),
  );
  const counts = await pMap(
    missing,
    async ({ key, object, id }): Promise<Result<OrphanCount>> => {
      const listed = await cluster.list("v1", "Pod", id.namespace);
      if (!listed.ok)
        return failed([apiProblem(cluster, `list the Pods of ${nameOf(id)}`, listed.failure)]);
      return ok({ key, count: orphanedReplicas(object, listed.value.items) });
    },
    { concurrency },
  );
  const problems = counts.flatMap(resultProblems);
  if (problems.length > 0) return failed(problems);
  const known = counts.flatMap((each) =>
    each.ok && each.value.count !== undefined ? [[each.value.key, each.value.count] as const] : [],
  );
  return ok(new Map(known));
}
