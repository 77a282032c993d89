import type { HealthEvaluator } from "../../health/evaluator.ts";
import { isRunningJob } from "../../model/cluster/jobs.ts";
import { textAt } from "../../model/json.ts";
import { addressOf, type KubeObject, uidOf } from "../../model/object.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { followPods } from "../failure/pod-reason.ts";
import { createConditionVariable } from "./condition-variable.ts";
import { progressState } from "./progress-state.ts";
import type { AwaitedProgress } from "./stall.ts";
import { computeStatus } from "./status/compute-status.ts";
import {
  failed,
  type Status,
  type StatusBaseline,
  type WaitingCause,
} from "./status/conditions.ts";
import { isCompletedJob } from "./status/job.ts";
import { createTolerance, type Tolerance } from "./tolerance.ts";
import { createBindingReader } from "./volume-binding.ts";
import { isPolledKind, type Watches, type WatchView } from "./watches.ts";

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
  /** The time, in ms, that the object can look failed. Undefined for the rule of its kind. */
  readonly toleratedMs?: number | undefined;
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
  }: WaitOptions,
): StatusCheck {
  const binding = createBindingReader(cluster, written);
  const baseline: StatusBaseline | undefined = affected
    ? { object: written, at: clock.now(), objectBeforeRun }
    : undefined;
  return async (object) => {
    const facts = { now: clock.now(), baseline, binding: await binding(), health, suspends };
    const own = computeStatus(object, facts);
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
  const { clock, signal, urgent = signal, timeoutMs, progress } = options;
  const address = addressOf(written);
  const changed = createConditionVariable();
  const objects = options.watches.followOne(address, address.name, changed.notify);
  const pods = followPods(options.watches, written, changed.notify);
  for (const each of [signal, urgent]) each.addEventListener("abort", changed.notify);
  const began = clock.elapsed();
  const tick = isPolledKind(written) ? unwatchedTickMs : tickMs;
  const report = skipRepeats(options.onWaiting);
  try {
    for (let seen = written; ; ) {
      const elapsed = clock.elapsed() - began;
      const noEvent = elapsed >= tick && objects.last(address.name) === undefined;
      // qvs reads the object itself before the timeout, because a watch can stall without an error.
      const last =
        noEvent || elapsed >= timeoutMs || isStalled(progress)
          ? await readDirectly(options.cluster, written, objects)
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
      const pause = Math.min(tick, left, untilFailure, progress?.remaining() ?? tick);
      await changed.wait(clock, Math.max(pause, 0));
    }
  } finally {
    for (const each of [signal, urgent]) each.removeEventListener("abort", changed.notify);
    objects.stop();
    pods.stop();
  }
}

function isStalled(progress: AwaitedProgress | undefined): boolean {
  return progress !== undefined && progress.remaining() <= 0;
}

/** The last known state of the object. */
interface Observation {
  readonly object?: KubeObject;
  /** Set if a longer wait is pointless. */
  readonly verdict?: Status;
  readonly error?: string;
}

function observationFromWatch(written: KubeObject, objects: WatchView): Observation {
  const last = objects.last(addressOf(written).name);
  const error = objects.error();
  if (error?.final) return { verdict: failed(`it can't be watched: ${error.message}`) };
  if (last === undefined) return error === undefined ? {} : { error: error.message };
  const { object, present } = last;
  if (uidOf(object) !== uidOf(written))
    return isAtLeastAsNew(object, written) ? replacedDuringWait : {};
  if (!present && !isCompletedJob(object)) {
    return { verdict: failed(deletedDuringWait) };
  }
  return isAtLeastAsNew(object, written) ? { object } : {};
}

const deletedDuringWait = "it was deleted while qvs waited for it";

const replacedDuringWait: Observation = {
  verdict: failed("another object took its place while qvs waited for it"),
};

/**
 * Reads the object if the watch has no event for it.
 * A watch never reports an object that was deleted before the watch began.
 */
async function readDirectly(
  cluster: Cluster,
  written: KubeObject,
  objects: WatchView,
): Promise<Observation> {
  const seenByWatch = observationFromWatch(written, objects);
  if (seenByWatch.verdict !== undefined) return seenByWatch;
  const answer = await cluster.read(addressOf(written));
  if (!answer.ok) return { error: seenByWatch.error ?? answer.failure.message };
  if (answer.value === undefined) {
    return { verdict: failed(deletedDuringWait) };
  }
  return uidOf(answer.value) === uidOf(written) ? { object: answer.value } : replacedDuringWait;
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

/**
 * Reports whether `seen` is at least as new as `written`.
 * A shared watch can still deliver states from before the write, and an old state can look ready.
 * Resource versions of one kind are comparable as integers (KEP-5504).
 */
function isAtLeastAsNew(seen: KubeObject, written: KubeObject): boolean {
  const a = textAt(seen, "metadata", "resourceVersion") ?? "";
  const b = textAt(written, "metadata", "resourceVersion") ?? "";
  const comparable = /^\d+$/.test(a) && /^\d+$/.test(b);
  return comparable ? BigInt(a) >= BigInt(b) : true;
}
