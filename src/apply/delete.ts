import { listAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { Deletion } from "../model/plan.ts";
import type { Clock, Cluster, ObjectAddress } from "../ports.ts";
import { createBell } from "./bell.ts";
import { type Explanation, explainFailure } from "./explain-failure.ts";
import type { Gate } from "./gate.ts";
import { uidOf } from "./identity.ts";
import type { Watches } from "./watches.ts";

export type DeletionOutcome =
  | { readonly state: "gone" }
  /** Another object has the name by now; the one that was planned is gone. */
  | { readonly state: "replaced" }
  /** The run ended before the request was made. */
  | { readonly state: "not sent" }
  | { readonly state: "failed"; readonly explanation: Explanation }
  /** Requested, but the run ended before it was seen gone. */
  | { readonly state: "stopped"; readonly why: string };

export interface DeletionContext {
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
  const answer = await context.gate(async () => {
    if (context.signal.aborted) return undefined;
    context.onSending();
    return context.cluster.delete(address, deletion.uid);
  });
  if (answer === undefined) return { state: "not sent" };
  if (answer.ok) return confirmGone(address, deletion.uid, context);
  if (answer.failure.reason === "not-found") return { state: "gone" };
  if (answer.failure.reason === "conflict") return { state: "replaced" };
  return { state: "failed", explanation: explainFailure(answer.failure) };
}

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
  const followed = context.watches.follow(address, (name) => {
    if (name === address.name) bell.ring();
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

/** What is still there of the object with this uid; an empty object when it can't be said. */
async function readRemains(
  address: ObjectAddress,
  uid: string,
  { cluster, gate }: DeletionContext,
): Promise<KubeObject | undefined> {
  const answer = await gate(() => cluster.read(address));
  // A kind that is gone, as after its CRD, takes its objects along.
  if (!answer.ok) {
    const { reason } = answer.failure;
    const gone = reason === "unknown-kind" || reason === "not-found";
    return gone ? undefined : { apiVersion: address.apiVersion, kind: address.kind, metadata: {} };
  }
  return answer.value !== undefined && uidOf(answer.value) === uid ? answer.value : undefined;
}

function finalizersOf(object: KubeObject): readonly string[] {
  return listAt(object, "metadata", "finalizers").filter((f) => typeof f === "string");
}

function holdText(object: KubeObject): string {
  const finalizers = finalizersOf(object);
  return finalizers.length === 0
    ? "it is still there"
    : `held by the finalizers ${finalizers.join(", ")}`;
}

function explainTimeout(object: KubeObject, timeoutMs: number): Explanation {
  return {
    what: `it is not gone after ${Math.round(timeoutMs / 1000)} s: ${holdText(object)}`,
    fix:
      finalizersOf(object).length === 0
        ? "look at what still holds it, then run again"
        : "see that the controller of each finalizer runs and can do its work, then run again",
  };
}
