import type { LimitFunction } from "p-limit";
import { heldBackBy } from "../../model/cluster/held-back.ts";
import type { Deletion } from "../../model/deletion.ts";
import { listAt } from "../../model/json.ts";
import type { ObjectAddress } from "../../model/object.ts";
import { type KubeObject, uidOf } from "../../model/object.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { Owner } from "../../ssa/protection.ts";
import type { Explanation } from "../failure/explain-failure.ts";
import { createConditionVariable } from "../readiness/condition-variable.ts";
import type { Watches } from "../readiness/watches.ts";
import { requestDeletion } from "./request-deletion.ts";

export type DeletionOutcome =
  | { readonly state: "absent" }
  /** It is no longer the object whose deletion was planned. */
  | { readonly state: "kept"; readonly why: string }
  /** The run ended before the request was made. */
  | { readonly state: "not sent" }
  | { readonly state: "failed"; readonly explanation: Explanation }
  /** Requested, but the run ended before the deletion was confirmed. */
  | { readonly state: "stopped"; readonly why: string };

export interface DeletionContext {
  readonly owner: Owner;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly watches: Watches;
  readonly limit: LimitFunction;
  readonly signal: AbortSignal;
  /** Ends the waiting for what was requested; undefined for `signal`. */
  readonly urgent?: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly onSending: () => void;
  readonly onWaiting: (why: string) => void;
}

/** Deletes one object, by its uid, and returns only when it no longer exists, finalizers included. */
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
 * The watch says when to read again; the read object decides. A watch never reports what was deleted before it began,
 * so the first reads follow each other quickly.
 */
const firstTickMs = 200;
const longestTickMs = 5_000;

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
  try {
    for (let tickMs = firstTickMs; left !== undefined; tickMs *= 2) {
      if (signal.aborted) return { state: "stopped", why: remainingText(left) };
      const remaining = deadline - clock.elapsed();
      if (remaining <= 0) return { state: "failed", explanation: explainTimeout(left, timeoutMs) };
      context.onWaiting(remainingText(left));
      await changed.wait(clock, Math.min(tickMs, longestTickMs, remaining));
      left = await readRemaining(address, uid, context);
    }
    return { state: "absent" };
  } finally {
    signal.removeEventListener("abort", changed.notify);
    followed.stop();
  }
}

/** What is known of an object that still exists. */
interface RemainingObject {
  readonly finalizers: readonly string[];
  /** What the server itself says of it. */
  readonly heldBack?: string | undefined;
  /** Why it could not be read. */
  readonly unreadable?: string;
}

/** What remains of the object with this uid; undefined when it no longer exists. */
async function readRemaining(
  address: ObjectAddress,
  uid: string,
  { cluster, limit }: DeletionContext,
): Promise<RemainingObject | undefined> {
  const answer = await limit(() => cluster.read(address));
  // The objects of a kind that no longer exists, as after its CRD was deleted, are deleted as well.
  if (!answer.ok) {
    const { reason, message } = answer.failure;
    const absent = reason === "unknown-kind" || reason === "not-found";
    return absent ? undefined : { finalizers: [], unreadable: message };
  }
  const live = answer.value;
  if (live === undefined || uidOf(live) !== uid) return undefined;
  return { finalizers: finalizersOf(live), heldBack: heldBackBy(live) };
}

function finalizersOf(object: KubeObject): readonly string[] {
  return listAt(object, "metadata", "finalizers").filter((f) => typeof f === "string");
}

function remainingText({ finalizers, heldBack, unreadable }: RemainingObject): string {
  if (unreadable !== undefined) return `it can't be looked at: ${unreadable}`;
  if (heldBack !== undefined) return heldBack;
  const controllers = finalizers.filter((name) => name !== ofOwned);
  if (controllers.length > 0) return `held by the finalizers ${controllers.join(", ")}`;
  return finalizers.length === 0 ? "it is still there" : "what it owns is still being deleted";
}

/** The garbage collector's own: it goes once everything that names the object as its owner, and blocks its deletion, is gone. */
const ofOwned = "foregroundDeletion";

function fixFor(finalizers: readonly string[]): string {
  if (finalizers.length === 0) return "Check what keeps it from being deleted, then run again";
  return finalizers.every((name) => name === ofOwned)
    ? "Find the objects that name it in metadata.ownerReferences and what keeps them from being deleted, then run again"
    : "Check that the controller of each finalizer runs and can do its work, then run again";
}

function explainTimeout(left: RemainingObject, timeoutMs: number): Explanation {
  const seconds = Math.round(timeoutMs / 1000);
  if (left.unreadable !== undefined) {
    const what = `its deletion was requested, but not seen in ${seconds} s: ${remainingText(left)}`;
    return {
      code: "deletion-timeout",
      what,
      fix: "Check what keeps the cluster from answering, then run again",
    };
  }
  return {
    code: "deletion-timeout",
    what: `it is not deleted after ${seconds} s: ${remainingText(left)}`,
    fix: fixFor(left.finalizers),
  };
}
