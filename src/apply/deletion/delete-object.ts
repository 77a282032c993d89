import type { LimitFunction } from "p-limit";
import {
  describePendingDeletion,
  type PendingDeletion,
} from "../../model/cluster/pending-deletion.ts";
import type { Deletion } from "../../model/deletion.ts";
import type { ObjectAddress } from "../../model/object.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { DeploymentIdentity } from "../../ssa/protection.ts";
import type { FailureExplanation } from "../failure/explain-failure.ts";
import { createConditionVariable } from "../readiness/condition-variable.ts";
import type { Watches } from "../readiness/watches.ts";
import {
  explainDeletionTimeout,
  type RemainingRead,
  readRemaining,
  withBlockers,
} from "./read-remaining.ts";
import { requestDeletion } from "./request-deletion.ts";

export type DeletionOutcome =
  | { readonly state: "absent" }
  /** The live object isn't the one whose deletion was planned. */
  | { readonly state: "kept"; readonly why: string }
  /** The run ended before it sent the request. */
  | { readonly state: "not sent" }
  | { readonly state: "failed"; readonly explanation: FailureExplanation }
  /** The run sent the request, but ended before it could confirm the deletion. */
  | { readonly state: "stopped"; readonly why: string };

export interface DeletionContext {
  readonly owner: DeploymentIdentity;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly watches: Watches;
  readonly limit: LimitFunction;
  readonly signal: AbortSignal;
  /** Ends the wait for a requested deletion (default: `signal`). */
  readonly urgent?: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly onSending: () => void;
  readonly onWaiting: (why: string) => void;
}

/** Deletes one object by its UID. Returns only when it no longer exists, finalizers included. */
export async function deleteObject(
  deletion: Deletion,
  context: DeletionContext,
): Promise<DeletionOutcome> {
  const { kind, namespace, name } = deletion.id;
  const address = { apiVersion: deletion.apiVersion, kind, namespace, name };
  const requested = await context.limit(async () => {
    return context.signal.aborted ? notSent : requestDeletion(deletion, address, context);
  });
  return requested.state === "requested"
    ? waitUntilDeleted(address, deletion.uid, context)
    : requested;
}

const notSent = { state: "not sent" } as const;

/**
 * The watch triggers a read, and the read decides.
 * A watch doesn't report a deletion from before its start, so the first reads follow each other
 * quickly.
 */
const firstTickMs = 200;
const maxTickMs = 5_000;

async function waitUntilDeleted(
  address: ObjectAddress,
  uid: string,
  context: DeletionContext,
): Promise<DeletionOutcome> {
  const { clock, signal: ending, urgent: signal = ending, timeoutMs } = context;
  let left = await readRemaining(address, uid, context);
  if (left === undefined) return { state: "absent" };
  const changed = createConditionVariable();
  const followed = context.watches.followOne(address, address.name, (name) => {
    if (name !== undefined) changed.notify();
  });
  signal.addEventListener("abort", changed.notify);
  const deadline = clock.elapsed() + timeoutMs;
  const describe = describeWithBackoff(context);
  try {
    for (let tickMs = firstTickMs; left !== undefined; tickMs *= 2) {
      const why = describePendingDeletion(await describe(left));
      if (signal.aborted) return { state: "stopped", why };
      const remaining = deadline - clock.elapsed();
      if (remaining <= 0) {
        const last = await withBlockers(left, context);
        return { state: "failed", explanation: explainDeletionTimeout(last, timeoutMs) };
      }
      context.onWaiting(why);
      await changed.wait(clock, Math.min(tickMs, maxTickMs, remaining));
      left = await readRemaining(address, uid, context);
    }
    return { state: "absent" };
  } finally {
    signal.removeEventListener("abort", changed.notify);
    followed.stop();
  }
}

/**
 * Lists the blockers of a deletion only after 5, 10, 20 … seconds. Most deletions end sooner. A
 * watch for each kind that the object can own would cost more than it reveals.
 */
function describeWithBackoff(
  context: DeletionContext,
): (left: RemainingRead) => Promise<PendingDeletion> {
  const start = context.clock.elapsed();
  let blockers: PendingDeletion["blockers"];
  let nextMs = maxTickMs;
  return async (left) => {
    if (context.clock.elapsed() - start > nextMs) {
      ({ blockers } = await withBlockers(left, context));
      nextMs *= 2;
    }
    return { ...left, blockers };
  };
}
