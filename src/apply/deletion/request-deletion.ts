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
import { type Explanation, explainFailure } from "../failure/explain-failure.ts";
import { retryConflicts } from "../retry-conflicts.ts";
import { pause, type Waiting } from "../upsert/again-where-former.ts";

export type Requested =
  /** The object is being deleted. */
  | { readonly state: "requested" }
  | { readonly state: "absent" }
  /** The live object isn't the one whose deletion was planned, so qvs keeps it. */
  | { readonly state: "kept"; readonly why: string }
  | { readonly state: "failed"; readonly explanation: Explanation };

export interface RequestContext extends Waiting {
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
  context: RequestContext,
): Promise<Requested> {
  const { cluster, owner, onSending, signal } = context;
  let isSent = false;
  return retryConflicts<Requested>(signal, async () => {
    const read = await cluster.read(address);
    if (!read.ok) return { answer: afterFailure(read.failure, address) };
    const verdict = decideFrom(read.value, deletion, owner);
    if (verdict !== undefined) return { answer: verdict };
    if (!isSent) onSending();
    isSent = true;
    const sent = await cluster.delete(address, deletion.uid, versionOf(read.value));
    if (sent.ok) return { answer: { state: "requested" } };
    const answer = afterFailure(sent.failure, address);
    if (sent.failure.reason === "conflict") return { answer, again: async () => undefined };
    return isByFormerAdmission(sent.failure, deletion)
      ? { answer, again: () => pause(context) }
      : { answer };
  });
}

/**
 * Reports whether an admission object that was deleted before this one can have denied the request.
 * The API server applies a policy or webhook for a moment after its deletion, so qvs repeats the
 * request.
 */
function isByFormerAdmission(failure: ApiFailure, { after }: Deletion): boolean {
  const isOfAdmission = isDeniedByAdmission(failure) || isWebhookUnavailable(failure);
  return isOfAdmission && after.some(({ on }) => keyMatchesKind(on, admission));
}

const admission = { group: "admissionregistration.k8s.io" };

/** Decides from the live object alone. Returns undefined if the object must be deleted. */
function decideFrom(
  live: KubeObject | undefined,
  deletion: Deletion,
  owner: DeploymentIdentity,
): Requested | undefined {
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

function versionOf(object: KubeObject | undefined): string | undefined {
  return textAt(object, "metadata", "resourceVersion");
}

function afterFailure(failure: ApiFailure, { kind }: ObjectAddress): Requested {
  if (failure.reason === "not-found") return { state: "absent" };
  return { state: "failed", explanation: explainFailure(failure, { kind }) };
}
