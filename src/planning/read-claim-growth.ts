import pMap from "p-map";
import { isOnlyImmutable } from "../model/cluster/api-messages/immutable.ts";
import { addressOf, type KubeObject } from "../model/object.ts";
import { type ClaimGrowth, fieldManager, isRecreated } from "../model/plan.ts";
import type { LiveObjects } from "../model/release.ts";
import {
  type CheckedGrowth,
  type ClaimGrowthFacts,
  hasLargerTemplate,
  smallerClaims,
} from "../plan/changes/claim-growth.ts";
import type { DesiredObject } from "../plan/declared/objects.ts";
import type { DryRunResults, PlanRules } from "../plan/plan-input.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import { growClaimPatch } from "../ssa/steps/grow-claims.ts";
import { isStatefulSet } from "../ssa/steps/orphan.ts";

interface GrowthContext {
  readonly rules: Pick<PlanRules, "deployment">;
  readonly live: LiveObjects;
  readonly dryRuns: DryRunResults;
  readonly foreign: ReadonlyMap<string, unknown>;
  readonly concurrency: number;
}

/**
 * Reads the claims of each StatefulSet whose update was rejected, and that could grow them.
 * A dry run of each claim shows whether its StorageClass and the quota allow the new size.
 */
export async function readClaimGrowth(
  cluster: Cluster,
  objects: readonly DesiredObject[],
  context: GrowthContext,
): Promise<ReadonlyMap<string, ClaimGrowthFacts>> {
  const sets = objects.filter((desired) => mayGrow(desired, context));
  const read = await pMap(
    sets,
    async (desired) => [desired.key, await readGrowth(cluster, desired, context)] as const,
    { concurrency: context.concurrency },
  );
  return new Map(read);
}

function mayGrow({ key, object }: DesiredObject, { live, dryRuns, foreign }: GrowthContext) {
  const present = live.get(key);
  const dryRun = dryRuns.get(key);
  if (present === undefined || dryRun === undefined || foreign.has(key)) return false;
  if (!isStatefulSet(object)) return false;
  const { steps, alone } = dryRun;
  if (steps.some(({ type }) => type === "orphan")) return true;
  const isRejected = !alone.ok && isOnlyImmutable(alone.failure);
  return isRejected && !isRecreated(steps) && hasLargerTemplate(object, present);
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
