import {
  type CheckFact,
  type DeploymentCheck,
  type HttpCheck,
  type PassedCheck,
  type PolledCheck,
  type SecretHeader,
  secretHeaders,
} from "../../model/deployments/deployment-checks.ts";
import {
  exceedsMaxNesting,
  isList,
  isObject,
  type Json,
  parseJson,
  textAt,
} from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { matchesPattern } from "../../model/text/pattern.ts";
import type { ProbeAnswer, ProbeHeader, ProbeLimits } from "../../ports/probe.ts";
import { hideCredentials } from "../../redaction/hide-credentials.ts";
import { isSensitiveField, isSensitiveName } from "../../redaction/sensitive-name.ts";
import { shorten } from "../../redaction/wrap.ts";
import type { ApplyRun } from "../run.ts";

/** The maximum number of bytes of a body that a check reads. */
const bodyBytes = 64 * 1024;

/** Sends one request and compares its answer with the expectation. */
export async function observeHttp(
  run: ApplyRun,
  check: HttpCheck,
  timeoutMs: number,
): Promise<CheckObservation> {
  const answer = await sendProbe(run, check, (path) => path, { timeoutMs, bodyBytes });
  return compareAnswer(check, answer);
}

/** Compares an answer with the expectation. The first difference is the reason. */
export function compareAnswer(check: HttpCheck, answer: ProbeAnswer): CheckObservation {
  if (answer.type === "unanswered")
    return { unmet: "no answer", facts: [{ label: "error", value: answer.why }] };
  const { status, body, isCut, latencyMs } = answer;
  const excerpt = excerptBody(body, isCut);
  return {
    unmet: findDifference(check, answer),
    facts: [
      { label: "status", value: String(status) },
      { label: "latency", value: `${Math.round(latencyMs)} ms` },
      ...(excerpt === "" ? [] : [{ label: "body", value: excerpt }]),
    ],
  };
}

/** The work of an expression on a body of 64 KiB, about a second. */
const maxPatternSteps = 100_000_000;

function findDifference(
  { status: accepted, contains, matches, maxLatencyMs }: HttpCheck,
  { status, body, latencyMs }: Extract<ProbeAnswer, { readonly type: "answered" }>,
): string | undefined {
  const isAccepted =
    accepted.length === 0 ? status >= 200 && status < 300 : accepted.includes(status);
  if (!isAccepted)
    return `status ${status} instead of ${accepted.length === 0 ? "200 to 299" : accepted.join(" or ")}`;
  if (contains !== undefined && !body.includes(contains)) return "the body lacks the expected text";
  if (matches !== undefined && matchesPattern(body, matches, maxPatternSteps) !== true)
    return "the body doesn't match the expression";
  if (maxLatencyMs !== undefined && latencyMs > maxLatencyMs)
    return `latency ${Math.round(latencyMs)} ms instead of at most ${maxLatencyMs} ms`;
  return undefined;
}

/** The result of one request, compared with the expectation. */
export interface CheckObservation {
  /** The reason why the answer isn't as expected; undefined if it is. */
  readonly unmet?: string | undefined;
  /** The evidence, by label. */
  readonly facts: readonly CheckFact[];
}

/** The evidence that a check passed. */
export type CheckPass = Pick<PassedCheck, "attempts" | "evidence">;

/** Sends one request of a check. `path` replaces its path. */
export async function sendProbe(
  run: ApplyRun,
  check: PolledCheck & DeploymentCheck,
  path: (base: string) => string,
  limits: ProbeLimits,
): Promise<ProbeAnswer> {
  const { cluster, probe } = run.world;
  const { signal } = run.cancellation;
  const headers = await readHeaders(run, check);
  if (!headers.ok) return { type: "unanswered", why: headers.why };
  const { target } = check;
  if (target.type === "address") return probe.get(path(target.url), headers.value, limits, signal);
  const request = {
    namespace: run.plan.namespace,
    target: { ...target, path: path(target.path) },
    headers: headers.value,
  };
  return cluster.getFromService(request, limits, signal);
}

