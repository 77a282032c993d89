import type { Problem } from "../problems/problem.ts";
import type { ProblemCode } from "../problems/problem-codes.ts";
import { isAboutGrowth, isDeniedByAdmission, isWebhookUnavailable } from "./api-words/admission.ts";
import { isImmutable } from "./api-words/immutable.ts";
import { isNotBase64 } from "./api-words/invalid-fields.ts";
import { isAboutLimits, isQuotaExceeded } from "./api-words/namespace-rules.ts";
import { type MissingPermission, missingPermission } from "./api-words/permissions.ts";
import {
  isAnotherObject,
  isNamespaceTerminating,
  isTooLarge,
  missingNamespace,
} from "./api-words/state.ts";

export interface FailureCause {
  /** The reason of a Status cause, e.g. FieldManagerConflict or FieldValueInvalid. */
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/** The reason why a request to the API server failed. */
export interface ApiFailure {
  readonly reason:
    | "unreachable"
    | "unauthorized"
    | "forbidden"
    | "not-found"
    | "already-exists"
    | "conflict"
    | "invalid"
    | "expired"
    | "unknown-kind"
    /** The answer exceeds the size limit for reading, so the result of the request is unknown. */
    | "beyond-bounds"
    | "other";
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  readonly message: string;
  readonly causes: readonly FailureCause[];
  /** A fix that is more specific than the fix for the reason. */
  readonly fix?: string;
}

export type Answer<T> = (
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: ApiFailure }
) & {
  /** The warnings of the API server. They are untrusted and can quote the request. */
  readonly warnings?: readonly string[];
};

/** The meaning of a failure, as the start of a sentence that the server's message completes. */
export interface Meaning {
  readonly code: ProblemCode;
  readonly means: string;
  readonly fix: string;
}

/** Returns `Cannot read the release: …` with a fix. */
export function apiProblem(
  { server }: { readonly server: string },
  doing: string,
  failure: ApiFailure,
): Problem {
  const { code, fix } = meaningOf(failure);
  // The message of an unreachable server already contains its address.
  const at = failure.reason === "unreachable" ? "" : ` at ${server}`;
  return { code, where: [], what: `Cannot ${doing}${at}: ${failure.message}`, fix };
}

/**
 * Returns the meaning of an API failure. All other code uses this mapping.
 * `permission` is the permission that the request needs, such as `patch on ConfigMap of v1`.
 * Without it, the result names the permission that the server reports as missing.
 */
export function meaningOf(failure: ApiFailure, permission?: string): Meaning {
  switch (failure.reason) {
    case "unreachable":
      return {
        code: "cluster-unreachable",
        means: "the cluster did not answer",
        fix:
          failure.fix ?? "Check that the cluster runs, and the server's address in the kubeconfig",
      };
    case "unauthorized":
      return {
        code: "invalid-credentials",
        means: "the cluster does not accept the credentials",
        fix: failure.fix ?? "Renew the credentials of this kubeconfig context",
      };
    case "beyond-bounds":
      return {
        code: "api-error",
        means: "the answer is too large to read, so whether it was done is not known",
        fix: "Check where the server's address in the kubeconfig leads: no working cluster answers like that",
      };
    case "unknown-kind":
      return {
        code: "unknown-kind",
        means: "the cluster does not know this kind",
        fix: "Install the CustomResourceDefinition, or correct apiVersion and kind",
      };
    case "forbidden":
      return meaningOfDenial(failure, permission);
    case "not-found":
      return meaningOfAbsence(failure);
    case "conflict":
      return meaningOfConflict(failure);
    case "invalid":
      return meaningOfInvalid(failure);
    case "already-exists":
    case "expired":
      return isAnotherObject(failure) ? anotherObject : changed;
    case "other":
      return isAnotherObject(failure) ? anotherObject : meaningOfOther(failure);
  }
}

/**
 * Interprets a 403. Quotas, policies and webhooks also answer with 403, and no role would help
 * then.
 */
function meaningOfDenial(failure: ApiFailure, permission: string | undefined): Meaning {
  const means = "the cluster denied the request";
  if (isQuotaExceeded(failure)) {
    const fix = "Raise the quota of the namespace, or delete objects that are no longer needed";
    return { code: "quota-exceeded", means, fix };
  }
  const missing = missingPermission(failure.message);
  if (missing !== undefined) {
    const fix =
      permission === undefined ? grantFor(missing) : `Allow ${permission} to this identity`;
    return { code: "missing-permission", means, fix };
  }
  if (isNamespaceTerminating(failure)) {
    const fix = "Wait until the namespace is deleted, then run again";
    return { code: "object-being-deleted", means, fix };
  }
  if (isDeniedByAdmission(failure)) return { code: "admission-denied", means, fix: satisfy };
  if (isAboutLimits(failure)) return { code: "admission-denied", means, fix: withinLimits };
  if (isAboutGrowth(failure)) return { code: "admission-denied", means, fix: toGrow };
  const allow = `Allow ${permission ?? "the request"} to this identity`;
  const fix = `${allow}, or satisfy the policy or webhook that denied it`;
  return { code: "admission-denied", means, fix };
}

