import { applyPlan } from "../apply/apply.ts";
import type { ApplyResult } from "../apply/result.ts";
import { type UserError, userError } from "../errors.ts";
import type { DeployEvent } from "../model/event.ts";
import type { Plan } from "../model/plan.ts";
import type { Release } from "../model/release.ts";
import { pendingRelease } from "../releases/record.ts";
import { planWanted, type Wanted, type WantedPlan } from "./plan-wanted.ts";
import { pruneAfter, recordOutcome } from "./record-outcome.ts";
import { recordPending } from "./release-store.ts";
import type { DeployContext } from "./under-lock.ts";
import type { World } from "./world.ts";

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
  const { lock, deployment, options } = context;
  const { cluster } = lock;
  const progress = world.progress(deployment);
  progress.report({ type: "preparing", step: "planning" });
  const planned = await planWanted(world, { cluster, deployment, options }, wanted, "needed");
  const { plan, recorded } = planned;
  progress.report(plannedEvent(plan));
  world.signal.throwIfAborted();
  if (lock.lost.aborted) throw lockLost(deployment.name);
  const pending = newRelease(world, planned, wanted);
  const head = await recordPending(cluster, pending, deployment.namespace, world);
  progress.report({ type: "recorded", revision: pending.revision });
  const { clock, signal } = world;
  const around = { cluster, clock, progress, signal, lost: lock.lost };
  const stop = () => progress.report({ type: "stopping" });
  signal.addEventListener("abort", stop);
  const result = await applyPlan(plan, around, options.limits);
  signal.removeEventListener("abort", stop);
  const outcome = await recordOutcome(world, context, { plan, release: pending, result }, head);
  await pruneAfter(outcome, context, recorded);
  progress.report({ type: "finished", ending: endingOf(outcome.result) });
  return outcome;
}

function lockLost(deployment: string): UserError {
  return userError(
    `The lock of "${deployment}" was lost while planning: another run may be deploying it`,
    "Run again when that run has ended",
  );
}

function newRelease(
  world: World,
  { plan, expandedConfig, recorded, source }: WantedPlan,
  { rollbackOf, input, layout }: Wanted,
): Release {
  return pendingRelease(plan, recorded.releases, {
    revision: recorded.next,
    rollbackOf,
    inputConfig: input,
    expandedConfig,
    layout,
    source,
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
