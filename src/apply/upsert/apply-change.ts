import { withSecretKind } from "../../model/apply-time-reference.ts";
import { hasSameDefaults } from "../../model/cluster/object-defaults.ts";
import { mayStaySuspended } from "../../model/cluster/suspension.ts";
import { addressOf, groupOf, type KubeObject, nameOf } from "../../model/object.ts";
import { type Change, type ChangeAction, fieldManager } from "../../model/plan.ts";
import type { ObjectResult } from "../../model/release.ts";
import { fieldOwners } from "../../ssa/managed-fields.ts";
import type { Execution } from "../../ssa/steps/step.ts";
import { transferredManagers } from "../../ssa/steps/transfer-ownership.ts";
import { awaitReplacedJobs } from "../deletion/await-job.ts";
import { removeOld } from "../deletion/remove-old.ts";
import { type Explanation, explainFailure } from "../failure/explain-failure.ts";
import { fail } from "../failure/fail.ts";
import type { Readiness } from "../readiness/await-ready.ts";
import { awaitServed, definesKind, kindDefinedBy } from "../readiness/await-served.ts";
import { failUnready, observe } from "../readiness/observe.ts";
import type { Run } from "../run.ts";
import { judgeDemands, withLiveValues } from "./live-references.ts";
import { executionsOf, type Sending, upsert } from "./upsert.ts";

/**
 * Applies one change: sends the object if it differs, then waits until it is ready.
 * Returns false if it isn't ready.
 */
export async function applyChange(run: Run, planned: Change): Promise<boolean> {
  const change = withLiveValues(planned, run.ledger.seen);
  if ("missing" in change) return fail(run, planned, withoutValue(change.missing));
  const written = await write(run, change);
  if (written === undefined) return false;
  const joins = madeMeanwhile(run, change, written);
  if (joins !== undefined) run.ledger.markMet(change.key);
  const demands = run.demands.get(change.key) ?? [];
  const affected = markAffected(run, change);
  const demand = (object: KubeObject) => judgeDemands(demands, object);
  const about = { affected, suspends: mayStaySuspended(change) };
  const readiness = await observe(run, change.key, written, about, demand, change.live);
  return settle(run, change, readiness, joins);
}

/**
 * Explains a reference without a value.
 * The object that it refers to is suspended on purpose, such as a paused rollout, so this run
 * didn't wait for it.
 */
function withoutValue(text: string): Explanation {
  return {
    code: "unresolved-reference",
    what: `${text} has no value`,
    fix: "Resume the object that it belongs to, for example a paused rollout, then run again",
  };
}

/** Returns the object as the API server has it now. Undefined if it was rejected or not sent. */
async function write(run: Run, change: Change): Promise<KubeObject | undefined> {
  if (run.halt.signal.aborted) return undefined;
  if (change.action === "unchanged" && change.live !== undefined) {
    if (change.isCreatedByThisRun) tellApplied(run, change);
    return run.demands.has(change.key) ? readAgain(run, change, change.live) : change.live;
  }
  if (!(await awaitReplacedJobs(run, change))) return undefined;
  const written = await perform(run, change, executionsOf(change, run.plan.deployment));
  if (written === undefined) return undefined;
  tellApplied(run, change);
  return written;
}

function tellApplied({ world }: Run, change: Change): void {
  world.progress.report({ type: "applied", key: change.key, action: actionOf(change) });
}

/** Reads an object again, because references use its current state, not the state in the plan. */
async function readAgain(
  run: Run,
  change: Change,
  live: KubeObject,
): Promise<KubeObject | undefined> {
  const answer = await run.limit(() => run.world.cluster.read(addressOf(live)));
  if (answer.ok && answer.value !== undefined) return answer.value;
  fail(run, change, answer.ok ? deletedSincePlan : explainFailure(answer.failure, change.desired));
  return undefined;
}

const deletedSincePlan: Explanation = {
  code: "object-changed",
  what: "it was deleted after the plan was made",
  fix: "Run again: the new plan starts from the current state of the cluster",
};

/**
 * Performs the steps of a change. All requests of a change share one slot of the concurrency limit.
 * A deletion waits until the object no longer exists, so it holds no slot.
 */
async function perform(
  run: Run,
  change: Change,
  executions: readonly Execution[],
): Promise<KubeObject | undefined> {
  const isDeleted = executions.some(({ by }) => by === "delete");
  if (isDeleted && !(await removeOld(run, change))) return undefined;
  const sendings = executions.filter((one) => one.by !== "delete");
  const remaining = isDeleted ? { ...change, live: undefined } : change;
  return run.limit(() =>
    mayStillSend(run, isDeleted) ? send(run, remaining, sendings, isDeleted) : undefined,
  );
}

/**
 * Reports whether a change that waited for its slot can still be sent.
 * If the run ended during the wait, the change isn't sent. After a deletion, only a lost lock
 * prevents the creation of the new object.
 */
function mayStillSend({ halt }: Run, isDeleted: boolean): boolean {
  return isDeleted ? halt.reason() !== "lock lost" : !halt.signal.aborted;
}

