import type { Problem } from "../../problems/problem.ts";
import type { ProblemCode } from "../../problems/problem-codes.ts";
import {
  isNamespaceTerminating,
  isTooLarge,
  isUidMismatch,
  missingNamespace,
} from "./messages/api-message.ts";
import {
  isDeniedByAdmission,
  isExpansionDenied,
  isLimitRangeDenial,
  isQuotaExceeded,
  isWebhookUnavailable,
  type MissingPermission,
  missingPermission,
} from "./messages/denials.ts";
import { isImmutable } from "./messages/immutable.ts";
import { isNotBase64 } from "./messages/invalid-fields.ts";

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

export type ApiResult<T> = (
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: ApiFailure }
) & {
  /** The warnings of the API server. They are untrusted and can quote the request. */
  readonly warnings?: readonly string[];
};

/** The meaning of a failure, as the start of a sentence that the server's message completes. */
export interface ApiFailureExplanation {
  readonly code: ProblemCode;
  readonly means: string;
  readonly fix: string;
}

/** Returns `qvs can't read the release` with the evidence and a fix. */
export function apiProblem(
  { server }: { readonly server: string },
  action: string,
  failure: ApiFailure,
): Problem {
  const { code, fix } = explainApiFailure(failure);
  return { code, where: [], what: `qvs can't ${action}`, ...failureEvidence(failure, server), fix };
}

/**
 * Returns the words of the API server as a fact, or qvs's own reason for a missing or unusable
 * answer as the cause.
 */
export function failureEvidence(
  { reason, status, message }: ApiFailure,
  server?: string,
): Pick<Problem, "why" | "facts"> {
  const hasAnswered = status >= 400 && reason !== "unknown-kind";
  // The message of an unreachable server already contains its address.
  const place = reason === "unreachable" || server === undefined ? [] : [server];
  const facts = [
    ...place.map((value) => ({ label: "server", value })),
    ...(hasAnswered ? [{ label: "answer", value: message }] : []),
  ];
  return {
    ...(hasAnswered ? {} : { why: message.replace(/^the /, "The ") }),
    ...(facts.length === 0 ? {} : { facts }),
  };
}

/**
 * Returns the meaning of an API failure. All other code uses this mapping.
 * `permission` is the permission that the request needs, such as `patch on ConfigMap of v1`.
 * Without it, the result names the permission that the server reports as missing.
 */
export function explainApiFailure(failure: ApiFailure, permission?: string): ApiFailureExplanation {
  switch (failure.reason) {
    case "unreachable":
      return {
        code: "cluster-unreachable",
        means: "the API server didn't answer",
        fix:
          failure.fix ??
          "Check that the cluster is running and that the kubeconfig has the correct server address",
      };
    case "unauthorized":
      return {
        code: "invalid-credentials",
        means: "the API server doesn't accept the credentials",
        fix: failure.fix ?? "Renew the credentials of this kubeconfig context",
      };
    case "beyond-bounds":
      return {
        code: "api-error",
        means: "the answer is too large to read, so the result of the request is unknown",
        fix: "Check the server address in the kubeconfig: no working API server sends such an answer",
      };
    case "unknown-kind":
      return {
        code: "unknown-kind",
        means: "the API server doesn't serve this kind",
        fix: "Install the CustomResourceDefinition, or correct apiVersion and kind",
      };
    case "forbidden":
      return explainDenial(failure, permission);
    case "not-found":
      return explainNotFound(failure);
    case "conflict":
      return explainConflict(failure);
    case "invalid":
      return explainInvalid(failure);
    case "already-exists":
    case "expired":
      return isUidMismatch(failure) ? replacedObject : changedObject;
    case "other":
      return isUidMismatch(failure) ? replacedObject : explainOtherFailure(failure);
  }
}

/**
 * Interprets a 403. Quotas, policies and webhooks also answer with 403, and no role would help
 * then.
 */
function explainDenial(failure: ApiFailure, permission: string | undefined): ApiFailureExplanation {
  const means = "the API server denied the request";
  if (isQuotaExceeded(failure)) {
    const fix = "Raise the quota of the namespace, or delete objects that are no longer needed";
    return { code: "quota-exceeded", means, fix };
  }
  const missing = missingPermission(failure.message);
  if (missing !== undefined) {
    const fix =
      permission === undefined ? permissionFix(missing) : `Allow ${permission} to this identity`;
    return { code: "missing-permission", means, fix };
  }
  if (isNamespaceTerminating(failure)) {
    const fix = "Wait until the namespace is deleted, then run again";
    return { code: "object-being-deleted", means, fix };
  }
  if (isDeniedByAdmission(failure)) return { code: "admission-denied", means, fix: admissionFix };
  if (isLimitRangeDenial(failure)) return { code: "admission-denied", means, fix: limitsFix };
  if (isExpansionDenied(failure)) return { code: "admission-denied", means, fix: expansionFix };
  const allow = `Allow ${permission ?? "the request"} to this identity`;
  const fix = `${allow}, or satisfy the policy or webhook that denied it`;
  return { code: "admission-denied", means, fix };
}

