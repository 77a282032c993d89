import type { HttpCheck } from "../../model/deployment-checks.ts";
import { matchesPattern } from "../../model/text/pattern.ts";
import type { ProbeAnswer } from "../../ports/probe.ts";
import type { ApplyRun } from "../run.ts";
import { excerptBody } from "./excerpt-body.ts";
import { type CheckObservation, sendProbe } from "./probe-check.ts";

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
