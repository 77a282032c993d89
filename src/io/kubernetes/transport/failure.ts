import type {
  ApiFailure,
  ApiResult,
  FailureCause,
} from "../../../model/cluster/api/api-failure.ts";
import { withoutStorageDetails } from "../../../model/cluster/api/messages/api-message.ts";
import { fieldOf, type Json, listAt, numberAt, parseJson, textAt } from "../../../model/json.ts";
import { shorten } from "../../../redaction/wrap.ts";

export type FailedAnswer = Extract<ApiResult<never>, { ok: false }>;

export function failure(
  reason: ApiFailure["reason"],
  message: string,
  status = 0,
  causes: readonly FailureCause[] = [],
): FailedAnswer {
  return { ok: false, failure: { reason, status, message, causes } };
}

/**
 * Returns the failure of a rejected request, from the API server's Status object if the body is
 * one. A proxy in between can send anything.
 */
export function refusal(httpStatus: number, body: string): FailedAnswer {
  const status = parseJson(body);
  if (status === undefined || textAt(status, "kind") !== "Status") {
    const line = shorten(body.trim().split("\n")[0] ?? "", 200);
    const detail = line === "" || line.startsWith("<") ? "" : `: ${line}`;
    return failure(failureReason(httpStatus, undefined), `HTTP ${httpStatus}${detail}`, httpStatus);
  }
  return statusFailure(status, httpStatus);
}

function statusFailure(status: Json, httpStatus: number): FailedAnswer {
  const code = numberAt(status, "code") ?? httpStatus;
  const message = withoutStorageDetails(textAt(status, "message") || `HTTP ${code}`);
  const reason = isSchemaError(message) ? "invalid" : failureReason(code, textAt(status, "reason"));
  const causes = listAt(status, "details", "causes").map(toFailureCause).toSorted(byField);
  return failure(reason, message, code, causes.length > 0 ? causes : duplicatePort(message));
}

/**
 * Returns the cause if two ports of a Service have the same node port. The API server's message
 * doesn't name the field.
 */
function duplicatePort(message: string): readonly FailureCause[] {
  const [, protocol, port] = /\bduplicate nodePort: \{(\w+) (\d+)\}/.exec(message) ?? [];
  if (port === undefined) return [];
  const text = `Duplicate value: nodePort ${port} (${protocol})`;
  return [{ reason: "FieldValueDuplicate", field: "spec.ports", message: text }];
}

/**
 * Reports whether the text shows an error in the manifest. Server-Side Apply answers such errors
 * with 500, although the server works. The errors are an unknown field, a value that doesn't match
 * its field's type, and a duplicate node port of a Service.
 */
export function isSchemaError(text: string): boolean {
  return schemaErrors.some((words) => text.includes(words));
}

const schemaErrors: readonly string[] = [
  "field not declared in schema",
  "failed to create typed",
  "unable to convert unstructured object to",
  "duplicate nodePort: ",
];

function failureReason(code: number, reason: string | undefined): ApiFailure["reason"] {
  if (reason === "AlreadyExists") return "already-exists";
  switch (code) {
    case 400:
    case 422:
      return "invalid";
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not-found";
    case 409:
      return "conflict";
    case 410:
      return "expired";
    default:
      return "other";
  }
}

/**
 * Sorts causes, because the API server checks the rules of a CustomResourceDefinition in another
 * order each time.
 */
function byField(a: FailureCause, b: FailureCause): number {
  if (a.field !== b.field) return a.field < b.field ? -1 : 1;
  return Number(a.message > b.message) - Number(a.message < b.message);
}

function toFailureCause(cause: Json): FailureCause {
  const field = (name: string) => textAt(cause, name) ?? "";
  return { reason: field("reason"), field: field("field"), message: field("message") };
}

/**
 * The system's errors in plain words. The message adds the code in parentheses, for users who
 * search for it.
 */
const reasons: Readonly<Record<string, string>> = {
  ABORT_ERR: "it didn't answer in time",
  ECONNREFUSED: "nothing listens at this address",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  ENOTFOUND: "the host name doesn't exist",
  EAI_AGAIN: "the host name can't be resolved at the moment",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "there is no route to the host",
  ENETUNREACH: "there is no route to the network",
  EPROTO: "it doesn't use TLS, or rejects the client certificate",
};

interface TrustFailure {
  readonly reason: string;
  readonly fix: string;
}

const untrusted: TrustFailure = {
  reason: "its certificate isn't signed by the certificate authority in the kubeconfig",
  fix: "Correct certificate-authority-data of the cluster in the kubeconfig, or the server address if it belongs to another cluster",
};

/**
 * Errors of certificates that qvs doesn't trust. A server answered, so these errors have fixes of
 * their own.
 */
const trustFailures: Readonly<Record<string, TrustFailure>> = {
  CERT_HAS_EXPIRED: {
    reason: "its certificate has expired",
    fix: "Check the clock of this machine, or renew the certificate of the API server",
  },
  CERT_NOT_YET_VALID: {
    reason: "its certificate isn't valid yet",
    fix: "Check the clock of this machine",
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: "its certificate is for another name",
    fix: "Use an address that the certificate contains, or set tls-server-name of the cluster in the kubeconfig to a name that it contains",
  },
};

/**
 * Returns the failure of a request without an answer: the host and the cause, without the system's
 * jargon.
 */
export function unreachable(server: string, error: unknown): FailedAnswer {
  const { host } = new URL(server);
  const code = errorCode(error);
  const distrust = code === undefined ? undefined : fieldOf(trustFailures, code);
  if (distrust === undefined) {
    return failure("unreachable", `${host} can't be reached: ${describe(error)}`);
  }
  const { reason, fix } = distrust;
  const failed = failure("unreachable", `${host} can't be trusted: ${reason} (${code})`);
  return { ...failed, failure: { ...failed.failure, fix } };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = errorCode(error);
  if (code === undefined) return error.message;
  const reason = fieldOf(reasons, code);
  return reason === undefined ? `${error.message} (${code})` : `${reason} (${code})`;
}

export function errorCode(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
