import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import { meaningOf } from "../../model/cluster/api-failure.ts";
import { leaseSeconds, lockDurationMs } from "../../model/cluster/lock-name.ts";
import type { GiveWayRules } from "../../model/cluster/lock-run.ts";
import { sameJson, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Cluster, LockRefusal } from "../../ports/kubernetes.ts";
import { createAsking } from "./lease/ask.ts";
import { notesOf } from "./lease/notes.ts";
import { heldLease, holderOf, leaseAddress, versionOf } from "./lease/object.ts";
import { type HeldLease, holdLease, isDueForRenewal, momentOf } from "./lease/renewal.ts";

export type LeaseStore = Pick<Cluster, "create" | "read" | "replace" | "delete">;

export interface LockRequest {
  readonly deployment: string;
  readonly namespace: string;
  /** Who we are, for others to see: a run URL, or user@host. */
  readonly holder: string;
  readonly clock: Clock;
  /** Told once per holder that we wait for. */
  onWaiting(holder: string): void;
  /** false: fail when another run is alive. One that died is still outwaited. */
  readonly wait: boolean;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** Asked once where the namespace does not exist: whether it does by now. */
  readonly createNamespace?: (() => Promise<boolean>) | undefined;
  /** undefined: the holder is not asked to give way, and we give way to nobody. */
  readonly giveWay?: GiveWayRules | undefined;
  /** Told when the holder was asked. */
  onAsked?(holder: string): void;
}

/** How often to look whether the lock is free, in milliseconds. */
const lookInterval = 2_000;
/** How long to wait after another run was faster, in milliseconds, and how often. */
const raceDelay = 200;
const maxLostRaces = 50;

/**
 * Takes the Lease of a deployment as client-go's leader election does: at once when it is free, from another holder
 * only after watching it not being renewed for its whole duration. What counts is how long we have slept meanwhile: clocks
 * differ, and our own may be set while we wait.
 */
export async function acquireLock(cluster: LeaseStore, request: LockRequest): Promise<HeldLease> {
  const { clock, signal } = request;
  const ask = createAsking(cluster, request);
  let seen: ObservedLease | undefined;
  for (let lostRaces = 0; ; ) {
    signal.throwIfAborted();
    const read = await cluster.read(leaseAddress(request.deployment, request.namespace));
    if (!read.ok) throw cannotLock(read.failure, request);
    seen = read.value === undefined ? undefined : look(read.value, seen);
    if (seen === undefined || mayTake(seen)) {
      const lock = await take(cluster, request, read.value);
      if (lock !== undefined) return lock;
      lostRaces += 1;
      if (lostRaces > maxLostRaces) throw neverFree(request);
      await clock.sleep(raceDelay, signal);
      continue;
    }
    if (!request.wait && isAlive(seen, clock.now())) throw heldByAnother(seen.lease, request);
    if (!seen.reported) request.onWaiting(holderOf(seen.lease));
    lostRaces = 0;
    // Our own note on it is no sign of life of the holder's.
    if (request.wait) seen = { ...seen, lease: await ask(seen.lease) };
    await clock.sleep(lookInterval, signal);
    seen = { ...seen, reported: true, watchedMs: seen.watchedMs + lookInterval };
  }
}

/**
 * Checks by dry-run whether the Lease could be taken if nobody held it. A Lease that can't be read is refused as it
 * would be when the lock is taken.
 */
export async function tryLock(
  cluster: LeaseStore,
  request: Pick<LockRequest, "deployment" | "namespace" | "holder" | "clock">,
): Promise<LockRefusal | undefined> {
  const { deployment, namespace, holder, clock } = request;
  const read = await cluster.read(leaseAddress(deployment, namespace));
  const answer = read.ok ? await attempt(read.value) : read;
  if (answer.ok || lostRace(answer.failure)) return undefined;
  return { failure: answer.failure, problem: refusedLock(answer.failure, request) };

  function attempt(previous: KubeObject | undefined) {
    const lease = heldLease(deployment, namespace, holder, clock.now(), previous);
    const dryRun = { dryRun: true };
    return previous === undefined ? cluster.create(lease, dryRun) : cluster.replace(lease, dryRun);
  }
}

/** Somebody else was faster: there is something new to look at. */
function lostRace({ reason }: ApiFailure): boolean {
  return reason === "already-exists" || reason === "conflict";
}

/** What we have observed of somebody else's Lease. */
interface ObservedLease {
  readonly lease: KubeObject;
  /** How long we have watched it in this state, in milliseconds; the time that looking itself took is not counted. */
  readonly watchedMs: number;
  /** It has changed while we watched it, under one holder: somebody renews it. */
  readonly renewed: boolean;
  readonly reported: boolean;
}

