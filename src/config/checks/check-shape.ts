import { dnsLabelRule, isDnsLabel } from "../../model/cluster/object-names.ts";
import type {
  DeploymentCheck,
  HttpCheck,
  JobCheck,
  PolledCheck,
  PrometheusCheck,
} from "../../model/deployments/deployment-checks.ts";
import { isObject } from "../../model/json.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import type { YamlNode } from "../../model/sources/yaml-node.ts";
import { isPattern } from "../../model/text/pattern.ts";
import { toJson } from "../read-typed.ts";
import {
  anyMap,
  described,
  listOf,
  optional,
  record,
  required,
  shape,
  text,
  type YamlText,
} from "../yaml/shape.ts";
import {
  duration,
  headers,
  invalidValue,
  numeric,
  readTarget,
  statuses,
  targetFields,
} from "./check-fields.ts";

const pollFields = {
  ...targetFields,
  headers: described("Headers of the request.", optional(headers)),
  interval: described("Time between two requests. Default: 5s.", optional(duration)),
  timeout: described("Maximum duration. Default: 1m more than for or window.", optional(duration)),
};

const httpShape = record({
  ...pollFields,
  status: described("Accepted statuses. Default: 200 to 299.", optional(statuses)),
  contains: described("Text that the body contains.", optional(text)),
  matches: described("Regular expression that the body matches.", optional(text)),
  maxLatency: described("Maximum time for the answer.", optional(duration)),
  for: described("Time for which all answers must pass. Default: one answer.", optional(duration)),
});

const prometheusShape = record({
  ...pollFields,
  query: described("Query in PromQL. All of its values must be within the limits.", required(text)),
  min: described("Minimum of all values.", optional(numeric)),
  max: described("Maximum of all values.", optional(numeric)),
  window: described("Time for which all values must pass. Default: once.", optional(duration)),
});

const jobShape = record({
  template: described("Pod template of the Job.", optional(anyMap)),
  spec: described("spec of a Job, instead of a template.", optional(anyMap)),
  timeout: described("Maximum duration. Default: 5m.", optional(duration)),
});

const checkShape = record({
  name: described(
    "Name of the check, a DNS label that is unique in the deployment.",
    required(text),
  ),
  http: described("Expects an answer of an HTTP server.", optional(httpShape)),
  prometheus: described("Expects values of a Prometheus query.", optional(prometheusShape)),
  job: described("Expects that a Job succeeds.", optional(jobShape)),
});

/** A list of checks, after parameters are replaced. */
export const checksShape = listOf(checkShape);

/** The checks as written. Their form is checked after parameters are replaced. */
export const writtenChecks = shape((node) => node, checksShape.schema);

type Read<S> = S extends (...args: never) => infer T ? NonNullable<T> : never;
type WrittenCheck = Read<typeof checkShape>;

/** Returns the checks. Reports invalid ones and names that are used twice. */
export function readChecks(
  written: readonly WrittenCheck[],
  problems: Problem[],
): readonly DeploymentCheck[] {
  reportNames(
    written.map(({ name }) => name),
    problems,
  );
  return written.flatMap((check) => readCheck(check, problems) ?? []);
}

function reportNames(names: readonly YamlText[], problems: Problem[]): void {
  const seen = new Map<string, Position>();
  for (const { value, where } of names) {
    if (!isDnsLabel(value) || value.length > maxNameLength)
      problems.push(invalidValue(where, `"${value}" isn't a valid name of a check`, dnsLabelRule));
    const before = seen.get(value);
    if (before === undefined) seen.set(value, where);
    else problems.push(duplicateName(value, where, before));
  }
}

/**
 * Reports a name that two checks have. A check of deployments.yaml doesn't replace one of the
 * config: a coincidence would silently remove a safeguard.
 */
function duplicateName(name: string, where: Position, before: Position): Problem {
  const what = `Check name "${name}" is used twice`;
  return {
    ...invalidValue(where, what, "Rename one of them"),
    where: [where, before],
    ...(where.file === before.file
      ? {}
      : { otherwise: ["set the values that differ with $(params.NAME) in the config"] }),
  };
}

