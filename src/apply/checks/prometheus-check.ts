import type { PrometheusCheck } from "../../model/deployments/deployment-checks.ts";
import { at, isList, isObject, type Json, listAt, textAt } from "../../model/json.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import type { ProbeAnswer } from "../../ports/probe.ts";
import type { ApplyRun } from "../run.ts";
import { type CheckObservation, excerptBody, parseBody, sendProbe } from "./http-check.ts";

/** The maximum number of bytes of an answer. A query of a check has few series. */
const bodyBytes = 1024 * 1024;

/** Sends the query once and compares all of its values with the limits. */
export async function observePrometheus(
  run: ApplyRun,
  check: PrometheusCheck,
  timeoutMs: number,
): Promise<CheckObservation> {
  const path = (base: string) => queryPath(base, check.query);
  const answer = await sendProbe(run, check, path, { timeoutMs, bodyBytes });
  return compareValues(check, answer);
}

/**
 * Returns the path of an instant query
 * (https://prometheus.io/docs/prometheus/latest/querying/api).
 */
function queryPath(base: string, query: string): string {
  const [route = ""] = base.split("?");
  return `${route.replace(/(?<!\/)\/+$/, "")}/api/v1/query?query=${encodeURIComponent(query)}`;
}

/** Compares all values of an answer with the limits. No value isn't a passed check. */
export function compareValues(check: PrometheusCheck, answer: ProbeAnswer): CheckObservation {
  if (answer.type === "unanswered")
    return { unmet: "no answer", facts: [{ label: "error", value: answer.why }] };
  const { status, body, isCut } = answer;
  const parsed = parseBody(body);
  if (status !== 200 || textAt(parsed, "status") !== "success" || isCut) {
    const error = textAt(parsed, "error") ?? body;
    return {
      unmet: isCut ? "the answer has more than 1 MiB" : "the query failed",
      facts: [
        { label: "status", value: String(status) },
        { label: "error", value: excerptBody(error, isCut) },
      ],
    };
  }
  const samples = readSamples(at(parsed, "data"));
  const wrong = samples.filter(({ value }) => !isWithin(check, parseValue(value)));
  const shown = (wrong.length > 0 ? wrong : samples).map(describeSample);
  return {
    unmet: samples.length === 0 ? "the query has no value" : describeExcess(check, wrong),
    facts: [
      { label: "limit", value: describeLimits(check) },
      ...(shown.length === 0 ? [] : [{ label: "value", value: summarizeList(shown, maxSamples) }]),
    ],
  };
}

const maxSamples = 3;

interface Sample {
  readonly labels: string;
  readonly value: string;
}

/** Returns the samples of a scalar or of an instant vector. A matrix has no single values. */
function readSamples(data: Json | undefined): readonly Sample[] {
  const result = at(data, "result");
  if (textAt(data, "resultType") === "scalar") return sample(result, "");
  return listAt(data, "result").flatMap((series) =>
    sample(at(series, "value"), labelText(at(series, "metric"))),
  );
}

function sample(pair: Json | undefined, labels: string): readonly Sample[] {
  const value = isList(pair) ? pair[1] : undefined;
  return typeof value === "string" ? [{ labels, value }] : [];
}

function labelText(metric: Json | undefined): string {
  if (!isObject(metric)) return "";
  const labels = Object.entries(metric).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return excerptBody(labels.join(", "), false);
}

function describeSample({ labels, value }: Sample): string {
  return labels === "" ? value : `${value} (${labels})`;
}

/** Parses a value as Prometheus writes it: `+Inf` and `-Inf` are infinite. */
function parseValue(text: string): number {
  return Number(text.replace(/^([+-]?)Inf$/, "$1Infinity"));
}

/** Reports whether a value is within the limits. NaN never is. */
function isWithin({ min = -Infinity, max = Infinity }: PrometheusCheck, value: number): boolean {
  return value >= min && value <= max;
}

function describeExcess(check: PrometheusCheck, wrong: readonly Sample[]): string | undefined {
  const [first] = wrong;
  return first === undefined ? undefined : `${first.value} instead of ${describeLimits(check)}`;
}

/** Returns the limits as text: `at least 1 and at most 5`. */
function describeLimits({ min, max }: PrometheusCheck): string {
  const least = min === undefined ? [] : [`at least ${min}`];
  const most = max === undefined ? [] : [`at most ${max}`];
  return [...least, ...most].join(" and ");
}