async function send(
  run: Run,
  change: Change,
  sendings: readonly Sending[],
  isDeleted: boolean,
): Promise<KubeObject | undefined> {
  const { halt, world } = run;
  const { key, action, steps } = change;
  world.progress.report({ type: "applying", key, action, transfers: transferredManagers(steps) });
  const answer = await upsert(change, sendings, {
    cluster: world.cluster,
    clock: world.clock,
    deployment: run.plan.deployment,
    justWritten: run.justWritten,
    definedAt: run.ledger.definedAt(`${change.id.group}/${change.id.kind}`),
    signal: isDeleted ? halt.urgent : halt.signal,
  });
  if (answer.ok) return answer.value.live;
  // The failure must be recorded before the next change gets the slot, so that it isn't sent.
  fail(run, change, explainFailure(answer.failure, withSecretKind(change.desired, change)));
  return undefined;
}

/**
 * Returns a remark if another client created the object after the plan was made.
 * An update names the UID, but a create request can't require that no object exists. It then joins
 * the other client's object. If qvs created the object, the response names only qvs as owner. After
 * a lost response, it can also name controllers that wrote the status.
 */
function madeMeanwhile(
  { plan }: Run,
  { action, stage }: Change,
  written: KubeObject,
): string | undefined {
  if (action !== "create" && action !== "replace") return undefined;
  const own = fieldManager(plan.deployment, stage);
  const makers = fieldOwners(written).filter(
    ({ manager, subresource }) => manager !== own && subresource === "",
  );
  if (makers.length === 0) return undefined;
  const names = [...new Set(makers.map(({ manager }) => manager))].toSorted().join(", ");
  return `${names} created it after the plan was made; it is now shared`;
}

async function settle(
  run: Run,
  change: Change,
  readiness: Readiness,
  remark: string | undefined,
): Promise<boolean> {
  const { key, action } = change;
  switch (readiness.state) {
    case "ready":
      if (action !== "unchanged") await awaitInEffect(run, change, readiness.object);
      return succeed(run, change, joined(remark, readiness.notice));
    case "suspended":
      if (rollsOut(change)) run.ledger.holdBack(nameOf(change.id));
      return succeed(run, change, joined(remark, readiness.why));
    case "stopped":
      run.ledger.recordUnfinished(
        key,
        outcomeOf(change),
        `not confirmed as ready: ${readiness.why}`,
      );
      return false;
    case "failed":
    case "timed out":
      return failUnready(run, change, readiness);
  }
}

/**
 * Waits until the API server uses a definition, or an object that sets defaults, for other objects.
 */
async function awaitInEffect(run: Run, change: Change, written: KubeObject): Promise<void> {
  if (definesKind(written)) return awaitDefinedKind(run, change, written);
  if (!hasSameDefaults(change.id, change.live, written) && isAwaited(run, change.key)) {
    await run.world.clock.sleep(changeSpreadsMs);
  }
}

/**
 * Waits until the API server uses a definition. Later objects of this run or the next depend on it.
 */
async function awaitDefinedKind(run: Run, { live }: Change, definition: KubeObject): Promise<void> {
  const { clock } = run.world;
  if (live !== undefined) {
    await clock.sleep(changeSpreadsMs);
    run.ledger.markDefined(kindDefinedBy(definition), clock.elapsed());
  }
  await awaitServed(definition, { ...run.world, signal: run.halt.signal });
}

/** Reports whether this run writes an object after the one with this key. */
function isAwaited({ plan }: Run, key: string): boolean {
  const isAfter = ({ action, after }: Change) =>
    action !== "unchanged" && after.some(({ on }) => on === key);
  return plan.changes.some(isAfter);
}

/**
 * The wait until all API server replicas use a change.
 * Each replica reads a change on its own, some milliseconds after the write.
 */
const changeSpreadsMs = 1_000;

function joined(...notices: readonly (string | undefined)[]): string | undefined {
  return notices.filter((notice) => notice !== undefined).join("; ") || undefined;
}

function succeed(run: Run, change: Change, notice: string | undefined): true {
  run.ledger.record(change.key, outcomeOf(change), notice ?? "");
  run.world.progress.report({ type: "ready", key: change.key, notice });
  return true;
}

/** Reports whether a kind replaces old Pods with new ones step by step. */
function rollsOut({ desired }: Change): boolean {
  const kind = `${groupOf(desired.apiVersion)}/${desired.kind}`;
  return kind === "apps/Deployment" || kind === "argoproj.io/Rollout";
}

/** Returns the action of the whole run on an object. */
function actionOf({ action, isCreatedByThisRun }: Change): ChangeAction {
  return isCreatedByThisRun ? "create" : action;
}

function outcomeOf(change: Change): ObjectResult["outcome"] {
  switch (actionOf(change)) {
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
function markAffected({ ledger }: Run, { key, action, after }: Change): boolean {
  const isAffected = action !== "unchanged" || after.some(({ on }) => ledger.isAffected(on));
  if (isAffected) ledger.markAffected(key);
  return isAffected;
}
