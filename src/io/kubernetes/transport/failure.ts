import type { Answer, ApiFailure, FailureCause } from "../../../model/cluster/api-failure.ts";
import { type Json, listAt, numberAt, textAt } from "../../../model/json.ts";
import { shorten } from "../../../redaction/graphemes.ts";

export type FailedAnswer = Extract<Answer<never>, { ok: false }>;

export function failure(
  reason: ApiFailure["reason"],
  message: string,
  status = 0,
  causes: readonly FailureCause[] = [],
): FailedAnswer {
  return { ok: false, failure: { reason, status, message, causes } };
}

/** What the API server refused, from its Status object where it sent one; a proxy in between sends anything. */
export function refusal(httpStatus: number, body: string): FailedAnswer {
  const status = parsed(body);
  if (status === undefined || textAt(status, "kind") !== "Status") {
    const line = shorten(body.trim().split("\n")[0] ?? "", 200);
    const detail = line === "" || line.startsWith("<") ? "" : `: ${line}`;
    return failure(reasonOf(httpStatus, undefined), `HTTP ${httpStatus}${detail}`, httpStatus);
  }
  return statusFailure(status, httpStatus);
}

function statusFailure(status: Json, httpStatus: number): FailedAnswer {
  const code = numberAt(status, "code") ?? httpStatus;
  const message = textAt(status, "message") || `HTTP ${code}`;
  const reason = isSchemaError(message) ? "invalid" : reasonOf(code, textAt(status, "reason"));
  const causes = listAt(status, "details", "causes").map(causeOf).toSorted(byField);
  return failure(reason, message, code, causes.length > 0 ? causes : duplicatePort(message));
}

/** Two ports of a Service with one node port, which the server names without its field. */
function duplicatePort(message: string): readonly FailureCause[] {
  const [, protocol, port] = /\bduplicate nodePort: \{(\w+) (\d+)\}/.exec(message) ?? [];
  if (port === undefined) return [];
  const text = `Duplicate value: nodePort ${port} (${protocol})`;
  return [{ reason: "FieldValueDuplicate", field: "spec.ports", message: text }];
}

/**
 * Server-Side Apply answers 500 to a field that the schema does not have, to a value that can't be read as the type of its field, and to
 * a node port that a Service has twice, though nothing is wrong with the server.
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

export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function reasonOf(code: number, reason: string | undefined): ApiFailure["reason"] {
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

/** The server checks the rules of a definition in another order each time. */
function byField(a: FailureCause, b: FailureCause): number {
  if (a.field !== b.field) return a.field < b.field ? -1 : 1;
  return Number(a.message > b.message) - Number(a.message < b.message);
}

function causeOf(cause: Json): FailureCause {
  const field = (name: string) => textAt(cause, name) ?? "";
  return { reason: field("reason"), field: field("field"), message: field("message") };
}
