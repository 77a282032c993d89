import { numberAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { AwaitedObject } from "../../model/plan/plan.ts";
import type { ObservedRollout, RolloutForecast } from "../../model/plan/predictions.ts";
import { defaultWaitPolicy, type WaitPolicy } from "../../model/plan/wait-policy.ts";
import type { Clock } from "../../ports/clock.ts";
import { type FailureSubject, failWithEvidence, type Unreadiness } from "../failure/fail.ts";
import type { ApplyRun } from "../run.ts";
import { awaitReady, type Readiness, type UnreadyResult, type WaitOptions } from "./await-ready.ts";
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

/** Observes the ready Pods of a workload during its rollout, from its status. */
interface RolloutObserver {
  see(object: KubeObject): void;
  /** Returns the observation after the last Pod became ready. */
  end(): ObservedRollout;
}

/** Starts an observation for comparing it with the forecast. */
export function observeRollout(
  { replicas }: Pick<RolloutForecast, "replicas">,
  before: KubeObject | undefined,
  clock: Clock,
): RolloutObserver {
  const began = clock.elapsed();
  const start = before === undefined ? undefined : numberAt(before, "status", "replicas");
  let leastReady = Number.POSITIVE_INFINITY;
  let mostPods: number | undefined;
  return {
    see(object) {
      const status = (name: string) => numberAt(object, "status", name);
      // The API server leaves out a number of 0.
      const ready = status(object.kind === "DaemonSet" ? "numberReady" : "readyReplicas") ?? 0;
      leastReady = Math.min(leastReady, ready);
      const pods = status("replicas");
      if (pods !== undefined) mostPods = Math.max(mostPods ?? 0, pods);
    },
    end() {
      const usual = Math.max(replicas, start ?? 0);
      // A workload that replaces its Pods one by one can have fewer Pods all the time.
      const more = mostPods === undefined ? {} : { morePods: Math.max(0, mostPods - usual) };
      const isKnown = Number.isFinite(leastReady);
      return {
        leastReady: isKnown ? Math.min(leastReady, replicas) : replicas,
        ...more,
        seconds: Math.round((clock.elapsed() - began) / 100) / 10,
      };
    },
  };
}
