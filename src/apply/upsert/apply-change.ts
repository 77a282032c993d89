import { spokenOfAs } from "../../model/late-text.ts";
import { ownersOf } from "../../model/managed-fields.ts";
import { addressOf, groupOf, type KubeObject, nameOf } from "../../model/object.ts";
import { type Change, type ChangeAction, fieldManager } from "../../model/plan.ts";
import type { ObjectResult } from "../../model/release.ts";
import { removeOld } from "../deletion/remove-old.ts";
import { type Explanation, explainFailure } from "../failure/explain-failure.ts";
import { fail, failWithEvidence } from "../failure/fail.ts";
import type { Readiness } from "../readiness/await-ready.ts";
import { awaitServed, definesKind } from "../readiness/await-served.ts";
import { markAffected } from "../readiness/mark-affected.ts";
import { describeTimeout, observe } from "../readiness/observe.ts";
import { type Run, record } from "../run.ts";
import { judgeDemands, missingValue, withLiveValues } from "./live-references.ts";
import { upsert } from "./upsert.ts";

/** Brings one object about: sends it if it differs, then waits until it is ready. False when it is not. */
export async function applyChange(run: Run, planned: Change): Promise<boolean> {
  const missing = missingValue(planned, run.seen);
  if (missing !== undefined) return fail(run, planned, withoutValue(missing));
  const change = withLiveValues(planned, run.seen);
  const written = await write(run, change);
  if (written === undefined) return false;
  const demands = run.demands.get(change.key) ?? [];
  const affected = markAffected(run, change);
  const demand = (object: KubeObject) => judgeDemands(demands, object);
  const readiness = await observe(run, change.key, written, affected, demand);
  return settle(run, change, readiness, madeMeanwhile(run, change, written));
}

/** What it refers to is held back on purpose, such as a paused rollout, and was not waited for. */
function withoutValue(text: string): Explanation {
  return {
    what: `there is no value for ${text}`,
    fix: "see to what holds back the object that it belongs to, then run again",
  };
}

/** The object as the server has it now; undefined when it was refused or not sent. */
async function write(run: Run, change: Change): Promise<KubeObject | undefined> {
  const { halt, world } = run;
  if (halt.signal.aborted) return undefined;
  if (change.action === "unchanged" && change.live !== undefined) {
    return run.demands.has(change.key) ? readAgain(run, change, change.live) : change.live;
  }
  if (change.action === "replace" && !(await removeOld(run, change))) return undefined;
  const written = await run.gate(() =>
    change.action === "replace" ? makeAnew(run, change) : send(run, change),
  );
  if (written === undefined) return undefined;
  world.progress.report({ type: "applied", key: change.key, action: change.action });
  return written;
}

/** What others refer to is taken as it is now, not as it was when the plan was made. */
async function readAgain(
  run: Run,
  change: Change,
  live: KubeObject,
): Promise<KubeObject | undefined> {
  const answer = await run.gate(() => run.world.cluster.read(addressOf(live)));
  if (answer.ok && answer.value !== undefined) return answer.value;
  fail(run, change, answer.ok ? goneSincePlan : explainFailure(answer.failure, change.desired));
  return undefined;
}

const goneSincePlan = {
  what: "it was deleted after the plan was made",
  fix: "run again: the new plan starts from what the cluster holds now",
};

/** The old one is gone, so nothing but the loss of the lock may keep the new one from being made. */
async function makeAnew(run: Run, change: Change): Promise<KubeObject | undefined> {
  if (run.halt.reason() === "lock lost") return undefined;
  return sendNow(run, { ...change, live: undefined });
}

async function send(run: Run, change: Change): Promise<KubeObject | undefined> {
  // The wait for a place may have been long: what ended the run meanwhile also ends this.
  return run.halt.signal.aborted ? undefined : sendNow(run, change);
}

async function sendNow(run: Run, change: Change): Promise<KubeObject | undefined> {
  const { halt, world } = run;
  const { key, action, adopts } = change;
  world.progress.report({ type: "applying", key, action, adopts: adopts?.managers });
  const answer = await upsert(change, {
    cluster: world.cluster,
    clock: world.clock,
    deployment: run.plan.deployment,
    kindIsNew: run.newKinds.has(`${change.id.group}/${change.id.kind}`),
    signal: halt.signal,
  });
  if (answer.ok) return answer.value;
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
  return `${names} made it after the plan was made: it is shared with them now`;
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
      if (definesKind(change.desired) && action !== "unchanged") {
        await awaitServed(readiness.object, { ...run.world, signal: run.halt.signal });
      }
      return succeed(run, change, joined(remark, readiness.notice));
    case "suspended":
      if (rollsOut(change)) run.heldBack.push(nameOf(change.id));
      return succeed(run, change, joined(remark, readiness.why));
    case "stopped":
      run.unfinished.add(key);
      record(run, key, outcomeOf(action), `not seen ready: ${readiness.why}`);
      return false;
    case "failed":
      return failWithEvidence(run, change, readiness.why, readiness.object);
    case "timed out":
      return failWithEvidence(run, change, describeTimeout(run, readiness.why), readiness.object);
  }
}

function joined(...notices: readonly (string | undefined)[]): string | undefined {
  return notices.filter((notice) => notice !== undefined).join("; ") || undefined;
}

function succeed(run: Run, change: Change, notice: string | undefined): true {
  record(run, change.key, outcomeOf(change.action), notice ?? "");
  run.world.progress.report({ type: "ready", key: change.key, notice });
  return true;
}

/** Kinds that replace old Pods by new ones step by step. */
function rollsOut({ desired }: Change): boolean {
  const kind = `${groupOf(desired.apiVersion)}/${desired.kind}`;
  return kind === "apps/Deployment" || kind === "argoproj.io/Rollout";
}

function outcomeOf(action: ChangeAction): ObjectResult["outcome"] {
  switch (action) {
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
