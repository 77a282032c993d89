import { applyPlan } from "../apply/apply.ts";
import type { ApplyResult } from "../apply/result.ts";
import { UserError, userError } from "../errors.ts";
import type { LayoutNode, Manifest } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import type { DeployEvent } from "../model/event.ts";
import type { Plan } from "../model/plan.ts";
import type { InputConfig, Release, ReleaseSource } from "../model/release.ts";
import { toReleased } from "../plan/desired.ts";
import { historyOf } from "../releases/history.ts";
import { inventoryOf } from "../releases/inventory.ts";
import { problemOfOtherSource } from "../releases/other-source.ts";
import { pendingRelease } from "../releases/record.ts";
import { type GatheredPlan, gatherPlan } from "./gather-plan.ts";
import { pruneAfter, recordOutcome } from "./record-outcome.ts";
import { releaseSource } from "./release-source.ts";
import { type RecordedReleases, readReleases, recordPending } from "./release-store.ts";
import type { DeployContext } from "./under-lock.ts";
import type { World } from "./world.ts";

/** What is to be there: compiled just now, or recorded by an earlier release. */
export interface Wanted {
  readonly manifests: readonly Manifest[];
  readonly input: InputConfig;
  readonly layout: LayoutNode;
  readonly rollbackOf: number | undefined;
}

export interface DeployOutcome {
  readonly plan: Plan;
  readonly release: Release;
  readonly result: ApplyResult;
}

/** Plan, record as pending, apply, record the end: the part of a deployment that happens under its lock. */
export async function carryOut(
  world: World,
  context: DeployContext,
  wanted: Wanted,
): Promise<DeployOutcome> {
  const { target, lock, deployment, options } = context;
  const { cluster } = target;
  const recorded = await readReleases(cluster, deployment, world);
  if (!recorded.ok) throw new UserError(recorded.problems);
  const source = await releaseSource(world, deployment);
  if (!options.adopt) refuseOtherSource(recorded.value, source, deployment);
  const gathered = await planWanted(world, context, wanted, recorded.value);
  const { plan } = gathered;
  const progress = world.progress(deployment);
  progress.report(plannedEvent(plan));
  world.signal.throwIfAborted();
  if (lock.lost.aborted) throw lockLost(deployment.name);
  const pending = newRelease(world, recorded.value, gathered, { ...wanted, source });
  const head = await recordPending(cluster, pending, deployment.namespace, world);
  progress.report({ type: "recorded", revision: pending.revision });
  const { clock, signal } = world;
  const around = { cluster, clock, progress, signal, lost: lock.lost };
  const result = await applyPlan(plan, around, options.limits);
  const outcome = await recordOutcome(world, context, { plan, release: pending, result }, head);
  await pruneAfter(outcome, context, recorded.value);
  progress.report({ type: "finished", ending: endingOf(outcome.result) });
  return outcome;
}

function refuseOtherSource(
  { releases }: RecordedReleases,
  here: ReleaseSource,
  deployment: Deployment,
): void {
  const problem = problemOfOtherSource(releases, here, deployment);
  if (problem !== undefined) throw new UserError([problem]);
}

/** A plan that may be carried out. Throws a UserError with everything that stands in its way. */
async function planWanted(
  world: World,
  { target, deployment, options }: DeployContext,
  { manifests }: Wanted,
  { releases }: RecordedReleases,
): Promise<GatheredPlan> {
  const gathered = await gatherPlan(target.cluster, {
    deployment,
    manifests,
    inventory: inventoryOf(releases),
    history: historyOf(releases),
    policy: options.policy,
    purpose: "deploy",
    // Who approved a plan saw what a preview predicts, and a preview asks about every object.
    dryRuns: options.expectDigest === undefined ? "needed" : "all",
    concurrency: options.limits.concurrency,
    hash: world.hash,
  });
  if (!gathered.ok) throw new UserError(gathered.problems);
  refuseOtherPlan(gathered.value.plan, options.expectDigest);
  return gathered.value;
}

/** A digest may be given in full or by its first characters, as it is shown. */
function refuseOtherPlan(plan: Plan, expected: string | undefined): void {
  if (expected === undefined || (expected.length >= 8 && plan.digest.startsWith(expected))) return;
  throw userError(
    `The plan is ${plan.digest.slice(0, 12)}, not ${expected} as expected: the cluster or the configuration has changed`,
    "Look at the new plan with `qvs diff`, and approve that one",
  );
}

function lockLost(deployment: string): UserError {
  return userError(
    `The lock of "${deployment}" was lost while planning: another run may be deploying it`,
    "Run again when that run has ended",
  );
}

function newRelease(
  world: World,
  recorded: RecordedReleases,
  { plan, declared }: GatheredPlan,
  wanted: Wanted & { readonly source: ReleaseSource },
): Release {
  return pendingRelease(plan, recorded.releases, {
    revision: recorded.next,
    rollbackOf: wanted.rollbackOf,
    inputConfig: wanted.input,
    expandedConfig: toReleased(declared),
    layout: wanted.layout,
    source: wanted.source,
    startedAt: world.clock.now().toISOString(),
  });
}

function plannedEvent(plan: Plan): DeployEvent {
  const unchanged = plan.changes.filter(({ action }) => action === "unchanged").length;
  const upserts = plan.changes.length - unchanged;
  return { type: "planned", upserts, deletions: plan.deletions.length, unchanged };
}

function endingOf({ succeeded, stopped }: ApplyResult): "succeeded" | "failed" | "cancelled" {
  if (succeeded) return "succeeded";
  return stopped === "cancelled" ? "cancelled" : "failed";
}