function look(lease: KubeObject, before: ObservedLease | undefined): ObservedLease {
  if (before === undefined || holderOf(before.lease) !== holderOf(lease)) {
    return { lease, watchedMs: 0, renewed: false, reported: false };
  }
  // What others note on it is no sign of life: only its holder changes the spec.
  if (sameJson(before.lease.spec, lease.spec)) return { ...before, lease };
  return { ...before, lease, watchedMs: 0, renewed: true };
}

function mayTake({ lease, watchedMs }: ObservedLease): boolean {
  return holderOf(lease) === "" || watchedMs >= lockDurationMs(lease);
}

/** Renewed recently, by its renewTime or by our own observation. Trusting its clock can only make us give up too early. */
function isAlive({ lease, renewed }: ObservedLease, now: Date): boolean {
  const renewedAt = Date.parse(textAt(lease, "spec", "renewTime") ?? "");
  return renewed || Math.abs(now.getTime() - renewedAt) < lockDurationMs(lease);
}

/** undefined when somebody else was faster: then there is something new to look at. */
async function take(
  cluster: LeaseStore,
  request: LockRequest,
  previous: KubeObject | undefined,
  retriesLeft = maxLateAnswers,
): Promise<HeldLease | undefined> {
  const { deployment, namespace, holder, clock } = request;
  const takenAt = momentOf(clock);
  const notes = notesOf(request.giveWay?.self);
  const next = heldLease(deployment, namespace, holder, takenAt.date, previous, notes);
  const answer = await (previous === undefined ? cluster.create(next) : cluster.replace(next));
  if (answer.ok) {
    const version = versionOf(answer.value);
    const held = { lease: next, version, renewedAt: takenAt };
    if (!isDueForRenewal(held, clock)) return holdLease(cluster, held, clock, request.giveWay);
    // The answer was late: another run may have taken the lock in the meantime. Only another write can show that.
    request.signal.throwIfAborted();
    if (retriesLeft === 0) throw tooSlow(request);
    return take(cluster, request, answer.value, retriesLeft - 1);
  }
  const vanished = previous !== undefined && answer.failure.reason === "not-found";
  if (lostRace(answer.failure) || vanished) return undefined;
  const { createNamespace, ...rest } = request;
  if (answer.failure.reason === "not-found" && (await createNamespace?.())) {
    return take(cluster, rest, previous);
  }
  throw cannotLock(answer.failure, request);
}

/** Answers in a row that come when the lease would be due for renewal. */
const maxLateAnswers = 5;

function tooSlow({ deployment }: LockRequest): Error {
  return userError(
    "lock-not-available",
    `Deployment "${deployment}" cannot be locked: the cluster takes longer to answer than a lock may go without a renewal`,
    "Check what slows down the API server or the network, then run again",
  );
}

function heldByAnother(lease: KubeObject, { deployment, namespace }: LockRequest): Error {
  const since = textAt(lease, "spec", "acquireTime")?.replace(/\.\d+Z$/, "Z");
  return userError(
    "lock-held",
    `Deployment "${deployment}" is being deployed by ${holderOf(lease)}${since ? ` since ${since}` : ""}`,
    `Run again when it has ended; if that run died, the lock (Lease ${namespace}/qvs-${deployment}) is free after ${leaseSeconds} s`,
  );
}

/** Everybody who is faster holds the lock for a while, so that something else must be wrong. */
function neverFree({ deployment, namespace }: LockRequest): Error {
  return userError(
    "lock-not-available",
    `Deployment "${deployment}" cannot be locked: its lock is free, but the API server reports a conflict every time it is taken`,
    `Check what changes or guards the Lease ${namespace}/qvs-${deployment}, or delete it; then run again`,
  );
}

function cannotLock(failure: ApiFailure, request: LockRequest): Error {
  return new UserError([refusedLock(failure, request)]);
}

function refusedLock(
  failure: ApiFailure,
  { deployment, namespace }: Pick<LockRequest, "deployment" | "namespace">,
): Problem {
  const permission = `get, create and update on leases.coordination.k8s.io in namespace ${namespace}`;
  const { code, fix } =
    failure.reason === "not-found" ? namespaceNotFound(namespace) : meaningOf(failure, permission);
  const what = `Deployment "${deployment}" cannot be locked: ${failure.message}`;
  return { code, what, fix, where: [] };
}

function namespaceNotFound(namespace: string): Pick<Problem, "code" | "fix"> {
  const fix = `Create the namespace ${namespace}: the releases and the lock are stored in it`;
  return { code: "namespace-not-found", fix };
}
