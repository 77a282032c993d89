import pMap from "p-map";
import { addressOf, type KubeObject } from "../model/object.ts";
import { type ClaimGrowth, fieldManager } from "../model/plan.ts";
import {
  type CheckedGrowth,
  type ClaimGrowthFacts,
  smallerClaims,
} from "../plan/changes/claim-growth.ts";
import type { DesiredObject } from "../plan/declared/objects.ts";
import type { DryRunResults, PlanRules } from "../plan/plan-input.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { growClaimPatch } from "../ssa/steps/grow-claims.ts";

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
