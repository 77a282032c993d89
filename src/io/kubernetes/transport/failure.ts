import type { ApiFailure, ApiResult, FailureCause } from "../../../model/cluster/api-failure.ts";
import { withoutStorageDetails } from "../../../model/cluster/api-messages/api-message.ts";
import { type Json, listAt, numberAt, parseJson, textAt } from "../../../model/json.ts";
import { shorten } from "../../../redaction/graphemes.ts";

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
