import { hasSameDefaults } from "../../model/cluster/fields/object-defaults.ts";
import { findSuspension, mayStaySuspended } from "../../model/cluster/suspension.ts";
import type { ObjectResult } from "../../model/deployments/release.ts";
import { rollsOutByReplicaSets } from "../../model/kinds.ts";
import { addressOf, type KubeObject, nameOf } from "../../model/object.ts";
import { type Change, type ChangeAction, fieldManager } from "../../model/plan/plan.ts";
import { readWaitPolicy } from "../../model/plan/wait-policy.ts";
import { fieldOwners } from "../../ssa/managed-fields.ts";
import { awaitReplacedJobs } from "../deletion/await-job.ts";
import { explainFailure, type FailureExplanation } from "../failure/explain-failure.ts";
import { fail } from "../failure/fail.ts";
import { awaitCrdServed, definedKind, isCrdObject } from "../readiness/await-crd-served.ts";
import { awaitObject, failUnready } from "../readiness/await-object.ts";
import type { Readiness } from "../readiness/await-ready.ts";
import { firstStatusLimit } from "../readiness/first-status.ts";
import type { ApplyRun } from "../run.ts";
import { checkRequirements, withLiveValues } from "./live-references.ts";
import { performSteps } from "./send-change.ts";
import { stepExecutions } from "./upsert.ts";

/**
 * Applies one change: sends the object if it differs, then waits until it is ready.
 * Returns false if it isn't ready.
 */
export async function applyChange(run: ApplyRun, planned: Change): Promise<boolean> {
  const change = withLiveValues(planned, run.ledger.liveObjects);
  if ("missing" in change) return fail(run, planned, explainMissingValue(change.missing));
  const written = await writeChange(run, change);
  if (written === undefined) return false;
  const concurrentCreation = concurrentCreationNotice(run, change, written);
  if (concurrentCreation !== undefined) run.ledger.markPreExisting(change.key);
  const requirements = run.requirements.get(change.key) ?? [];
  const affected = markAffected(run, change);
  const checkRequirement = (object: KubeObject) => checkRequirements(requirements, object);
  const policy = readWaitPolicy(change.desired);
  const firstStatusMs = await firstStatusLimit(run, change, written);
  const waitOptions = { affected, suspends: mayStaySuspended(change), firstStatusMs, policy };
  const readiness = await awaitObject(
    run,
    change.key,
    written,
    waitOptions,
    checkRequirement,
    change.live,
  );
  return concludeChange(run, change, readiness, concurrentCreation);
}

/**
 * Records a suspended rollout, and an object that is suspended by its status. Its manifest doesn't
 * declare that, so its work isn't done.
 */
function markPaused({ ledger }: ApplyRun, { id }: Change, live: KubeObject): void {
  const isRollout = rollsOutByReplicaSets(id);
  if (isRollout || findSuspension(live) === undefined)
    ledger.markPaused({ name: nameOf(id), isRollout });
}

/**
 * Explains a reference without a value.
 * The object that it refers to is suspended on purpose, such as a paused rollout, so this run
 * didn't wait for it.
 */
function explainMissingValue(text: string): FailureExplanation {
  return {
    code: "unresolved-reference",
    what: `${text} has no value`,
    fix: "Resume the object that it belongs to, for example a paused rollout, then run again",
  };
}

/** Returns the object as the API server has it now. Undefined if it was rejected or not sent. */
async function writeChange(run: ApplyRun, change: Change): Promise<KubeObject | undefined> {
  if (run.cancellation.signal.aborted) return undefined;
  if (change.action === "unchanged" && change.live !== undefined) {
    if (change.isCreatedByThisRun) reportApplied(run, change);
    return run.requirements.has(change.key) ? rereadObject(run, change, change.live) : change.live;
  }
  if (!(await awaitReplacedJobs(run, change))) return undefined;
  const written = await performSteps(run, change, stepExecutions(change, run.plan.deployment));
  if (written === undefined) return undefined;
  reportApplied(run, change);
  return written;
}

function reportApplied({ world }: ApplyRun, change: Change): void {
  world.progress.report({ type: "applied", key: change.key, action: overallAction(change) });
}

/** Reads an object again, because references use its current state, not the state in the plan. */
async function rereadObject(
  run: ApplyRun,
  change: Change,
  live: KubeObject,
): Promise<KubeObject | undefined> {
  const answer = await run.limit(() => run.world.cluster.read(addressOf(live)));
  if (answer.ok && answer.value !== undefined) return answer.value;
  fail(run, change, answer.ok ? deletedSincePlan : explainFailure(answer.failure, change.desired));
  return undefined;
}

