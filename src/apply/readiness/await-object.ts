import type { KubeObject } from "../../model/object.ts";
import type { AwaitedObject } from "../../model/plan.ts";
import { defaultWaitPolicy, type WaitPolicy } from "../../model/wait-policy.ts";
import { type FailureSubject, failWithEvidence, type Unreadiness } from "../failure/fail.ts";
import type { ApplyRun } from "../run.ts";
import { awaitReady, type Readiness, type UnreadyResult, type WaitOptions } from "./await-ready.ts";
import { observeRollout } from "./observe-rollout.ts";
import type { Status } from "./status/conditions.ts";

/** Waits for an object outside this deployment that a change depends on. qvs never writes it. */
export async function awaitOutsideObject(
  run: ApplyRun,
  { key, id, live }: AwaitedObject,
): Promise<boolean> {
  if (run.cancellation.signal.aborted) return false;
  const policy = defaultWaitPolicy;
  const wait: ObjectWait = { affected: false, suspends: undefined, policy };
  const readiness = await awaitObject(run, key, live, wait);
  switch (readiness.state) {
    case "ready":
    case "suspended":
      return true;
    case "stopped":
      return false;
    case "failed":
    case "timed out":
    case "stalled":
      return failUnready(run, { key, id }, readiness, policy);
  }
}

/** The part of a wait that depends on the plan. */
interface ObjectWait extends Pick<WaitOptions, "affected" | "suspends" | "firstStatusMs"> {
  readonly policy: WaitPolicy;
}

/** Waits for one object of the run and records its last known state. */
export async function awaitObject(
  run: ApplyRun,
  key: string,
  object: KubeObject,
  { affected, suspends, firstStatusMs, policy }: ObjectWait,
  requirement: (object: KubeObject) => Status | undefined = () => undefined,
  objectBeforeRun?: KubeObject,
): Promise<Readiness> {
  const { cluster, clock, progress } = run.world;
  run.ledger.recordObject(key, object);
  const own = run.stall.begin(key);
  const forecast = run.plan.forecasts?.find((each) => each.key === key);
  const rollout = forecast && observeRollout(forecast, objectBeforeRun, clock);
  const readiness = await awaitReady(object, {
    progress: own,
    cluster,
    clock,
    watches: run.watches,
    health: run.health,
    signal: run.cancellation.signal,
    urgent: run.cancellation.urgent,
    timeoutMs: policy.timeoutMs ?? run.limits.timeoutMs,
    isUnawaited: !policy.isAwaited,
    toleratedMs: policy.toleratedMs,
    firstStatusMs,
    affected,
    suspends,
    objectBeforeRun,
    requirement,
    onSeen: rollout?.see,
    onWaiting: (why, isTrouble) =>
      progress.report({ type: "waiting", key, why, isTrouble, timeoutMs: policy.timeoutMs }),
  });
  own.end();
  run.ledger.recordObject(key, readiness.object);
  if (rollout !== undefined && readiness.state === "ready")
    run.ledger.rollouts.set(key, rollout.end());
  return readiness;
}

/** Ends the run because of an object that failed or isn't ready in time. */
export function failUnready(
  run: ApplyRun,
  subject: FailureSubject,
  { state, why, cause, object, stuckMs }: UnreadyResult,
  { timeoutMs }: WaitPolicy,
): Promise<false> {
  const hasFailed = state === "failed";
  const fact = hasFailed ? {} : { what: unreadyText(stuckMs, timeoutMs ?? run.limits.timeoutMs) };
  const limit = unreadyLimit(state, timeoutMs);
  return failWithEvidence(run, subject, { ...fact, status: why, cause, hasFailed, limit }, object);
}

function unreadyText(stuckMs: number | undefined, timeoutMs: number): string {
  return stuckMs === undefined
    ? `not ready after ${Math.round(timeoutMs / 1000)} s`
    : `no progress for ${Math.round(stuckMs / 1000)} s`;
}

function unreadyLimit(
  state: UnreadyResult["state"],
  ownTimeoutMs: number | undefined,
): Unreadiness["limit"] {
  if (state === "stalled") return "progress";
  return ownTimeoutMs === undefined ? "timeout" : "annotation";
}
