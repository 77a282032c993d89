import type { HealthEvaluator } from "../../health/evaluator.ts";
import { isBuiltInGroup } from "../../model/cluster/api/built-in-groups.ts";
import { isRunningJob } from "../../model/cluster/jobs.ts";
import { addressOf, idOf, type KubeObject } from "../../model/object.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { followPods } from "../failure/pod-reason.ts";
import { createConditionVariable } from "./condition-variable.ts";
import { createBindingReader, observationFromWatch, readDirectly } from "./observe-object.ts";
import type { AwaitedProgress } from "./stall.ts";
import { progressState } from "./stall.ts";
import { computeStatus } from "./status/compute-status.ts";
import type { Status, StatusBaseline, WaitingCause } from "./status/conditions.ts";
import { createTolerance, type Tolerance } from "./tolerance.ts";
import { isPolledKind, type Watches } from "./watches.ts";

/** The result of a wait, with the last known object. */
export type Readiness =
  | { readonly state: "ready"; readonly notice: string | undefined; readonly object: KubeObject }
  | {
      readonly state: "suspended" | "stopped";
      readonly why: string;
      readonly object: KubeObject;
    }
  | UnreadyResult;

/** An object that failed, wasn't ready before the timeout, or made no progress. */
export interface UnreadyResult {
  readonly state: "failed" | "timed out" | "stalled";
  readonly why: string;
  /** The time, in ms, without progress. Undefined unless the state is `stalled`. */
  readonly stuckMs?: number | undefined;
  /** The reason for the wait, if known. */
  readonly cause?: WaitingCause | undefined;
  readonly object: KubeObject;
}

export interface WaitOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly watches: Watches;
  readonly health: HealthEvaluator;
  /** Ends the wait early, except while a Job runs. */
  readonly signal: AbortSignal;
  /** Ends the wait even while a Job runs (default: `signal`). */
  readonly urgent?: AbortSignal | undefined;
  readonly timeoutMs: number;
  /**
   * True if this run changed the object or one of its dependencies. Its status might be outdated.
   */
  readonly affected: boolean;
  /** True if the object can stay suspended. Undefined for an object outside this deployment. */
  readonly suspends?: boolean | undefined;
  /** The object before this run. */
  readonly objectBeforeRun?: KubeObject | undefined;
  /**
   * A condition in addition to the rule of the kind, such as a field that another object
   * references.
   */
  readonly requirement?: (object: KubeObject) => Status | undefined;
  /** True if the object counts as ready whatever its status is. */
  readonly isUnawaited?: boolean | undefined;
  /**
   * The maximum wait, in ms, for the first status of an object whose kind has no health rule.
   * Undefined if such an object is ready at once.
   */
  readonly firstStatusMs?: number | undefined;
  /** The time, in ms, that the object can look failed. Undefined for the rule of its kind. */
  readonly toleratedMs?: number | undefined;
  /** Called with each observed state of the object. */
  readonly onSeen?: ((object: KubeObject) => void) | undefined;
  /** Receives the states of the object, and ends the wait of a run without progress. */
  readonly progress?: AwaitedProgress | undefined;
  /**
   * Receives the reason for the wait.
   * `isTrouble` is true if the cluster reports a problem, so that time alone might not help.
   */
  readonly onWaiting: (why: string, isTrouble: boolean) => void;
}

/** The interval for computing the status without an event. It needs no request. */
const tickMs = 5_000;

/** The interval for reading an object that isn't watched. */
const unwatchedTickMs = 500;

/**
 * The interval for reading an object whose watch has ended. Many objects can lose one watch, so
 * it is longer.
 */
const lostWatchTickMs = 2_000;

/**
 * Waits until `written` is ready. It is the API server's answer, or the live object in the plan.
 */
export async function awaitReady(written: KubeObject, options: WaitOptions): Promise<Readiness> {
  const check = createStatusCheck(written, options);
  const tolerance = createTolerance(options.toleratedMs);
  const first = tolerance.judge(await check(written), new Map(), options.clock.elapsed());
  // An object without a controller is ready once it is written, so it needs no watch.
  return toReadiness(first, written) ?? watchUntilReady(written, options, check, tolerance);
}

type StatusCheck = (object: KubeObject) => Promise<Status>;

function createStatusCheck(
  written: KubeObject,
  {
    cluster,
    clock,
    health,
    affected,
    suspends,
    objectBeforeRun,
    requirement,
    isUnawaited,
    firstStatusMs,
  }: WaitOptions,
): StatusCheck {
  const began = clock.elapsed();
  const firstStatus = () => {
    if (firstStatusMs === undefined) return undefined;
    return clock.elapsed() - began < firstStatusMs ? "awaited" : "overdue";
  };
  const binding = createBindingReader(cluster, written);
  const baseline: StatusBaseline | undefined = affected
    ? { object: written, at: clock.now(), objectBeforeRun }
    : undefined;
  return async (object) => {
    const facts = { now: clock.now(), baseline, binding: await binding(), health, suspends };
    const own = computeStatus(object, { ...facts, firstStatus: firstStatus() });
    const status = isUnawaited === true ? withoutWait(own) : own;
    return status.state === "ready" ? (requirement?.(object) ?? status) : status;
  };
}