/** The name is a part of the Job's name, which has at most 63 characters. */
const maxNameLength = 40;

function readCheck(check: WrittenCheck, problems: Problem[]): DeploymentCheck | undefined {
  const { name, http, prometheus, job, where } = check;
  const given = [http, prometheus, job].filter((each) => each !== undefined);
  if (given.length !== 1) {
    const fix = 'Set one of "http", "prometheus" and "job"';
    problems.push(invalidValue(where, `Check "${name.value}" needs exactly one kind`, fix));
    return undefined;
  }
  if (http !== undefined) return readHttp(name.value, http, problems);
  if (prometheus !== undefined) return readPrometheus(name.value, prometheus, problems);
  return job && readJob(name.value, job, problems);
}

function readHttp(
  name: string,
  written: Read<typeof httpShape>,
  problems: Problem[],
): HttpCheck | undefined {
  const polled = readPolled(name, written, written.for, problems);
  const { status = [], contains, matches, maxLatency } = written;
  if (matches !== undefined && !isPattern(matches.value)) {
    const what = '"matches" isn\'t a regular expression of RE2';
    problems.push(invalidValue(matches.where, what, "Correct the expression"));
  }
  return (
    polled && {
      type: "http",
      ...polled,
      status,
      ...(contains === undefined ? {} : { contains: contains.value }),
      ...(matches === undefined ? {} : { matches: matches.value }),
      ...(maxLatency === undefined ? {} : { maxLatencyMs: maxLatency }),
    }
  );
}

function readPrometheus(
  name: string,
  written: Read<typeof prometheusShape>,
  problems: Problem[],
): PrometheusCheck | undefined {
  const polled = readPolled(name, written, written.window, problems);
  const { query, min, max, where } = written;
  if (min === undefined && max === undefined) {
    problems.push(invalidValue(where, "The query has no limit", 'Set "max", "min" or both'));
    return undefined;
  }
  return (
    polled && {
      type: "prometheus",
      ...polled,
      query: query.value,
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
    }
  );
}

function readPolled(
  name: string,
  written: Parameters<typeof readTarget>[0] & {
    readonly headers: PolledCheck["headers"] | undefined;
    readonly interval: number | undefined;
    readonly timeout: number | undefined;
  },
  holdMs: number | undefined = 0,
  problems: Problem[],
): PolledCheck | undefined {
  const { interval = 5000, timeout = holdMs + 60_000, headers: sent = [], where } = written;
  const target = readTarget(written, problems);
  if (timeout <= holdMs) {
    const fix = "Set timeout to a longer time than for or window";
    problems.push(invalidValue(where, `Check "${name}" can't pass before its timeout`, fix));
  }
  if (target?.type === "service") reportAuthorization(sent, where, problems);
  return (
    target && { name, timeoutMs: timeout, target, headers: sent, intervalMs: interval, holdMs }
  );
}

/** Reports a header that never reaches a Service: the API server reads and removes it. */
function reportAuthorization(
  sent: PolledCheck["headers"],
  where: Position,
  problems: Problem[],
): void {
  if (!sent.some(({ name }) => /^authorization$/i.test(name))) return;
  const what = "The API server removes the header Authorization from requests to a Service";
  problems.push(invalidValue(where, what, "Use url, or another header"));
}

function readJob(
  name: string,
  { template, spec, timeout = 300_000, where }: Read<typeof jobShape>,
  problems: Problem[],
): JobCheck | undefined {
  if ((template === undefined) === (spec === undefined)) {
    problems.push(invalidValue(where, "A Job needs a template", 'Set either "template" or "spec"'));
    return undefined;
  }
  const written = toJson(spec ?? (template as YamlNode));
  if (!isObject(written)) return undefined;
  const whole = spec === undefined ? { template: written } : written;
  return { type: "job", name, timeoutMs: timeout, spec: whole };
}