const admissionFix =
  "Change the object as the message requires, or ask a cluster administrator to change the policy";

const expansionFix =
  "Set allowVolumeExpansion: true in its StorageClass, if the driver can expand volumes. Without a StorageClass, keep the size, or declare another PersistentVolumeClaim and move the data";

const limitsFix =
  "Request only what the LimitRange and the ResourceQuota of the namespace allow, or change them";

/** Returns the fix for a missing permission that the server named. */
export function permissionFix({ verb, resource, namespace }: MissingPermission): string {
  return namespace === undefined
    ? `Allow ${verb} on ${resource} to this identity, in a Role or ClusterRole that is bound to it`
    : `Allow ${verb} on ${resource} in namespace ${namespace} to this identity, in a Role that is bound to it there`;
}

function explainNotFound(failure: ApiFailure): ApiFailureExplanation {
  const means = "a required object doesn't exist";
  const namespace = missingNamespace(failure);
  return namespace === undefined
    ? {
        code: "dependency-not-found",
        means,
        fix: "Declare the missing object in appSetup, or create it first",
      }
    : {
        code: "namespace-not-found",
        means,
        fix: `Create the namespace ${namespace}, or declare it in appSetup`,
      };
}

const runAgainFix = "Run again: the new plan starts from the current objects in the cluster";

const replacedObject: ApiFailureExplanation = {
  code: "object-changed",
  means: "it was deleted or replaced by another object with its name after qvs made the plan",
  fix: runAgainFix,
};

const changedObject: ApiFailureExplanation = {
  code: "object-changed",
  means: "another user or tool changed it after qvs made the plan",
  fix: runAgainFix,
};

function explainConflict(failure: ApiFailure): ApiFailureExplanation {
  if (isUidMismatch(failure)) return replacedObject;
  if (!failure.causes.some(({ reason }) => reason === "FieldManagerConflict")) return changedObject;
  return {
    code: "field-conflict",
    means: "other field managers own fields that it sets",
    fix: "Run `qvs diff` to see the owner and the values of each field, and the ignore-changes annotation that keeps the live value",
  };
}

function explainInvalid(failure: ApiFailure): ApiFailureExplanation {
  const means = "the API server rejected it as invalid";
  if (isUidMismatch(failure)) return replacedObject;
  if (failure.causes.some(isImmutable)) {
    const fix =
      "Give the object another name, or delete it first, if nothing is lost with it and it can be absent for a moment";
    return { code: "immutable-field", means, fix };
  }
  if (isDeniedByAdmission(failure)) return { code: "admission-denied", means, fix: admissionFix };
  return {
    code: "invalid-object",
    means,
    fix: isNotBase64(failure) ? base64Fix(failure) : manifestFix,
  };
}

const manifestFix = "Correct the manifest in the adapter, or the parameters of the adapter";

/** Returns the fix for a value that isn't Base64. The server's message contains the kind. */
function base64Fix({ message }: ApiFailure): string {
  return /\bSecret\b/.test(message)
    ? "Encode the values of data in Base64, or move them unencoded to stringData"
    : "Encode the value in Base64";
}

function explainOtherFailure(failure: ApiFailure): ApiFailureExplanation {
  const { status } = failure;
  if (isNotBase64(failure)) return explainInvalid(failure);
  if (isTooLarge(failure)) {
    const fix = "Split the object into several objects, or store large values elsewhere";
    return { code: "invalid-object", means: "it is larger than the API server stores", fix };
  }
  if (status === 0)
    return { code: "lock-lost", means: "qvs didn't send the request", fix: "Run again" };
  if (isWebhookUnavailable(failure)) {
    const fix =
      "Check that the webhook's Service is running and that the API server can reach it, then run again";
    return { code: "webhook-unavailable", means: "an admission webhook didn't answer", fix };
  }
  if (status === 429 || status >= 500) {
    const fix = "Run again. If it fails again, ask a cluster administrator";
    return { code: "api-unavailable", means: "the API server couldn't complete the request", fix };
  }
  if (status === 405) {
    const fix =
      "Remove the objects of this kind from the config: the API server answers them as requests, but doesn't store them";
    return { code: "api-error", means: "the API server doesn't support this method", fix };
  }
  const fix = "Run again. The API server gives no further information";
  return { code: "api-error", means: "the API server rejected the request", fix };
}

/**
 * Reports whether the server denied the request only because a permission is missing.
 * The identity of a preview can have fewer permissions than the identity that deploys. A denial by
 * admission or a quota applies to both.
 */
export function isMissingPermission({ reason, message }: ApiFailure): boolean {
  return reason === "forbidden" && missingPermission(message) !== undefined;
}