const deletedSincePlan: FailureExplanation = {
  code: "object-changed",
  what: "it was deleted after the plan was made",
  fix: "Run again: the new plan starts from the current state of the cluster",
};

/**
 * Returns a remark if another client created the object after the plan was made.
 * An update names the UID, but a create request can't require that no object exists. It then joins
 * the other client's object. If qvs created the object, the response names only qvs as owner. After
 * a lost response, it can also name controllers that wrote the status.
 */
function concurrentCreationNotice(
  { plan }: ApplyRun,
  { action, stage }: Change,
  written: KubeObject,
): string | undefined {
  if (action !== "create" && action !== "replace") return undefined;
  const own = fieldManager(plan.deployment, stage);
  const creators = fieldOwners(written).filter(
    ({ manager, subresource }) => manager !== own && subresource === "",
  );
  if (creators.length === 0) return undefined;
  const names = [...new Set(creators.map(({ manager }) => manager))].toSorted().join(", ");
  return `${names} created it after the plan was made; it is now shared`;
}

async function concludeChange(
  run: ApplyRun,
  change: Change,
  readiness: Readiness,
  creationNotice: string | undefined,
): Promise<boolean> {
  const { key, action } = change;
  switch (readiness.state) {
    case "ready":
      if (action !== "unchanged") await awaitPropagation(run, change, readiness.object);
      return recordSuccess(run, change, joinNotices(creationNotice, readiness.notice));
    case "suspended":
      markPaused(run, change, readiness.object);
      return recordSuccess(run, change, joinNotices(creationNotice, readiness.why));
    case "stopped":
      run.ledger.recordUnfinished(
        key,
        successOutcome(change),
        `not confirmed as ready: ${readiness.why}`,
      );
      return false;
    case "failed":
    case "timed out":
    case "stalled":
      return failUnready(run, change, readiness, readWaitPolicy(change.desired));
  }
}

/**
 * Waits until the API server uses a definition, or an object that sets defaults, for other objects.
 */
async function awaitPropagation(run: ApplyRun, change: Change, written: KubeObject): Promise<void> {
  if (isCrdObject(written)) return awaitCrdPropagation(run, change, written);
  if (!hasSameDefaults(change.id, change.live, written) && hasDependents(run, change.key)) {
    await run.world.clock.sleep(propagationMs);
  }
}

/**
 * Waits until the API server uses a definition. Later objects of this run or the next depend on it.
 */
async function awaitCrdPropagation(
  run: ApplyRun,
  { live }: Change,
  crd: KubeObject,
): Promise<void> {
  const { clock } = run.world;
  if (live !== undefined) {
    await clock.sleep(propagationMs);
    run.ledger.markCrdChanged(definedKind(crd), clock.elapsed());
  }
  await awaitCrdServed(crd, { ...run.world, signal: run.cancellation.signal });
}

/** Reports whether this run writes an object after the one with this key. */
function hasDependents({ plan }: ApplyRun, key: string): boolean {
  const isDependent = ({ action, after }: Change) =>
    action !== "unchanged" && after.some(({ on }) => on === key);
  return plan.changes.some(isDependent);
}

/**
 * The wait until all API server replicas use a change.
 * Each replica reads a change on its own, some milliseconds after the write.
 */
const propagationMs = 1_000;

function joinNotices(...notices: readonly (string | undefined)[]): string | undefined {
  return notices.filter((notice) => notice !== undefined).join("; ") || undefined;
}

function recordSuccess(run: ApplyRun, change: Change, notice: string | undefined): true {
  run.ledger.record(change.key, successOutcome(change), notice ?? "");
  run.world.progress.report({ type: "ready", key: change.key, notice });
  return true;
}

/** Returns the action of the whole run on an object. */
function overallAction({ action, isCreatedByThisRun }: Change): ChangeAction {
  return isCreatedByThisRun ? "create" : action;
}

function successOutcome(change: Change): ObjectResult["outcome"] {
  switch (overallAction(change)) {
    case "create":
      return "created";
    case "update":
      return "updated";
    case "replace":
      return "replaced";
    case "unchanged":
      return "unchanged";
  }
}

/**
 * Records and returns whether this run changes an object or any of its dependencies.
 * An example is a missing Secret that its Pods need to start. The earlier status might then be
 * outdated. Dependencies are always processed first.
 */
function markAffected({ ledger }: ApplyRun, { key, action, after }: Change): boolean {
  const isAffected = action !== "unchanged" || after.some(({ on }) => ledger.isAffected(on));
  if (isAffected) ledger.markAffected(key);
  return isAffected;
}
