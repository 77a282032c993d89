import { userError } from "../../errors.ts";
import { numberAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Clock, Cluster, ClusterFailure } from "../../ports.ts";
import { heldLease, holderOf, leaseAddress, leaseSeconds, versionOf } from "./lease/object.ts";
import { type HeldLease, holdLease, isDueForRenewal } from "./lease/renewal.ts";

export type LeaseStore = Pick<Cluster, "create" | "read" | "replace">;

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
}

/** How often to look whether the lock is free, in milliseconds. */
const lookInterval = 2_000;
/** How long to let others go first who were faster, in milliseconds, and how often. */
const outrunInterval = 200;
const patience = 50;

/**
 * Takes the Lease of a deployment as client-go's leader election does: at once when it is free, from another holder
 * only after watching it not being renewed for its whole duration. What counts is how long we have slept meanwhile: clocks
 * differ, and our own may be set while we wait.
 */
export async function acquireLock(cluster: LeaseStore, request: LockRequest): Promise<HeldLease> {
  const { clock, signal } = request;
  let seen: Sighting | undefined;
  for (let outrun = 0; ; ) {
    signal.throwIfAborted();
    const read = await cluster.read(leaseAddress(request.deployment, request.namespace));
    if (!read.ok) throw cannotLock(read.failure, request);
    seen = read.value === undefined ? undefined : look(read.value, seen);
    if (seen === undefined || mayTake(seen)) {
      const lock = await take(cluster, request, read.value);
      if (lock !== undefined) return lock;
      outrun += 1;
      if (outrun > patience) throw neverFree(request);
      await clock.sleep(outrunInterval, signal);
      continue;
    }
    if (!request.wait && isAlive(seen, clock.now())) throw heldByAnother(seen.lease, request);
    if (!seen.told) request.onWaiting(holderOf(seen.lease));
    outrun = 0;
    await clock.sleep(lookInterval, signal);
    seen = { ...seen, told: true, watchedMs: seen.watchedMs + lookInterval };
  }
}

/** What we have seen of somebody's Lease. */
interface Sighting {
  readonly lease: KubeObject;
  /** How long we have watched it in this state, in milliseconds; the time that looking itself took is not counted. */
  readonly watchedMs: number;
  /** It has changed before our eyes under one holder: somebody renews it. */
  readonly renewed: boolean;
  readonly told: boolean;
}

function look(lease: KubeObject, before: Sighting | undefined): Sighting {
  if (before === undefined || holderOf(before.lease) !== holderOf(lease)) {
    return { lease, watchedMs: 0, renewed: false, told: false };
  }
  if (versionOf(before.lease) === versionOf(lease)) return before;
  return { ...before, lease, watchedMs: 0, renewed: true };
}

function mayTake({ lease, watchedMs }: Sighting): boolean {
  return holderOf(lease) === "" || watchedMs >= durationOf(lease);
}

/** Renewed lately, by what it says or by what we saw. Trusting its clock can only make us give up too early. */
function isAlive({ lease, renewed }: Sighting, now: Date): boolean {
  const renewedAt = Date.parse(textAt(lease, "spec", "renewTime") ?? "");
  return renewed || Math.abs(now.getTime() - renewedAt) < durationOf(lease);
}

function durationOf(lease: KubeObject): number {
  return (numberAt(lease, "spec", "leaseDurationSeconds") ?? leaseSeconds) * 1000;
}

/** undefined when somebody else was faster: then there is something new to look at. */
async function take(
  cluster: LeaseStore,
  request: LockRequest,
  previous: KubeObject | undefined,
  patience = mostLateAnswers,
): Promise<HeldLease | undefined> {
  const { deployment, namespace, holder, clock } = request;
  const takenAt = clock.now();
  const wanted = heldLease(deployment, namespace, holder, takenAt, previous);
  const answer = await (previous === undefined ? cluster.create(wanted) : cluster.replace(wanted));
  if (answer.ok) {
    const version = versionOf(answer.value);
    const held = { lease: wanted, version, renewedAt: takenAt };
    if (!isDueForRenewal(held, clock)) return holdLease(cluster, held, clock);
    // The answer was long on its way: others may have outwaited us meanwhile. Only another write can tell.
    request.signal.throwIfAborted();
    if (patience === 0) throw tooSlow(request);
    return take(cluster, request, answer.value, patience - 1);
  }
  const outrun = ["already-exists", "conflict"].includes(answer.failure.reason);
  const vanished = previous !== undefined && answer.failure.reason === "not-found";
  if (outrun || vanished) return undefined;
  throw cannotLock(answer.failure, request);
}

/** Answers in a row that come when the lease would be due for renewal. */
const mostLateAnswers = 5;

function tooSlow({ deployment }: LockRequest): Error {
  return userError(
    `Deployment "${deployment}" cannot be locked: the cluster takes longer to answer than a lock may go without a renewal`,
    "See what keeps the API server, or the network in between, so busy; then run again",
  );
}

function heldByAnother(lease: KubeObject, { deployment, namespace }: LockRequest): Error {
  const since = textAt(lease, "spec", "acquireTime")?.replace(/\.\d+Z$/, "Z");
  return userError(
    `Deployment "${deployment}" is being deployed by ${holderOf(lease)}${since ? ` since ${since}` : ""}`,
    `Try again when that is done, or wait for it; if its run has died, the lock (Lease ${namespace}/qvs-${deployment}) is free after ${leaseSeconds} s`,
  );
}

/** Everybody who is faster holds the lock for a while, so that something else must be wrong. */
function neverFree({ deployment, namespace }: LockRequest): Error {
  return userError(
    `Deployment "${deployment}" cannot be locked: its lock is free, but whenever it is to be taken the cluster says that somebody else was faster`,
    `See what changes or guards the Lease ${namespace}/qvs-${deployment}, or delete it; then run again`,
  );
}

function cannotLock(failure: ClusterFailure, { deployment, namespace }: LockRequest): Error {
  const what = `Deployment "${deployment}" cannot be locked: ${failure.message}`;
  switch (failure.reason) {
    case "forbidden":
      return userError(
        what,
        `Allow get, create and update of leases.coordination.k8s.io in namespace ${namespace}`,
      );
    case "not-found":
      return userError(what, `Create the namespace ${namespace}: releases and the lock live in it`);
    case "unauthorized":
      return userError(what, "Log in again, or renew the credential in the kubeconfig");
    case "unreachable":
      return userError(what, "Check the server in the kubeconfig and the network in between");
    case "already-exists":
    case "conflict":
    case "invalid":
    case "expired":
    case "unknown-kind":
    case "other":
      return userError(what, "Try again; if it stays so, ask those who run the cluster");
  }
}
