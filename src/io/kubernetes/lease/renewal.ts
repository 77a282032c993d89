import type { ApiFailure } from "../../../model/cluster/api-failure.ts";
import { leaseSeconds } from "../../../model/cluster/lock-name.ts";
import type { Asker, GiveWayRules } from "../../../model/cluster/lock-run.ts";
import { at } from "../../../model/json.ts";
import { addressOf, type KubeObject, uidOf } from "../../../model/object.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Cluster } from "../../../ports/kubernetes.ts";
import { listenForAsker } from "./listen.ts";
import { freedLease, isSameAcquisition, renewedLease, versionOf } from "./object.ts";

/** In milliseconds. Others may take the Lease its full duration after the last renewal; we let go well before. */
const duration = leaseSeconds * 1000;
const renewInterval = duration / 3;
const giveUpAfter = (duration * 2) / 3;
const retryInterval = 2_000;

/** A Lease that we hold, and when we last renewed it. */
interface Held {
  readonly lease: KubeObject;
  readonly version: string;
  /** When the last successful renewal was sent: others count from later. */
  readonly renewedAt: Moment;
}

/** A moment by both clocks of this machine. */
export interface Moment {
  readonly date: Date;
  /** As `Clock.elapsed`. */
  readonly elapsed: number;
}

export function momentOf(clock: Clock): Moment {
  return { date: clock.now(), elapsed: clock.elapsed() };
}

type LeaseStore = Pick<Cluster, "read" | "replace" | "delete">;

/** Whether a Lease was taken or renewed so long ago that it is time for a sign of life. */
export function isDueForRenewal({ renewedAt }: Pick<Held, "renewedAt">, clock: Clock): boolean {
  return millisecondsSince(renewedAt, clock) >= renewInterval;
}

/** A Lease that is ours until it is released or lost. */
export interface HeldLease {
  /** Aborts when it is lost. */
  readonly lost: AbortSignal;
  /** Aborts when a newer run asks us to give way; `asker` says which. */
  readonly asked: AbortSignal;
  asker(): Asker | undefined;
  /** Whether it is ours at this moment: by the time, too, since a process that was stopped wakes up before its timers. */
  isHeld(): boolean;
  /** As of DeploymentLock. */
  release(how?: "free" | "delete"): Promise<string | undefined>;
}

/**
 * Renews a Lease that was just taken until it is released, or lost to somebody else or because the cluster can't be
 * reached.
 */
export function holdLease(
  cluster: LeaseStore,
  taken: Held,
  clock: Clock,
  giveWay?: GiveWayRules,
): HeldLease {
  const lost = new AbortController();
  const released = new AbortController();
  const asked = new AbortController();
  let asker: Asker | undefined;
  const until = AbortSignal.any([lost.signal, released.signal]);
  void listenForAsker(cluster, taken.lease, { clock, until, giveWay }).then((heard) => {
    asker = heard;
    if (heard !== undefined) asked.abort();
  });
  let latest = taken;
  const lose = () => lost.abort(new Error("the lock of this deployment was lost"));
  const onRenewed = (held: Held) => {
    latest = held;
  };
  const renewing = keepRenewing(cluster, taken, clock, released.signal, onRenewed).then((last) => {
    if (last === undefined) lose();
    return last;
  });
  return {
    lost: lost.signal,
    asked: asked.signal,
    asker: () => asker,
    isHeld: () => {
      if (millisecondsSince(latest.renewedAt, clock) >= giveUpAfter) lose();
      return !lost.signal.aborted;
    },
    release: async (how = "free") => {
      released.abort();
      const last = await renewing;
      if (last === undefined) return undefined;
      // When this fails, the next run has to wait until the Lease expires; nothing worse. So trying longer is pointless.
      const left = duration - millisecondsSince(last.renewedAt, clock);
      const freed = await within(left, clock, () =>
        how === "delete" ? remove(cluster, last) : free(cluster, last),
      );
      if (freed === undefined) return "the cluster did not answer in time";
      return freed.ok ? undefined : freed.failure.message;
    },
  };
}

