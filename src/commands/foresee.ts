import { clearingPatch } from "../model/clearing.ts";
import { contentPatch } from "../model/json-patch.ts";
import { addressOf, type KubeObject } from "../model/object.ts";
import { fieldManager, type PlanPolicy } from "../model/plan.ts";
import type { LiveObjects } from "../model/release.ts";
import { renewalPatch } from "../model/renewal.ts";
import {
  blockedByDefaults,
  withCleared,
  withoutCleared,
} from "../plan/changes/blocking-defaults.ts";
import { objectsToReplace } from "../plan/changes/replacement.ts";
import { underFreeName } from "../plan/changes/under-free-name.ts";
import type { DesiredObject } from "../plan/declared/desired.ts";
import { contestsToSettle } from "../plan/ownership/contest.ts";
import { type OutdatedOwners, outdatedOwners } from "../plan/ownership/outdated-owners.ts";
import { type Losing, objectsThatLose } from "../plan/ownership/planned-adoption.ts";
import type { Foreseen, Prediction, Predictions } from "../plan/prediction.ts";
import type { Cluster } from "../ports.ts";
import { inParallel } from "./in-parallel.ts";

export interface ForeseeRequest {
  readonly deployment: string;
  readonly objects: readonly DesiredObject[];
  readonly live: LiveObjects;
  readonly policy: PlanPolicy;
  readonly concurrency: number;
}

/**
 * Asks the cluster what applying objects would do, by dry-runs. Where it refuses, what may be done about it is tried the same
 * way: taking fields over, clearing a default that is in the way, rewriting owners of an old version, making the object anew.
 */
export async function foresee(cluster: Cluster, request: ForeseeRequest): Promise<Foreseen> {
  const { deployment, objects, live, policy } = request;
  const first = await dryRun(cluster, objects, request);
  const contests = contestsToSettle(deployment, objects, live, first, policy.conflicts);
  const contested = contests.map(({ desired }) => desired);
  const settled = await dryRun(cluster, contested, request, true);
  const blocked = blockedByDefaults(deployment, objects, live, first);
  const cleared = await inParallel(blocked, request.concurrency, (one) =>
    foreseeCleared(cluster, one, request),
  );
  const predictions = new Map([...first, ...settled, ...cleared]);
  const losers = objectsThatLose(deployment, objects, live, predictions);
  const losing = new Map(
    await inParallel(losers, request.concurrency, (one) => foreseeLosing(cluster, one, request)),
  );
  const refused = [...losing].filter(([, { ok }]) => !ok);
  const outdated = outdatedOwners(objects, live, first);
  const renewable = await inParallel(outdated, request.concurrency, (one) =>
    foreseeRenewed(cluster, one, request),
  );
  const renewed = outdated.filter((_, index) => renewable[index]);
  return {
    predictions: new Map([...predictions, ...refused]),
    forces: new Map(contests.map(({ desired, forces }) => [desired.key, forces])),
    clears: new Map(blocked.map(({ desired, clearing }) => [desired.key, clearing])),
    losing,
    renews: new Map(renewed.map(({ desired, versions }) => [desired.key, versions])),
    replacements: await dryRun(
      cluster,
      objectsToReplace(objects, live, new Map([...first, ...refused])),
      request,
    ),
  };
}

/** Asked as an update: unlike applying, it goes by what is sent, whoever owns what. */
async function foreseeLosing(
  cluster: Cluster,
  { desired, live, left }: Losing,
  { deployment }: ForeseeRequest,
): Promise<readonly [string, Prediction]> {
  const options = { fieldManager: fieldManager(deployment, desired.stage), dryRun: true };
  const patch = contentPatch(live, left);
  return [desired.key, await cluster.patch(addressOf(desired.object), patch, options)];
}

/** Whether the owners may be rewritten and the object is valid by itself: how the two merge can't be asked about before. */
async function foreseeRenewed(
  cluster: Cluster,
  { desired, live }: OutdatedOwners,
  { deployment }: ForeseeRequest,
): Promise<boolean> {
  const options = { fieldManager: fieldManager(deployment, desired.stage), dryRun: true };
  const patch = renewalPatch(live, desired.object.apiVersion);
  const patched = await cluster.patch(addressOf(desired.object), patch, options);
  const { object } = underFreeName(desired);
  return patched.ok && (await cluster.apply(object, { ...options, force: false })).ok;
}

async function dryRun(
  cluster: Cluster,
  objects: readonly DesiredObject[],
  { deployment, concurrency }: ForeseeRequest,
  force = false,
): Promise<Predictions> {
  const answers = await inParallel(objects, concurrency, async ({ key, object, stage }) => {
    const options = { fieldManager: fieldManager(deployment, stage), dryRun: true, force };
    return [key, await cluster.apply(object, options)] as const;
  });
  return new Map(answers);
}

type Blocked = ReturnType<typeof blockedByDefaults>[number];

/** What the patch makes of its part and applying makes of the rest, since two dry-runs can't build on each other. */
async function foreseeCleared(
  cluster: Cluster,
  { desired, live, clearing }: Blocked,
  { deployment }: ForeseeRequest,
): Promise<readonly [string, Prediction]> {
  const manager = fieldManager(deployment, desired.stage);
  const options = { fieldManager: manager, dryRun: true };
  const patch = clearingPatch(live, clearing);
  const patched = await cluster.patch(addressOf(desired.object), patch, options);
  if (!patched.ok) return [desired.key, patched];
  const rest: KubeObject = withoutCleared(desired.object, clearing);
  const applied = await cluster.apply(rest, { ...options, force: false });
  if (!applied.ok) return [desired.key, applied];
  return [desired.key, { ok: true, value: withCleared(applied.value, patched.value, clearing) }];
}
