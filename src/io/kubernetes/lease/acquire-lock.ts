import {
  type ApiFailure,
  explainApiFailure,
  failureEvidence,
} from "../../../model/cluster/api/api-failure.ts";
import {
  leaseSeconds,
  lockDurationMs,
  type YieldRules,
} from "../../../model/cluster/deployment-lock.ts";
import { sameJson, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { UserError } from "../../../model/problems/errors.ts";
import type { Problem } from "../../../model/problems/problem.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Cluster, LockObstacle } from "../../../ports/kubernetes.ts";
import { currentMoment, type HeldLease, holdLease, isDueForRenewal } from "./hold-lease.ts";
import { heldLease, leaseAddress, leaseHolder, readVersion } from "./lease-object.ts";
import { createYieldRequester, runNotes } from "./yield-requests.ts";

export type LockStore = Pick<Cluster, "create" | "read" | "replace" | "delete">;

export interface LockRequest {
  readonly deployment: string;
  readonly namespace: string;
  /** The identity of this run, which other users see: a run URL, or user@host. */
  readonly holder: string;
  readonly clock: Clock;
  /** Called once per holder that this run waits for. */
  onWaiting(holder: string): void;
  /**
   * False to fail if another run is alive. qvs still waits for the lock of a dead run to expire.
   */
  readonly wait: boolean;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Called once if the namespace doesn't exist. Resolves with true if the namespace exists now. */
  readonly createNamespace?: (() => Promise<boolean>) | undefined;
  /**
   * The rules for yielding. Without them, this run doesn't ask the holder to yield, and yields to
   * no other run.
   */
  readonly yieldRules?: YieldRules | undefined;
  /** Called after this run asked the holder to yield. */
  onYieldRequested?(holder: string): void;
}

/** The interval between two reads of a held lock, in milliseconds. */
const readInterval = 2_000;
/**
 * The delay after another run was faster, in milliseconds, and the maximum number of such delays.
 */
const raceDelay = 200;
const maxLostRaces = 50;

/**
 * Takes the Lease of a deployment as client-go's leader election does. It takes a free Lease at
 * once. It takes another holder's Lease only after it watched the Lease for the whole duration
 * without a renewal. qvs measures this duration by its own sleep: clocks differ, and the local
 * clock can be set during the wait.
 */
export async function acquireLock(cluster: LockStore, request: LockRequest): Promise<HeldLease> {
  const { clock, signal } = request;
  const ask = createYieldRequester(cluster, request);
  let seen: ObservedLease | undefined;
  for (let lostRaces = 0; ; ) {
    signal.throwIfAborted();
    const read = await cluster.read(leaseAddress(request.deployment, request.namespace));
    if (!read.ok) throw cannotLock(read.failure, request);
    seen = read.value === undefined ? undefined : observe(read.value, seen);
    if (seen === undefined || canTake(seen)) {
      const lock = await take(cluster, request, read.value);
      if (lock !== undefined) return lock;
      lostRaces += 1;
      if (lostRaces > maxLostRaces) throw neverFree(request);
      await clock.sleep(raceDelay, signal);
      continue;
    }
    if (!request.wait && isAlive(seen, clock.now())) throw heldByAnother(seen.lease, request);
    if (!seen.reported) request.onWaiting(leaseHolder(seen.lease));
    lostRaces = 0;
    // The note of this run on the Lease doesn't show that the holder is alive.
    if (request.wait) seen = { ...seen, lease: await ask(seen.lease) };
    await clock.sleep(readInterval, signal);
    seen = { ...seen, reported: true, watchedMs: seen.watchedMs + readInterval };
  }
}

/**
 * Checks with a dry run whether this run could take the Lease if no run held it. It also returns a
 * refusal for a Lease that can't be read, because `acquireLock` fails for it too.
 */
export async function tryLock(
  cluster: LockStore,
  request: Pick<LockRequest, "deployment" | "namespace" | "holder" | "clock">,
): Promise<LockObstacle | undefined> {
  const { deployment, namespace, holder, clock } = request;
  const read = await cluster.read(leaseAddress(deployment, namespace));
  const answer = read.ok ? await attempt(read.value) : read;
  if (answer.ok || lostRace(answer.failure)) return undefined;
  return { failure: answer.failure, problem: lockProblem(answer.failure, request) };

  function attempt(previous: KubeObject | undefined) {
    const lease = heldLease(deployment, namespace, holder, clock.now(), previous);
    const dryRun = { dryRun: true };
    return previous === undefined ? cluster.create(lease, dryRun) : cluster.replace(lease, dryRun);
  }
}

/** Reports whether another run was faster, so that the Lease must be read again. */
function lostRace({ reason }: ApiFailure): boolean {
  return reason === "already-exists" || reason === "conflict";
}

/** The observation of another run's Lease. */
interface ObservedLease {
  readonly lease: KubeObject;
  /**
   * The time that this run watched the Lease without a change, in milliseconds. The duration of the
   * reads isn't counted.
   */
  readonly watchedMs: number;
  /**
   * True if the Lease changed during the observation and has the same holder: the holder renews it.
   */
  readonly renewed: boolean;
  readonly reported: boolean;
}

function observe(lease: KubeObject, before: ObservedLease | undefined): ObservedLease {
  if (before === undefined || leaseHolder(before.lease) !== leaseHolder(lease)) {
    return { lease, watchedMs: 0, renewed: false, reported: false };
  }
  // Only the holder changes the spec. A note of another run doesn't show that the holder is alive.
  if (sameJson(before.lease.spec, lease.spec)) return { ...before, lease };
  return { ...before, lease, watchedMs: 0, renewed: true };
}

function canTake({ lease, watchedMs }: ObservedLease): boolean {
  return leaseHolder(lease) === "" || watchedMs >= lockDurationMs(lease);
}

/**
 * Reports whether the holder renewed the Lease recently, by its renewTime or by the observation. A
 * wrong clock of the holder can only make this run give up too early.
 */
function isAlive({ lease, renewed }: ObservedLease, now: Date): boolean {
  const renewedAt = Date.parse(textAt(lease, "spec", "renewTime") ?? "");
  return renewed || Math.abs(now.getTime() - renewedAt) < lockDurationMs(lease);
}

/** Takes the Lease. Undefined if another run was faster, so that the Lease must be read again. */
async function take(
  cluster: LockStore,
  request: LockRequest,
  previous: KubeObject | undefined,
  retriesLeft = maxLateAnswers,
): Promise<HeldLease | undefined> {
  const { deployment, namespace, holder, clock } = request;
  const takenAt = currentMoment(clock);
  const notes = runNotes(request.yieldRules?.self);
  const next = heldLease(deployment, namespace, holder, takenAt.date, previous, notes);
  const answer = await (previous === undefined ? cluster.create(next) : cluster.replace(next));
  if (answer.ok) {
    const version = readVersion(answer.value);
    const held = { lease: next, version, renewedAt: takenAt };
    if (!isDueForRenewal(held, clock)) return holdLease(cluster, held, clock, request.yieldRules);
    // The answer was late, so another run might hold the lock by now. Only another write can show
    // that.
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

/**
 * The maximum number of successive answers that arrive when the Lease is already due for renewal.
 */
const maxLateAnswers = 5;

function tooSlow({ deployment }: LockRequest): Error {
  return new UserError([
    {
      code: "lock-not-available",
      where: [],
      what: cannotBeLocked(deployment),
      why: "The API server takes longer to answer than the lock stays valid without a renewal",
      fix: "Find out what slows down the API server or the network, then run again",
    },
  ]);
}

function cannotBeLocked(deployment: string): string {
  return `Deployment "${deployment}" can't be locked`;
}

function heldByAnother(lease: KubeObject, { deployment, namespace }: LockRequest): Error {
  const since = textAt(lease, "spec", "acquireTime")?.replace(/\.\d+Z$/, "Z");
  return new UserError([
    {
      code: "lock-held",
      where: [],
      what: `Deployment "${deployment}" is locked by ${leaseHolder(lease)}`,
      facts: [
        ...(since ? [{ label: "since", value: since }] : []),
        { label: "lock", value: `Lease ${namespace}/qvs-${deployment}` },
      ],
      fix: "Run again when the other run has ended",
      otherwise: [`wait ${leaseSeconds} s if the other run was killed: its lock then expires`],
    },
  ]);
}

/**
 * Returns the error after too many lost races. A faster run would hold the lock for a while, so
 * there must be another cause.
 */
function neverFree({ deployment, namespace }: LockRequest): Error {
  const lock = `Lease ${namespace}/qvs-${deployment}`;
  return new UserError([
    {
      code: "lock-not-available",
      where: [],
      what: cannotBeLocked(deployment),
      why: `The lock is free, but the API server reports a conflict each time qvs takes the ${lock}`,
      fix: `Find out what changes or protects the ${lock}, then run again`,
      otherwise: [`delete the ${lock}, then run again`],
    },
  ]);
}

function cannotLock(failure: ApiFailure, request: LockRequest): Error {
  return new UserError([lockProblem(failure, request)]);
}

function lockProblem(
  failure: ApiFailure,
  { deployment, namespace }: Pick<LockRequest, "deployment" | "namespace">,
): Problem {
  const permission = `get, create and update on leases.coordination.k8s.io in namespace ${namespace}`;
  const { code, fix } =
    failure.reason === "not-found"
      ? namespaceNotFound(namespace)
      : explainApiFailure(failure, permission);
  return { code, where: [], what: cannotBeLocked(deployment), ...failureEvidence(failure), fix };
}

function namespaceNotFound(namespace: string): Pick<Problem, "code" | "fix"> {
  const fix = `Create the namespace ${namespace}, which contains the releases and the lock`;
  return { code: "namespace-not-found", fix };
}
