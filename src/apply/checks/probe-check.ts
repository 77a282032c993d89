import {
  type CheckFact,
  type DeploymentCheck,
  type PassedCheck,
  type PolledCheck,
  type SecretHeader,
  secretHeaders,
} from "../../model/deployment-checks.ts";
import { textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { ProbeAnswer, ProbeHeader, ProbeLimits } from "../../ports/probe.ts";
import type { ApplyRun } from "../run.ts";

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
