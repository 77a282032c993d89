import { textAt } from "../json.ts";
import type { KubeObject } from "../object.ts";
import type { LockState } from "../queries.ts";
import { lockDurationMs } from "./lock-name.ts";

/** Who holds the lock of a deployment; "unknown" where its Lease may not be read. */
export type KnownLock = LockState | "nobody" | "unknown";

/** Whether a run is at work. */
export function isUnderWay(lock: KnownLock): lock is LockState {
  return typeof lock === "object" && lock.isAlive;
}

/** `root@host (pid 7) has held the lock since 2026-11-26T14:40:07Z`. */
export function holderInWords({ holder, since }: LockState): string {
  if (since === undefined) return `${holder} holds the lock`;
  return `${holder} has held the lock since ${since.replace(/\.\d+Z$/, "Z")}`;
}

/** Who holds the lock, by its Lease; undefined where nobody does. */
export function lockStateOf(lease: KubeObject | undefined, now: Date): LockState | undefined {
  const holder = textAt(lease ?? null, "spec", "holderIdentity") ?? "";
  if (lease === undefined || holder === "") return undefined;
  const renewed = Date.parse(textAt(lease, "spec", "renewTime") ?? "");
  return {
    holder,
    since: textAt(lease, "spec", "acquireTime"),
    isAlive: Math.abs(now.getTime() - renewed) < lockDurationMs(lease),
  };
}
