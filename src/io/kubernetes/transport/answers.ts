import type { IncomingHttpHeaders } from "node:http";
import type { ApiResult } from "../../../model/cluster/api/api-failure.ts";
import { UserError } from "../../../model/problems/errors.ts";
import type { SentSecrets } from "../../../redaction/sent-secrets.ts";
import { shorten } from "../../../redaction/wrap.ts";
import type { Connection } from "./connection.ts";
import { type FailedAnswer, failure, refusal, unreachable } from "./failure.ts";
import { BoundsExceeded } from "./limits.ts";
import type { RequestOutcome } from "./retry.ts";

/** A connection that collects the credentials that it sends. */
export type HidingConnection = Connection & { readonly sent: SentSecrets };

/** A request that qvs didn't send, although the cluster works. */
export class NotSent extends Error {}

export function toAnswer(outcome: RequestOutcome, connection: HidingConnection): ApiResult<string> {
  if (outcome.type === "unanswered") return unanswered(outcome.error, connection);
  const { status, headers, text } = outcome;
  const isOk = status >= 200 && status < 300;
  const answer = isOk ? ({ ok: true, value: text } as const) : refused(status, text, connection);
  const { sent } = connection;
  const warnings = sent.hide(parseWarnings({ ...headers, warning: sent.hide(headers.warning) }));
  return warnings.length === 0 ? answer : { ...answer, warnings };
}

/**
 * Returns the failure of a rejected request. After a 401 it names the identity, because the API
 * server doesn't explain why it rejects it.
 */
export function refused(
  status: number,
  text: string,
  { identity, sent }: HidingConnection,
): FailedAnswer {
  // Secrets are hidden before `refusal` shortens the text, and again after it decodes the JSON.
  const answer = sent.hide(refusal(status, sent.hide(text)));
  const who = status === 401 ? identity?.() : undefined;
  if (who === undefined) return answer;
  const message = `${answer.failure.message}. The API server doesn't accept the ID token with ${who}`;
  return { ok: false, failure: { ...answer.failure, message, fix: compareWithIssuers } };
}

const compareWithIssuers =
  "Compare these values with the input oidc-audience, and with `issuer.url`, `issuer.audiences` and the rules in the API server's AuthenticationConfiguration. The API server's log shows which value doesn't match";

/**
 * Returns the failure of a request without an answer. A missing credential counts as unauthorized,
 * because the user must fix it like a rejected one.
 */
export function unanswered(error: unknown, connection: HidingConnection): FailedAnswer {
  return connection.sent.hide(explainUnanswered(error, connection));
}

/** Returns the failure of a credential that qvs can't get, with the fix of its problem. */
function missingCredentialFailure({ problems: [problem], message }: UserError): FailedAnswer {
  if (problem === undefined) return failure("unauthorized", message);
  const { what, why = "", facts = [], fix, otherwise = [] } = problem;
  const reasons = [what, why, ...facts.map(({ label, value }) => `${label}: ${value}`)];
  const failed = failure("unauthorized", reasons.filter((text) => text !== "").join(". "));
  const fixes = [fix, ...otherwise.map((other) => `or ${other}`)];
  return { ...failed, failure: { ...failed.failure, fix: fixes.join(", ") } };
}

function explainUnanswered(error: unknown, { server }: Connection): FailedAnswer {
  if (error instanceof UserError) return missingCredentialFailure(error);
  if (error instanceof NotSent) return failure("other", error.message);
  if (error instanceof BoundsExceeded) return failure("beyond-bounds", error.message);
  return unreachable(server, error);
}

/** The maximum number of warnings. An admission webhook can send any number. */
const maxWarnings = 10;
/** The maximum length in UTF-16 units. The API server's own warnings are shorter. */
const longestWarning = 400;

/**
 * Returns the texts of the `Warning` headers of an answer, `299 - "v1 Endpoints is deprecated"`
 * (RFC 7234, section 5.5). It returns each text once, and only the first ones. Other codes concern
 * caches. Unreadable warnings are left out.
 */
function parseWarnings(headers: IncomingHttpHeaders): readonly string[] {
  const header = [headers.warning ?? []].flat().join(", ");
  const texts = [...header.matchAll(/(?:^|,)\s*(\d{3}) [^\s",]+ "((?:[^"\\]|\\.)*)"(?: "[^"]*")?/g)]
    .filter(([, code]) => code === "299")
    .map(([, , quoted = ""]) => oneLine(utf8(quoted.replaceAll(/\\(.)/g, "$1"))))
    .filter((text) => text !== "");
  return [...new Set(texts)].slice(0, maxWarnings);
}

/** Decodes a header as UTF-8, because Node.js reads headers as Latin-1. */
function utf8(text: string): string {
  return Buffer.from(text, "latin1").toString("utf8");
}

function oneLine(text: string): string {
  return shorten(text.replaceAll(/\s+/g, " ").trim(), longestWarning);
}