type ReadHeaders =
  | { readonly ok: true; readonly value: readonly ProbeHeader[] }
  | { readonly ok: false; readonly why: string };

/** Reads the values of headers just before they are sent, because a Secret can change. */
async function readHeaders(
  run: ApplyRun,
  check: PolledCheck & DeploymentCheck,
): Promise<ReadHeaders> {
  const values = new Map<SecretHeader, string>();
  for (const header of secretHeaders(check)) {
    const read = await readSecretValue(run, header);
    if (!read.ok) return read;
    values.set(header, read.value);
  }
  return {
    ok: true,
    value: check.headers.map((header): ProbeHeader => {
      if (!("secret" in header)) return { ...header, isSecret: false };
      const value = `${header.prefix ?? ""}${values.get(header) ?? ""}`;
      return { name: header.name, value, isSecret: true };
    }),
  };
}

type ReadValue =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly why: string };

async function readSecretValue(
  { world, plan, secrets }: ApplyRun,
  { secret, key }: SecretHeader,
): Promise<ReadValue> {
  const answer = await world.cluster.read({
    ...{ apiVersion: "v1", kind: "Secret", namespace: plan.namespace, name: secret },
  });
  if (!answer.ok) return { ok: false, why: `Secret ${secret}: ${answer.failure.message}` };
  if (answer.value === undefined) return { ok: false, why: `Secret ${secret} doesn't exist` };
  secrets.add(answer.value);
  const value = decodeValue(answer.value, key);
  if (value === undefined) return { ok: false, why: `Secret ${secret} has no key "${key}"` };
  return /^[\t\x20-\x7e]+$/.test(value)
    ? { ok: true, value }
    : { ok: false, why: `the value of "${key}" in Secret ${secret} can't be sent in a header` };
}

/** Returns the value without the line break at its end, which many editors add. */
function decodeValue(secret: KubeObject, key: string): string | undefined {
  const encoded = textAt(secret, "data", key);
  if (encoded === undefined) return undefined;
  return Buffer.from(encoded, "base64")
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

/** The maximum number of characters of a body that a report shows. */
const maxLength = 200;

/**
 * Returns the start of a body on one line. A server can answer with anything, so values with
 * sensitive names and words that look like credentials are hidden.
 */
export function excerptBody(body: string, isCut: boolean): string {
  const value = parseBody(body);
  const safe = value === undefined ? hideInText(body) : JSON.stringify(hideValues(value));
  const text = safe.replaceAll(/\s+/g, " ").trim();
  return shorten(isCut ? `${text} …` : text, maxLength, maxLength - 1);
}

function hideValues(value: Json, holder = ""): Json {
  if (isList(value)) return value.map((item) => hideValues(item, holder));
  if (!isObject(value)) return typeof value === "string" ? hideInText(value) : value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSensitiveName(name) || isSensitiveField(value, name, holder)
        ? "(hidden)"
        : hideValues(inner, name),
    ]),
  );
}

/** Hides secrets in text that isn't JSON, or that is the cut start of JSON. */
function hideInText(text: string): string {
  const named = text
    .replaceAll(
      /("(?:name|key)"\s{0,9}:\s{0,9}"([^"\n]{1,80})"\s{0,9},\s{0,9}"value"\s{0,9}:\s{0,9})"[^"\n]*"?/g,
      (whole, start: string, name: string) =>
        isSensitiveName(name) ? `${start}"(hidden)"` : whole,
    )
    .replaceAll(
      /(["']?)([\w.-]{3,40})\1(\s*[:=]\s*)("[^"\n]*"?|'[^'\n]*'?|(?:bearer |basic )?[^\s,;&}]+)/gi,
      (whole, quote: string, name: string, between: string) =>
        isSensitiveName(name) ? `${quote}${name}${quote}${between}(hidden)` : whole,
    );
  return hideCredentials(named);
}

/**
 * Parses the body of an answer as JSON; undefined if it has another form. A deeply nested body
 * counts as one, because recursive functions read it.
 */
export function parseBody(body: string): Json | undefined {
  return exceedsMaxNesting(body) ? undefined : parseJson(body);
}
