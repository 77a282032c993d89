import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import {
  isDeniedByAdmission,
  isWebhookUnavailable,
} from "../../model/cluster/api-messages/admission.ts";
import {
  blockingClaimName,
  deletesOwnClaims,
} from "../../model/cluster/persistent-volume-claims.ts";
import type { Deletion } from "../../model/deletion.ts";
import { textAt } from "../../model/json.ts";
import type { ObjectAddress } from "../../model/object.ts";
import { type KubeObject, keyMatchesKind, uidOf } from "../../model/object.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { type DeploymentIdentity, deletionProtection } from "../../ssa/protection.ts";
import { explainFailure, type FailureExplanation } from "../failure/explain-failure.ts";
import { retryConflicts } from "../retry-conflicts.ts";
import { pauseBeforeRetry, type RetryContext } from "../upsert/retry-stale-admission.ts";

export type DeletionRequestResult =
  /** The object is being deleted. */
  | { readonly state: "requested" }
  | { readonly state: "absent" }
  /** The live object isn't the one whose deletion was planned, so qvs keeps it. */
  | { readonly state: "kept"; readonly why: string }
  | { readonly state: "failed"; readonly explanation: FailureExplanation };

export interface DeletionRequestContext extends RetryContext {
  readonly cluster: Cluster;
  readonly owner: DeploymentIdentity;
  readonly onSending: () => void;
}

/**
 * Requests the deletion of one object, based on its state now.
 * The plan might be an hour old. If another tool protected or adopted the object since then, qvs
 * keeps it. If the object changes between this read and the request, qvs reads it again.
 */
export async function requestDeletion(
  deletion: Deletion,
  address: ObjectAddress,
  context: DeletionRequestContext,
): Promise<DeletionRequestResult> {
  const { cluster, owner, onSending, signal } = context;
  let isSent = false;
  return retryConflicts<DeletionRequestResult>(signal, async () => {
    const read = await cluster.read(address);
    if (!read.ok) return { answer: failureResult(read.failure, address) };
    const verdict = decideDeletion(read.value, deletion, owner);
    if (verdict !== undefined) return { answer: verdict };
    if (!isSent) onSending();
    isSent = true;
    const sent = await cluster.delete(address, deletion.uid, resourceVersion(read.value));
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
  return isAdmissionDenial && after.some(({ on }) => keyMatchesKind(on, admissionGroup));
}

const admissionGroup = { group: "admissionregistration.k8s.io" };

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
  const claim = blockingClaimName(live, deletion.after);
  if (claim !== undefined) return { state: "kept", why: `${claim} is bound to it` };
  const protection = deletionProtection(live, owner, deletion);
  if (protection === undefined) return undefined;
  return { state: "kept", why: `changed after the plan was made: ${protection.detail}` };
}

function resourceVersion(object: KubeObject | undefined): string | undefined {
  return textAt(object, "metadata", "resourceVersion");
}

function failureResult(failure: ApiFailure, { kind }: ObjectAddress): DeletionRequestResult {
  if (failure.reason === "not-found") return { state: "absent" };
  return { state: "failed", explanation: explainFailure(failure, { kind }) };
}
