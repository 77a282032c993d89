import type { LimitFunction } from "p-limit";
import type { ApiFailure } from "../../model/cluster/api/api-failure.ts";
import {
  isDeniedByAdmission,
  isWebhookUnavailable,
} from "../../model/cluster/api/messages/denials.ts";
import {
  describePendingDeletion,
  type PendingDeletion,
} from "../../model/cluster/pending-deletion.ts";
import { deletesOwnClaims } from "../../model/cluster/persistent-volume-claims.ts";
import { boundClaimReason } from "../../model/cluster/still-used.ts";
import { admissionGroup } from "../../model/governors.ts";
import { numberAt, textAt } from "../../model/json.ts";
import { type KubeObject, keyMatchesKind, type ObjectAddress, uidOf } from "../../model/object.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { type DeploymentIdentity, deletionProtection } from "../../ssa/protection.ts";
import { explainFailure, type FailureExplanation } from "../failure/explain-failure.ts";
import { createConditionVariable } from "../readiness/condition-variable.ts";
import type { StallMonitor } from "../readiness/stall.ts";
import type { Watches } from "../readiness/watches.ts";
import { pauseBeforeRetry, type RetryContext, retryConflicts } from "../retry-writes.ts";
import {
  explainDeletionTimeout,
  type RemainingRead,
  readRemaining,
  withBlockers,
} from "./read-remaining.ts";

type DeletionRequestResult =
  /** The object is being deleted. */
  | { readonly state: "requested" }
  | { readonly state: "absent" }
  /** The live object isn't the one whose deletion was planned, so qvs keeps it. */
  | KeptOutcome
  | { readonly state: "failed"; readonly explanation: FailureExplanation };

interface KeptOutcome {
  readonly state: "kept";
  readonly why: string;
  /** Undefined if only another name helps. */
  readonly fix?: string;
}

interface DeletionRequestContext extends RetryContext {
  readonly cluster: Cluster;
  readonly owner: DeploymentIdentity;
  /** Set if the dependents of the object stay. */
  readonly dependents?: "orphan" | undefined;
  readonly onSending: () => void;
}

/**
 * Requests the deletion of one object, based on its state now.
 * The plan might be an hour old. If another tool protected or adopted the object since then, qvs
 * keeps it. If the object changes between this read and the request, qvs reads it again.
 */
async function requestDeletion(
  deletion: Deletion,
  address: ObjectAddress,
  context: DeletionRequestContext,
): Promise<DeletionRequestResult> {
  const { cluster, owner, dependents, onSending, signal } = context;
  let isSent = false;
  return retryConflicts<DeletionRequestResult>(signal, async () => {
    const read = await cluster.read(address);
    if (!read.ok) return { answer: failureResult(read.failure, address) };
    const verdict =
      decideDeletion(read.value, deletion, owner) ??
      (dependents === "orphan" ? decideOrphaning(read.value, deletion) : undefined);
    if (verdict !== undefined) return { answer: verdict };
    if (!isSent) onSending();
    isSent = true;
    const version = resourceVersion(read.value);
    const sent = await cluster.delete(address, deletion.uid, version, dependents);
    if (sent.ok) return { answer: { state: "requested" } };
    const answer = failureResult(sent.failure, address);
    if (sent.failure.reason === "conflict") return { answer, prepareRetry: async () => undefined };
    return isStaleAdmissionDenial(sent.failure, deletion)
      ? { answer, prepareRetry: () => pauseBeforeRetry(context) }
      : { answer };
  });
}

/**
 * Reports whether an admission object that was deleted before this one can have denied the request.
 * The API server applies a policy or webhook for a moment after its deletion, so qvs repeats the
 * request.
 */
function isStaleAdmissionDenial(failure: ApiFailure, { after }: Deletion): boolean {
  const isAdmissionDenial = isDeniedByAdmission(failure) || isWebhookUnavailable(failure);
  return isAdmissionDenial && after.some(({ on }) => keyMatchesKind(on, { group: admissionGroup }));
}