/** If somebody has only annotated the Lease since we read it, it can still be released. */
async function free(cluster: LeaseStore, held: Held): Promise<Freed> {
  const answer = await cluster.replace(freedLease(held.lease, held.version));
  if (answer.ok || answer.failure.reason !== "conflict") return answer;
  const live = await lookAgain(cluster, held);
  // Somebody else has it by now, who did not need us to give it back.
  return live === undefined ? { ok: true } : cluster.replace(freedLease(live.lease, live.version));
}

/** For a deployment that is no more. Whoever may not delete the Lease leaves it free, as it is after every other run. */
async function remove(cluster: LeaseStore, held: Held): Promise<Freed> {
  const read = await cluster.read(addressOf(held.lease));
  if (!read.ok) return free(cluster, held);
  const live = read.value;
  if (live === undefined || !isSameAcquisition(live, held.lease)) return { ok: true };
  const answer = await cluster.delete(addressOf(live), uidOf(live), versionOf(live));
  return answer.ok ? answer : free(cluster, held);
}

type Freed = { readonly ok: true } | { readonly ok: false; readonly failure: ApiFailure };

/** Resolves with the Lease as it is when released, with undefined when it is lost. */
async function keepRenewing(
  cluster: LeaseStore,
  taken: Held,
  clock: Clock,
  released: AbortSignal,
  onRenewed: (held: Held) => void,
): Promise<Held | undefined> {
  let held = taken;
  let pause = untilRenewal(held, clock);
  while (await slept(clock, pause, released)) {
    const now = momentOf(clock);
    const left = Math.min(giveUpAfter, giveUpAfter - millisecondsSince(held.renewedAt, clock));
    const next = await within(left, clock, () => renew(cluster, held, now));
    if (next === undefined) return undefined;
    pause = next.renewedAt === now ? untilRenewal(next, clock) : retryInterval;
    held = next;
    onRenewed(held);
  }
  return held;
}

/**
 * The interval counts from when a renewal was sent: its answer may have been long on its way. A clock that is set back
 * must not make it longer.
 */
function untilRenewal({ renewedAt }: Held, clock: Clock): number {
  const left = renewInterval - millisecondsSince(renewedAt, clock);
  return Math.min(Math.max(0, left), renewInterval);
}

/**
 * The longer of both times: one clock can be set back, and the other one stands still while a
 * machine sleeps. To let a lock go too early is safe.
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

/** undefined when the time is up: a request may be repeated for longer than the Lease lasts. */
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

/** The Lease after an attempt to renew it, unchanged where that failed; undefined when it belongs to another. */
async function renew(cluster: LeaseStore, held: Held, now: Moment): Promise<Held | undefined> {
  const answer = await cluster.replace(renewedLease(held.lease, now.date, held.version));
  if (answer.ok) return { ...held, version: versionOf(answer.value), renewedAt: now };
  const changed = ["conflict", "not-found"].includes(answer.failure.reason);
  return changed ? lookAgain(cluster, held) : held;
}

/** Somebody has changed the Lease. It is still ours as long as it names us since the same moment. */
async function lookAgain(cluster: LeaseStore, held: Held): Promise<Held | undefined> {
  const live = await cluster.read(addressOf(held.lease));
  if (!live.ok) return held;
  if (live.value === undefined || !isSameAcquisition(live.value, held.lease)) return undefined;
  return { ...held, lease: annotatedAs(held.lease, live.value), version: versionOf(live.value) };
}

/** What others have noted on it stays there: it may be a run that asks us to give way. */
function annotatedAs(lease: KubeObject, live: KubeObject): KubeObject {
  const annotations = at(live, "metadata", "annotations");
  return annotations === undefined
    ? lease
    : { ...lease, metadata: { ...lease.metadata, annotations } };
}
