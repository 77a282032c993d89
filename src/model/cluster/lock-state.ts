import type { LockState } from "../deployment-state.ts";
import { textAt } from "../json.ts";
import type { KubeObject } from "../object.ts";
import { lockDurationMs } from "./lock-name.ts";

/** The state of the deployment lock; "unknown" if qvs has no permission to read the Lease. */
export type LockStatus = LockState | "nobody" | "unknown";

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