/** Decides from the live object alone. Returns undefined if the object must be deleted. */
function decideDeletion(
  live: KubeObject | undefined,
  deletion: Deletion,
  owner: DeploymentIdentity,
): DeletionRequestResult | undefined {
  if (live === undefined) return { state: "absent" };
  if (uidOf(live) !== deletion.uid) {
    const why = "another object took its name after the plan was made; qvs doesn't delete it";
    return { state: "kept", why };
  }
  if (textAt(live, "metadata", "deletionTimestamp") !== undefined) return { state: "requested" };
  if (deletesOwnClaims(live) && !deletesOwnClaims(deletion.live)) {
    const why = "changed after the plan was made: its PersistentVolumeClaims would be deleted too";
    return { state: "kept", why };
  }
  const bound = boundClaimReason(live, deletion);
  if (bound !== undefined) return { state: "kept", why: bound };
  const protection = deletionProtection(live, owner, deletion);
  if (protection === undefined) return undefined;
  return { state: "kept", why: `changed after the plan was made: ${protection.detail}` };
}

/**
 * Keeps an object that was scaled up after the plan was made. The new object would have fewer
 * replicas, so its controller would delete Pods and, with `whenScaled: Delete`, their data.
 */
function decideOrphaning(
  live: KubeObject | undefined,
  { live: planned }: Deletion,
): DeletionRequestResult | undefined {
  const [before, now] = [planned, live].map((each) => numberAt(each, "spec", "replicas") ?? 1);
  if (before === undefined || now === undefined || now <= before) return undefined;
  return {
    state: "kept",
    why: `spec.replicas changed from ${before} to ${now} after the plan was made`,
    fix: "Run the deployment again",
  };
}

function resourceVersion(object: KubeObject | undefined): string | undefined {
  return textAt(object, "metadata", "resourceVersion");
}

function failureResult(failure: ApiFailure, { kind }: ObjectAddress): DeletionRequestResult {
  if (failure.reason === "not-found") return { state: "absent" };
  return { state: "failed", explanation: explainFailure(failure, { kind }) };
}

export type DeletionOutcome =
  | { readonly state: "absent" }
  /** The live object isn't the one whose deletion was planned. */
  | KeptOutcome
  /** The run ended before it sent the request. */
  | { readonly state: "not sent" }
  | { readonly state: "failed"; readonly explanation: FailureExplanation }
  /** The run sent the request, but ended before it could confirm the deletion. */
  | { readonly state: "stopped"; readonly why: string };

export interface DeletionContext extends DeletionWaitContext {
  readonly owner: DeploymentIdentity;
  /** Set if the dependents of the object stay. */
  readonly dependents?: "orphan" | undefined;
  readonly onSending: () => void;
}

interface DeletionWaitContext {
  readonly cluster: Cluster;
  readonly limit: LimitFunction;
  readonly clock: Clock;
  readonly watches: Watches;
  readonly signal: AbortSignal;
  /** Ends the wait for a requested deletion (default: `signal`). */
  readonly urgent?: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly stall: StallMonitor;
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
  return requested.state === "requested" ? waitUntilDeleted(address, deletion, context) : requested;
}

const notSent = { state: "not sent" } as const;

/**
 * The watch triggers a read, and the read decides.
 * A watch doesn't report a deletion from before its start, so the first reads follow each other
 * quickly.
 */
const firstTickMs = 200;
const maxTickMs = 5_000;

/** Waits until an object whose deletion was requested no longer exists, finalizers included. */
export async function waitUntilDeleted(
  address: ObjectAddress,
  { key, uid }: Pick<Deletion, "key" | "uid">,
  context: DeletionWaitContext,
): Promise<Extract<DeletionOutcome, { readonly state: "absent" | "failed" | "stopped" }>> {
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
  const progress = context.stall.begin(key);
  try {
    for (let tickMs = firstTickMs; left !== undefined; tickMs *= 2) {
      const why = describePendingDeletion(await describe(left));
      if (signal.aborted) return { state: "stopped", why };
      progress.observe(describePendingDeletion(left));
      const remaining = Math.min(deadline - clock.elapsed(), progress.remaining());
      if (remaining <= 0) {
        const last = await withBlockers(left, context);
        const stuckMs = clock.elapsed() < deadline ? progress.stuckMs() : undefined;
        return { state: "failed", explanation: explainDeletionTimeout(last, timeoutMs, stuckMs) };
      }
      context.onWaiting(why);
      await changed.wait(clock, Math.min(tickMs, maxTickMs, remaining));
      left = await readRemaining(address, uid, context);
    }
    return { state: "absent" };
  } finally {
    signal.removeEventListener("abort", changed.notify);
    followed.stop();
    progress.end();
  }
}

/**
 * Lists the blockers of a deletion only after 5, 10, 20 … seconds. Most deletions end sooner. A
 * watch for each kind that the object can own would cost more than it reveals.
 */
function describeWithBackoff(
  context: DeletionWaitContext,
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