/**
 * Returns the status of an object that isn't awaited. An intended suspension stays visible, because
 * deletions depend on it.
 */
function withoutWait(status: Status): Status {
  return status.state === "waiting" || status.state === "failed"
    ? { state: "ready", notice: "not awaited because of its annotation wait" }
    : status;
}

async function watchUntilReady(
  written: KubeObject,
  options: WaitOptions,
  check: StatusCheck,
  tolerance: Tolerance,
): Promise<Readiness> {
  const { clock, signal, urgent = signal, timeoutMs, firstStatusMs, progress } = options;
  const address = addressOf(written);
  const changed = createConditionVariable();
  const objects = options.watches.followOne(address, address.name, () => {
    // Each event counts. The loop below can skip states that follow each other quickly.
    const { object } = observationFromWatch(written, objects);
    if (object !== undefined) options.onSeen?.(object);
    changed.notify();
  });
  const pods = followPods(options.watches, written, changed.notify);
  for (const each of [signal, urgent]) each.addEventListener("abort", changed.notify);
  const began = clock.elapsed();
  const isPollable = canPoll(written, options);
  const report = skipRepeats(options.onWaiting);
  try {
    for (let seen = written; ; ) {
      const elapsed = clock.elapsed() - began;
      const isLost = isPollable && objects.error()?.final === true;
      const tick = tickOf(written, isLost);
      const noEvent = elapsed >= tick && objects.last(address.name) === undefined;
      // qvs reads the object itself before the timeout, because a watch can stall without an error.
      const last =
        isLost || noEvent || elapsed >= timeoutMs || isStalled(progress)
          ? await readDirectly(options.cluster, written, isLost ? undefined : objects)
          : observationFromWatch(written, objects);
      if (last.object !== undefined) seen = last.object;
      const status =
        last.verdict ?? tolerance.judge(await check(seen), pods.failures(), clock.elapsed());
      const end = toReadiness(status, seen);
      if (end !== undefined) return end;
      progress?.observe(progressState(seen));
      const complaints = [pods.reason(), last.error].filter(Boolean);
      const why = [waitingReason(status), ...complaints].filter(Boolean).join("; ");
      const cause = waitingCause(status);
      if (urgent.aborted || (signal.aborted && !isRunningJob(seen)))
        return { state: "stopped", why, object: seen };
      const left = timeoutMs - elapsed;
      if (left <= 0) return { state: "timed out", why, cause, object: seen };
      if (isStalled(progress))
        return { state: "stalled", stuckMs: progress?.stuckMs(), why, cause, object: seen };
      report(why, complaints.length > 0 || isTrouble(status));
      const untilFailure = tolerance.remaining(clock.elapsed());
      const untilFirstStatus =
        elapsed < (firstStatusMs ?? 0) ? (firstStatusMs ?? 0) - elapsed : tick;
      const limits = [left, untilFailure, untilFirstStatus, progress?.remaining() ?? tick];
      const pause = Math.min(tick, ...limits);
      await changed.wait(clock, Math.max(pause, 0));
    }
  } finally {
    for (const each of [signal, urgent]) each.removeEventListener("abort", changed.notify);
    objects.stop();
    pods.stop();
  }
}

/**
 * Reports whether qvs reads the object itself if it can't be watched.
 * Roles grant `watch` for kinds with a rule. An object of another kind can be ready at once, so a
 * missing permission must not fail it.
 */
function canPoll(object: KubeObject, { health }: Pick<WaitOptions, "health">): boolean {
  const kind = idOf(object);
  return !isBuiltInGroup(kind.group) && !health.hasRule(kind);
}

function tickOf(object: KubeObject, isLost: boolean): number {
  if (isLost) return lostWatchTickMs;
  return isPolledKind(object) ? unwatchedTickMs : tickMs;
}

function isStalled(progress: AwaitedProgress | undefined): boolean {
  return progress !== undefined && progress.remaining() <= 0;
}

/** Returns the result of the wait, if the status ends it. */
function toReadiness(status: Status, object: KubeObject): Readiness | undefined {
  switch (status.state) {
    case "ready":
      return { state: "ready", notice: status.notice, object };
    case "suspended":
    case "failed":
      return { state: status.state, why: status.why, object };
    case "waiting":
      return undefined;
  }
}

function waitingReason(status: Status): string {
  return status.state === "ready" ? "" : status.why;
}

function waitingCause(status: Status): WaitingCause | undefined {
  return status.state === "waiting" ? status.cause : undefined;
}

function isTrouble(status: Status): boolean {
  if (status.state !== "waiting") return false;
  return status.cause === "refused" || status.cause === "suspended" || status.isTolerated === true;
}

/** Reports a reason only if it differs from the previous one. */
function skipRepeats(report: WaitOptions["onWaiting"]): WaitOptions["onWaiting"] {
  let previous: string | undefined;
  return (why, isTrouble) => {
    if (why !== previous) report(why, isTrouble);
    previous = why;
  };
}