const satisfy =
  "Satisfy what the message asks for, or ask the administrators of the cluster to change the policy";

const toGrow =
  "Set allowVolumeExpansion: true in its StorageClass, if the driver of that can make volumes larger; a claim without one does not grow: leave its size, or declare another claim and move the data";

const withinLimits =
  "Ask for what the LimitRange and the ResourceQuota of the namespace allow, or change them";

/** Returns the fix for a missing permission that the server named. */
export function grantFor({ verb, resource, namespace }: MissingPermission): string {
  return namespace === undefined
    ? `Allow ${verb} on ${resource} to this identity, in a Role or ClusterRole that is bound to it`
    : `Allow ${verb} on ${resource} in namespace ${namespace} to this identity, in a Role that is bound to it there`;
}

function meaningOfAbsence(failure: ApiFailure): Meaning {
  const means = "something that it needs does not exist";
  const namespace = missingNamespace(failure);
  return namespace === undefined
    ? {
        code: "dependency-not-found",
        means,
        fix: "Declare what is missing in appSetup, or create it first",
      }
    : {
        code: "namespace-not-found",
        means,
        fix: `Create the namespace ${namespace}, or declare it in appSetup`,
      };
}

const toRunAgain = "Run again: the new plan starts from what is in the cluster now";

const anotherObject: Meaning = {
  code: "object-changed",
  means: "it was deleted, or replaced by another object of the same name, after the plan was made",
  fix: toRunAgain,
};

const changed: Meaning = {
  code: "object-changed",
  means: "it was changed by somebody else after the plan was made",
  fix: toRunAgain,
};

function meaningOfConflict(failure: ApiFailure): Meaning {
  if (isAnotherObject(failure)) return anotherObject;
  if (!failure.causes.some(({ reason }) => reason === "FieldManagerConflict")) return changed;
  return {
    code: "field-conflict",
    means: "other field managers own fields that it sets",
    fix: "Run `qvs diff`: it shows owner and values of each field and the ignore-changes line that leaves it alone",
  };
}

function meaningOfInvalid(failure: ApiFailure): Meaning {
  const means = "the API server finds it invalid";
  if (isAnotherObject(failure)) return anotherObject;
  if (failure.causes.some(isImmutable)) {
    const fix =
      "Give the object another name, or delete it yourself first if nothing is lost with it and it may be absent for a moment";
    return { code: "immutable-field", means, fix };
  }
  if (isDeniedByAdmission(failure)) return { code: "admission-denied", means, fix: satisfy };
  return {
    code: "invalid-object",
    means,
    fix: isNotBase64(failure) ? toEncode(failure) : toCorrect,
  };
}

const toCorrect = "Correct the manifest in the adapter, or the parameters that it is made from";

/** Returns the fix for a value that isn't Base64. The server's message contains the kind. */
function toEncode({ message }: ApiFailure): string {
  return /\bSecret\b/.test(message)
    ? "Encode the values of data, or write them as they are under stringData"
    : "Encode the value with Base64";
}

function meaningOfOther(failure: ApiFailure): Meaning {
  const { status } = failure;
  if (isNotBase64(failure)) return meaningOfInvalid(failure);
  if (isTooLarge(failure)) {
    const fix = "Divide the object into several, or keep large values elsewhere";
    return { code: "invalid-object", means: "it is more than the cluster stores", fix };
  }
  if (status === 0) return { code: "lock-lost", means: "it was not done", fix: "Run again" };
  if (isWebhookUnavailable(failure)) {
    const fix =
      "Check that the service of the webhook runs and can be reached from the API server, then run again";
    return { code: "webhook-unavailable", means: "an admission webhook did not answer", fix };
  }
  if (status === 429 || status >= 500) {
    const fix = "Run again; if it fails again, ask the administrators of the cluster";
    return { code: "api-unavailable", means: "the API server could not do it", fix };
  }
  if (status === 405) {
    const fix =
      "Take what is of this kind out of the config: its objects are requests that the server answers and does not store";
    return { code: "api-error", means: "the API server has no such method", fix };
  }
  const fix = "Run again; if it fails again, the message above is all that the server says";
  return { code: "api-error", means: "the API server refused it", fix };
}

/**
 * Reports whether the server denied the request only because a permission is missing.
 * The identity of a preview can have fewer permissions than the identity that deploys. A denial by
 * admission or a quota applies to both.
 */
export function isMissingRight({ reason, message }: ApiFailure): boolean {
  return reason === "forbidden" && missingPermission(message) !== undefined;
}
