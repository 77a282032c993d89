import type { ApiFailure } from "../../../model/cluster/api/api-failure.ts";
import {
  type Challenger,
  leaseSeconds,
  type YieldRules,
} from "../../../model/cluster/deployment-lock.ts";
import { at } from "../../../model/json.ts";
import { addressOf, type KubeObject, uidOf } from "../../../model/object.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Cluster } from "../../../ports/kubernetes.ts";
import { freedLease, isSameAcquisition, readVersion, renewedLease } from "./lease-object.ts";
import { awaitChallenger } from "./yield-requests.ts";

/**
 * Milliseconds. Another run can take the Lease its full duration after the last renewal. This run
 * gives up well before that.
 */
const duration = leaseSeconds * 1000;
const renewInterval = duration / 3;
const giveUpTime = (duration * 2) / 3;
const retryInterval = 2_000;

/** A Lease that this run holds, and the time of its last renewal. */
interface LeaseState {
  readonly lease: KubeObject;
  readonly version: string;
  /**
   * The time when this run sent the last successful renewal. Other runs count from a later time.
   */
  readonly renewedAt: Moment;
}

/** A moment on both clocks of this machine. */
export interface Moment {
  readonly date: Date;
  /** The value of `Clock.elapsed`. */
  readonly elapsed: number;
}

export function currentMoment(clock: Clock): Moment {
  return { date: clock.now(), elapsed: clock.elapsed() };
}

type HeldLeaseStore = Pick<Cluster, "read" | "replace" | "delete">;

/** Reports whether the last renewal of a Lease is so long ago that the next one is due. */
export function isDueForRenewal(
  { renewedAt }: Pick<LeaseState, "renewedAt">,
  clock: Clock,
): boolean {
  return millisecondsSince(renewedAt, clock) >= renewInterval;
}

/** A Lease that this run holds until it is released or lost. */
export interface HeldLease {
  /** Aborts when the Lease is lost. */
  readonly lost: AbortSignal;
  /** Aborts when a newer run asks this run to yield; `asker` returns that run. */
  readonly yieldRequested: AbortSignal;
  challenger(): Challenger | undefined;
  /**
   * Reports whether this run holds the Lease at this moment. It also checks the time, because a
   * suspended process wakes up before its timers.
   */
  isHeld(): boolean;
  /** Implements `DeploymentLock.release`. */
  release(how?: "free" | "delete"): Promise<string | undefined>;
}

/**
 * Renews a Lease that was just taken until it is released or lost. It is lost if another run takes
 * it, or if the cluster is unreachable.
 */
export function holdLease(
  cluster: HeldLeaseStore,
  taken: LeaseState,
  clock: Clock,
  yieldRules?: YieldRules,
): HeldLease {
  const lost = new AbortController();
  const released = new AbortController();
  const asked = new AbortController();
  let asker: Challenger | undefined;
  const until = AbortSignal.any([lost.signal, released.signal]);
  void awaitChallenger(cluster, taken.lease, { clock, until, yieldRules }).then((challengerRun) => {
    asker = challengerRun;
    if (challengerRun !== undefined) asked.abort();
  });
  let latest = taken;
  const lose = () => lost.abort(new Error("the deployment lock was lost"));
  const onRenewed = (held: LeaseState) => {
    latest = held;
  };
  const renewing = keepRenewing(cluster, taken, clock, released.signal, onRenewed).then((last) => {
    if (last === undefined) lose();
    return last;
  });
  return {
    lost: lost.signal,
    yieldRequested: asked.signal,
    challenger: () => asker,
    isHeld: () => {
      if (millisecondsSince(latest.renewedAt, clock) >= giveUpTime) lose();
      return !lost.signal.aborted;
    },
    release: async (how = "free") => {
      released.abort();
      const last = await renewing;
      if (last === undefined) return undefined;
      // If this fails, the next run only has to wait until the Lease expires. A longer attempt is
      // pointless.
      const left = duration - millisecondsSince(last.renewedAt, clock);
      const freed = await within(left, clock, () =>
        how === "delete" ? remove(cluster, last) : free(cluster, last),
      );
      if (freed === undefined) return "the API server didn't answer in time";
      return freed.ok ? undefined : freed.failure.message;
    },
  };
}

/** Releases the Lease, also if another run only annotated it after it was read. */
async function free(cluster: HeldLeaseStore, held: LeaseState): Promise<FreeResult> {
  const answer = await cluster.replace(freedLease(held.lease, held.version));
  if (answer.ok || answer.failure.reason !== "conflict") return answer;
  const live = await readChangedLease(cluster, held);
  // Another run holds the Lease already, so there is nothing to release.
  return live === undefined ? { ok: true } : cluster.replace(freedLease(live.lease, live.version));
}

