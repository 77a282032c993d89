import { listAt } from "../../model/json.ts";
import { type KubeObject, uidOf } from "../../model/object.ts";
import type { Deletion } from "../../model/plan.ts";
import type { Clock, Cluster, ObjectAddress } from "../../ports.ts";
import type { Explanation } from "../failure/explain-failure.ts";
import type { Gate } from "../gate.ts";
import { createBell } from "../readiness/bell.ts";
import type { Watches } from "../readiness/watches.ts";
import { requestDeletion } from "./request-deletion.ts";

export type DeletionOutcome =
  | { readonly state: "gone" }
  /** It is not what was planned to be deleted any more. */
  | { readonly state: "kept"; readonly why: string }
  /** The run ended before the request was made. */
  | { readonly state: "not sent" }
  | { readonly state: "failed"; readonly explanation: Explanation }
  /** Requested, but the run ended before it was seen gone. */
  | { readonly state: "stopped"; readonly why: string };

export interface DeletionContext {
  readonly deployment: string;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly watches: Watches;
  readonly gate: Gate;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onSending: () => void;
  readonly onWaiting: (why: string) => void;
}

/** Deletes one object, and this very one, and returns only when it is gone, finalizers included. */
export async function deleteObject(
  deletion: Deletion,
  context: DeletionContext,
): Promise<DeletionOutcome> {
  const { kind, namespace, name } = deletion.id;
  const address = { apiVersion: deletion.apiVersion, kind, namespace, name };
  const requested = await context.gate(async () => {
    return context.signal.aborted ? notSent : requestDeletion(deletion, address, context);
  });
  return requested.state === "requested" ? confirmGone(address, deletion.uid, context) : requested;
}

const notSent = { state: "not sent" } as const;

/**
 * The watch tells when to look again; what is read decides. It never mentions what went away before it began, so the
 * first looks come soon after each other by themselves.
 */
const firstTickMs = 200;
const longestTickMs = 5_000;

async function confirmGone(
  address: ObjectAddress,
  uid: string,
  context: DeletionContext,
): Promise<DeletionOutcome> {
  const { clock, signal, timeoutMs } = context;
  let left = await readRemains(address, uid, context);
  if (left === undefined) return { state: "gone" };
  const bell = createBell();
  const followed = context.watches.followOne(address, address.name, (name) => {
    if (name !== undefined) bell.ring();
  });
  signal.addEventListener("abort", bell.ring);
  const deadline = clock.now().getTime() + timeoutMs;
  try {
    for (let tickMs = firstTickMs; left !== undefined; tickMs *= 2) {
      if (signal.aborted) return { state: "stopped", why: holdText(left) };
      const remaining = deadline - clock.now().getTime();
      if (remaining <= 0) return { state: "failed", explanation: explainTimeout(left, timeoutMs) };
      context.onWaiting(holdText(left));
      await bell.sleep(clock, Math.min(tickMs, longestTickMs, remaining));
      left = await readRemains(address, uid, context);
    }
    return { state: "gone" };
  } finally {
    signal.removeEventListener("abort", bell.ring);
    followed.stop();
  }
}

/** What is known of an object that is not gone. */
interface Remains {
  readonly finalizers: readonly string[];
  /** Why it could not be looked at. */
  readonly unseen?: string;
}

/** What is still there of the object with this uid; undefined when it is gone. */
async function readRemains(
  address: ObjectAddress,
  uid: string,
  { cluster, gate }: DeletionContext,
): Promise<Remains | undefined> {
  const answer = await gate(() => cluster.read(address));
  // A kind that is gone, as after its CRD, takes its objects along.
  if (!answer.ok) {
    const { reason, message } = answer.failure;
    const gone = reason === "unknown-kind" || reason === "not-found";
    return gone ? undefined : { finalizers: [], unseen: message };
  }
  const live = answer.value;
  return live !== undefined && uidOf(live) === uid ? { finalizers: finalizersOf(live) } : undefined;
}

function finalizersOf(object: KubeObject): readonly string[] {
  return listAt(object, "metadata", "finalizers").filter((f) => typeof f === "string");
}

function holdText({ finalizers, unseen }: Remains): string {
  if (unseen !== undefined) return `it can't be looked at: ${unseen}`;
  return finalizers.length === 0
    ? "it is still there"
    : `held by the finalizers ${finalizers.join(", ")}`;
}

function explainTimeout(left: Remains, timeoutMs: number): Explanation {
  const seconds = Math.round(timeoutMs / 1000);
  if (left.unseen !== undefined) {
    const what = `it was asked to go, but was not seen gone in ${seconds} s: ${holdText(left)}`;
    return { what, fix: "see what keeps the cluster from answering, then run again" };
  }
  return {
    what: `it is not gone after ${seconds} s: ${holdText(left)}`,
    fix:
      left.finalizers.length === 0
        ? "look at what still holds it, then run again"
        : "see that the controller of each finalizer runs and can do its work, then run again",
  };
}
