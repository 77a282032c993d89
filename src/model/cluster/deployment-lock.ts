import type { Deployment } from "../deployments/deployment.ts";
import type { LockState } from "../deployments/deployment-state.ts";
import { numberAt, textAt } from "../json.ts";
import { isCoreKind } from "../kinds.ts";
import type { KubeObject, ObjectAddress, ObjectId } from "../object.ts";

/** Returns the name of the Lease that is the lock of a deployment. */
export function lockName(deployment: string): string {
  return `qvs-${deployment}`;
}

/**
 * The time without a renewal after which another run can take the lock, in seconds
 * (docs/reference/deployment.md#lock).
 */
export const leaseSeconds = 30;

/**
 * Returns how long a Lease is valid, at most as long as a Lease of qvs.
 * Without this limit, anyone with permission to write Leases could block all runs.
 */
export function lockDurationMs(lease: KubeObject): number {
  const seconds = numberAt(lease, "spec", "leaseDurationSeconds") ?? leaseSeconds;
  return Math.min(seconds, leaseSeconds) * 1000;
}

export function leaseOf({
  name,
  namespace,
}: Pick<Deployment, "name" | "namespace">): ObjectAddress {
  const [apiVersion, kind] = ["coordination.k8s.io/v1", "Lease"];
  return { apiVersion, kind, namespace, name: lockName(name) };
}

/** The description of a run, for the other runs that hold or wait for the deployment lock. */
export interface LockRun {
  readonly does: "deploy" | "rollback";
  /**
   * The full id of the deployed commit; undefined if no commit matches, as with uncommitted
   * changes.
   */
  readonly commit: string | undefined;
}

/** A run that asks the lock holder to yield. */
export interface Challenger extends LockRun {
  /** The run, as shown to users: a run URL or user@host. The text is untrusted. */
  readonly by: string;
}

/**
 * The rules by which runs of one deployment yield (docs/reference/deployment.md#superseded-runs).
 */
export interface YieldRules {
  readonly self: LockRun;
  /** Reports whether this waiting run can ask the holder to yield. */
  mayChallenge(holder: LockRun): Promise<boolean>;
  /** Reports whether this holder yields to the run that asks. */
  yieldsTo(asker: LockRun): Promise<boolean>;
}

/** The state of the deployment lock; "unknown" if qvs has no permission to read the Lease. */
export type LockStatus = LockState | "free" | "unknown";

/** Reports whether a run is active. */
export function isLockActive(lock: LockStatus): lock is LockState {
  return typeof lock === "object" && lock.isAlive;
}

/** Returns `root@host (pid 7) has held the lock since 2026-11-26T14:40:07Z`. */
export function describeHolder({ holder, since }: LockState): string {
  if (since === undefined) return `${holder} holds the lock`;
  return `${holder} has held the lock since ${since.replace(/\.\d+Z$/, "Z")}`;
}

/** Reads the holder of the lock from its Lease; undefined if the lock is free. */
export function readLockState(lease: KubeObject | undefined, now: Date): LockState | undefined {
  const holder = textAt(lease ?? null, "spec", "holderIdentity") ?? "";
  if (lease === undefined || holder === "") return undefined;
  const renewed = Date.parse(textAt(lease, "spec", "renewTime") ?? "");
  return {
    holder,
    since: textAt(lease, "spec", "acquireTime"),
    isAlive: Math.abs(now.getTime() - renewed) < lockDurationMs(lease),
  };
}

/** Matches the Secrets of releases: `qvs.DEPLOYMENT.vREVISION`, and `.partN` for further parts. */
export const releaseNamePattern = /^qvs\.([a-z0-9-]+)\.v([1-9]\d{0,8})(?:\.part([1-9]\d{0,3}))?$/;

/**
 * Returns the use that qvs itself has for an object's name, such as "the deployment lock".
 * Returns undefined for any other name.
 */
export function reservedUse(
  id: ObjectId,
  { deployment, namespace }: { readonly deployment: string; readonly namespace: string },
): string | undefined {
  if (id.namespace !== namespace) return undefined;
  const lock = leaseOf({ name: deployment, namespace });
  const isLock =
    id.group === "coordination.k8s.io" && id.kind === lock.kind && id.name === lock.name;
  if (isLock) return "the deployment lock";
  const isRelease = isCoreKind(id, "Secret") && releaseNamePattern.test(id.name);
  return isRelease ? "a release" : undefined;
}