/**
 * Deletes the Lease of a deleted deployment. Without the permission, the Lease is left free, as
 * after every other run.
 */
async function remove(cluster: HeldLeaseStore, held: LeaseState): Promise<FreeResult> {
  const read = await cluster.read(addressOf(held.lease));
  if (!read.ok) return free(cluster, held);
  const live = read.value;
  if (live === undefined || !isSameAcquisition(live, held.lease)) return { ok: true };
  const answer = await cluster.delete(addressOf(live), uidOf(live), readVersion(live));
  return answer.ok ? answer : free(cluster, held);
}

type FreeResult = { readonly ok: true } | { readonly ok: false; readonly failure: ApiFailure };

/** Resolves with the latest Lease when it is released, or with undefined when it is lost. */
async function keepRenewing(
  cluster: HeldLeaseStore,
  taken: LeaseState,
  clock: Clock,
  released: AbortSignal,
  onRenewed: (held: LeaseState) => void,
): Promise<LeaseState | undefined> {
  let held = taken;
  let pause = untilRenewal(held, clock);
  while (await slept(clock, pause, released)) {
    const now = currentMoment(clock);
    const left = Math.min(giveUpTime, giveUpTime - millisecondsSince(held.renewedAt, clock));
    const next = await within(left, clock, () => renew(cluster, held, now));
    if (next === undefined) return undefined;
    pause = next.renewedAt === now ? untilRenewal(next, clock) : retryInterval;
    held = next;
    onRenewed(held);
  }
  return held;
}

/**
 * Returns the time until the next renewal, counted from the last request, because its answer can be
 * late. A clock that is set back must not make it longer.
 */
function untilRenewal({ renewedAt }: LeaseState, clock: Clock): number {
  const left = renewInterval - millisecondsSince(renewedAt, clock);
  return Math.min(Math.max(0, left), renewInterval);
}

/**
 * Returns the longer of both durations: one clock can be set back, and the other clock stops while
 * the machine sleeps. Giving up a lock too early is safe.
 */
function millisecondsSince({ date, elapsed }: Moment, clock: Clock): number {
  return Math.max(clock.now().getTime() - date.getTime(), clock.elapsed() - elapsed);
}

async function slept(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(milliseconds, signal);
    return !signal.aborted;
  } catch {
    return false;
  }
}

/**
 * Resolves with undefined when the time is up. Retries of a request can last longer than the Lease.
 */
async function within<T>(
  left: number,
  clock: Clock,
  work: () => Promise<T>,
): Promise<T | undefined> {
  if (left <= 0) return undefined;
  const done = new AbortController();
  const timeout = slept(clock, left, done.signal).then(() => undefined);
  try {
    return await Promise.race([work(), timeout]);
  } finally {
    done.abort();
  }
}

/**
 * Returns the Lease after an attempt to renew it, unchanged if that failed. Undefined if another
 * run holds it.
 */
async function renew(
  cluster: HeldLeaseStore,
  held: LeaseState,
  now: Moment,
): Promise<LeaseState | undefined> {
  const answer = await cluster.replace(renewedLease(held.lease, now.date, held.version));
  if (answer.ok) return { ...held, version: readVersion(answer.value), renewedAt: now };
  const changed = ["conflict", "not-found"].includes(answer.failure.reason);
  return changed ? readChangedLease(cluster, held) : held;
}

/** Reads a Lease that changed. This run still holds it if holder and acquireTime are the same. */
async function readChangedLease(
  cluster: HeldLeaseStore,
  held: LeaseState,
): Promise<LeaseState | undefined> {
  const live = await cluster.read(addressOf(held.lease));
  if (!live.ok) return held;
  if (live.value === undefined || !isSameAcquisition(live.value, held.lease)) return undefined;
  return {
    ...held,
    lease: withLiveAnnotations(held.lease, live.value),
    version: readVersion(live.value),
  };
}

/**
 * Returns the Lease with its live annotations. One of them can be the note of a run that asks this
 * run to yield.
 */
function withLiveAnnotations(lease: KubeObject, live: KubeObject): KubeObject {
  const annotations = at(live, "metadata", "annotations");
  return annotations === undefined
    ? lease
    : { ...lease, metadata: { ...lease.metadata, annotations } };
}
