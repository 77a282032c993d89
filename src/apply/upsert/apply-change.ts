import { spokenOfAs } from "../../model/apply-time-reference.ts";
import { givesSameDefaults } from "../../model/cluster/given-defaults.ts";
import { mayStaySuspended } from "../../model/cluster/suspension.ts";
import { addressOf, groupOf, type KubeObject, nameOf } from "../../model/object.ts";
import { type Change, type ChangeAction, fieldManager } from "../../model/plan.ts";
import type { ObjectResult } from "../../model/release.ts";
import { ownersOf } from "../../ssa/managed-fields.ts";
import type { Execution } from "../../ssa/steps/step.ts";
import { managersTakenOver } from "../../ssa/steps/transfer-ownership.ts";
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

/** Brings one object about: sends it if it differs, then waits until it is ready. False when it is not. */
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

/** What it refers to is held back on purpose, such as a paused rollout, and was not waited for. */
function withoutValue(text: string): Explanation {
  return {
    code: "unresolved-reference",
    what: `there is no value for ${text}`,
    fix: "Resume the object that it belongs to, for example a paused rollout, then run again",
  };
}

/** The object as the server has it now; undefined when it was refused or not sent. */
async function write(run: Run, change: Change): Promise<KubeObject | undefined> {
  if (run.halt.signal.aborted) return undefined;
  if (change.action === "unchanged" && change.live !== undefined) {
    if (change.isBegun) tellApplied(run, change);
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

/** What others refer to is taken as it is now, not as it was when the plan was made. */
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
  fix: "Run again: the new plan starts from what is in the cluster now",
};

/** Steps that send something hold a place in line, all of them one; a deletion, which waits until the object is gone, holds none. */
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
 * The wait for a place may have been long: what ended the run meanwhile also ends this. But where the old object is gone, nothing but
 * the loss of the lock may keep the new one from being made.
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
  world.progress.report({ type: "applying", key, action, transfers: managersTakenOver(steps) });
  const answer = await upsert(change, sendings, {
    cluster: world.cluster,
    clock: world.clock,
    deployment: run.plan.deployment,
    justWritten: run.justWritten,
    definedAt: run.ledger.definedAt(`${change.id.group}/${change.id.kind}`),
    signal: isDeleted ? halt.urgent : halt.signal,
  });
  if (answer.ok) return answer.value.live;
  // Said before the place goes to the next in line, which must not be sent any more.
  fail(run, change, explainFailure(answer.failure, spokenOfAs(change.desired, change)));
  return undefined;
}

/**
 * A creation can't say that nothing may be there yet, as an update names the uid: it joins an object that somebody else
 * has made since. Of one that we have made, the server's answer names nobody but us, or, where an earlier answer got lost,
 * controllers that have written its status.
 */
function madeMeanwhile(
  { plan }: Run,
  { action, stage }: Change,
  written: KubeObject,
): string | undefined {
  if (action !== "create" && action !== "replace") return undefined;
  const own = fieldManager(plan.deployment, stage);
  const makers = ownersOf(written).filter(
    ({ manager, subresource }) => manager !== own && subresource === "",
  );
  if (makers.length === 0) return undefined;
  const names = [...new Set(makers.map(({ manager }) => manager))].toSorted().join(", ");
  return `${names} created it after the plan was made: it is shared with them now`;
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
      run.ledger.recordUnfinished(key, outcomeOf(change), `not seen ready: ${readiness.why}`);
      return false;
    case "failed":
    case "timed out":
      return failUnready(run, change, readiness);
  }
}

/** Waits until the API server uses the object for others: a definition, or a giver of defaults. */
async function awaitInEffect(run: Run, change: Change, written: KubeObject): Promise<void> {
  if (definesKind(written)) return awaitDefinedKind(run, change, written);
  if (!givesSameDefaults(change.id, change.live, written) && isAwaited(run, change.key)) {
    await run.world.clock.sleep(changeSpreadsMs);
  }
}

/** What comes after a definition, in this run or in the next, goes by it. */
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

/** Each API server reads a change by itself, some milliseconds after one of them has taken it. */
const changeSpreadsMs = 1_000;

function joined(...notices: readonly (string | undefined)[]): string | undefined {
  return notices.filter((notice) => notice !== undefined).join("; ") || undefined;
}

function succeed(run: Run, change: Change, notice: string | undefined): true {
  run.ledger.record(change.key, outcomeOf(change), notice ?? "");
  run.world.progress.report({ type: "ready", key: change.key, notice });
  return true;
}

/** Kinds that replace old Pods by new ones step by step. */
function rollsOut({ desired }: Change): boolean {
  const kind = `${groupOf(desired.apiVersion)}/${desired.kind}`;
  return kind === "apps/Deployment" || kind === "argoproj.io/Rollout";
}

/** What the whole run does to it. */
function actionOf({ action, isBegun }: Change): ChangeAction {
  return isBegun ? "create" : action;
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
 * Notes, and tells, whether this run changes the object or anything that it depends on, such as the Secret that its Pods
 * could not start without: what its status said before may not hold any more then. What it depends on was here before it.
 */
function markAffected({ ledger }: Run, { key, action, after }: Change): boolean {
  const isAffected = action !== "unchanged" || after.some(({ on }) => ledger.isAffected(on));
  if (isAffected) ledger.markAffected(key);
  return isAffected;
}
