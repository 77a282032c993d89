import { deploymentLabel, managedByLabel, managedByValue, stageLabel } from "../annotations.ts";
import { at, isObject, type JsonObject, numberAt } from "../json.ts";
import { annotation, type KubeObject, keyOf, label, type ObjectId } from "../object.ts";
import type { Plan } from "../plan/plan.ts";

/**
 * A check of a deployment (docs/reference/checks.md). It runs after all objects are ready, before
 * any deletion. A release records its checks, so they contain no value of a Secret.
 */
export type DeploymentCheck = HttpCheck | PrometheusCheck | JobCheck;

interface NamedCheck {
  /** A DNS label that is unique in the deployment. */
  readonly name: string;
  /** The maximum duration in milliseconds. */
  readonly timeoutMs: number;
}

/** A check that sends requests until an answer is as expected, for as long as required. */
export interface PolledCheck extends NamedCheck {
  readonly target: CheckTarget;
  readonly headers: readonly CheckHeader[];
  /** Milliseconds between two requests. */
  readonly intervalMs: number;
  /** Milliseconds for which all answers must be as expected; 0 for one answer. */
  readonly holdMs: number;
}

/** Expects an answer of an HTTP server. */
export interface HttpCheck extends PolledCheck {
  readonly type: "http";
  /** The accepted statuses. Empty accepts 200 to 299. */
  readonly status: readonly number[];
  readonly contains?: string | undefined;
  /** A regular expression. */
  readonly matches?: string | undefined;
  readonly maxLatencyMs?: number | undefined;
}

/** Expects that all values of a query are within limits. */
export interface PrometheusCheck extends PolledCheck {
  readonly type: "prometheus";
  readonly query: string;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Expects that a Job succeeds. */
export interface JobCheck extends NamedCheck {
  readonly type: "job";
  /** The `spec` of the Job, as written. */
  readonly spec: JsonObject;
}

/** A check that passed, as a release records it. */
export interface PassedCheck {
  readonly name: string;
  readonly type: DeploymentCheck["type"];
  /** ISO 8601. */
  readonly at: string;
  /** The number of requests, or of the Pods of the Job that ended. */
  readonly attempts: number;
  /** The last answer or the Job, by label, without values of Secrets. */
  readonly evidence: readonly CheckFact[];
}

export interface CheckFact {
  readonly label: string;
  readonly value: string;
}

export type CheckTarget = ServiceTarget | AddressTarget;

/** A Service in the namespace of the deployment, through the API server's proxy. */
export interface ServiceTarget {
  readonly type: "service";
  readonly service: string;
  /** The number or the name of the port. */
  readonly port: string;
  readonly scheme: "http" | "https";
  /** The path with its query. It starts with a slash. */
  readonly path: string;
}

interface AddressTarget {
  readonly type: "address";
  readonly url: string;
}

/** A header with its value, or with the key of a Secret that contains the value. */
export type CheckHeader =
  | { readonly name: string; readonly value: string }
  | {
      readonly name: string;
      readonly secret: string;
      readonly key: string;
      /** The text before the value of the Secret, such as `Bearer `. */
      readonly prefix?: string | undefined;
    };

export type SecretHeader = Extract<CheckHeader, { readonly secret: string }>;

/** Returns the headers whose values are read from Secrets. */
export function secretHeaders(check: DeploymentCheck): readonly SecretHeader[] {
  return check.type === "job" ? [] : check.headers.filter((header) => "secret" in header);
}

/**
 * Returns an ID for a check, so that reports name it like an object: `Check shop/smoke`. No kind of
 * Kubernetes has this name in the core group.
 */
export function checkId(namespace: string, { name }: Pick<DeploymentCheck, "name">): ObjectId {
  return { group: "", kind: "Check", namespace, name };
}

export function checkKey(namespace: string, check: Pick<DeploymentCheck, "name">): string {
  return keyOf(checkId(namespace, check));
}

/** Returns the segment of a proxy path that names the Service: `web:8080`, `https:web:8443`. */
export function proxyName({ service, port, scheme }: ServiceTarget): string {
  return scheme === "https" ? `https:${service}:${port}` : `${service}:${port}`;
}

/** The label with the name of the check. Objects of the inventory never have it. */
const checkLabel = "vs.axis-dev.io/check";

/** The digest of the state that the Job checks. */
const digestAnnotation = "vs.axis-dev.io/check-digest";

/** The number of characters of the digest in the name, and the limit for names of Jobs. */
const digestLength = 10;
const maxNameLength = 63;

/**
 * Returns the Job of a check. Its name contains the digest of the state that it checks, so a later
 * run finds it. It isn't in the inventory, and no field manager of the deployment writes it.
 */
export function checkJob(
  { deployment, namespace }: Pick<Plan, "deployment" | "namespace">,
  { name, spec, timeoutMs }: JobCheck,
  digest: string,
): KubeObject {
  const labels = checkLabels(deployment, name);
  const prefix = `${deployment}-${name}`.slice(0, maxNameLength - digestLength - 1);
  const template = at(spec, "template");
  const podSpec = at(template, "spec");
  const seconds = Math.ceil(timeoutMs / 1000);
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `${prefix.replace(/(?<!-)-+$/, "")}-${digest.slice(0, digestLength)}`,
      namespace,
      labels,
      annotations: { [digestAnnotation]: digest },
    },
    spec: {
      backoffLimit: 0,
      ...spec,
      // A Job that outlives its run or its timeout ends by itself.
      activeDeadlineSeconds: Math.min(numberAt(spec, "activeDeadlineSeconds") ?? seconds, seconds),
      template: {
        ...(isObject(template) ? template : {}),
        spec: { restartPolicy: "Never", ...(isObject(podSpec) ? podSpec : {}) },
      },
    },
  };
}

function checkLabels(deployment: string, check: string): Readonly<Record<string, string>> {
  return {
    [managedByLabel]: managedByValue,
    [deploymentLabel]: deployment,
    [checkLabel]: check,
  };
}

/**
 * Returns a selector for the Jobs of all checks of a deployment. A declared object always has the
 * label of its stage, so a manifest with the label of a check doesn't match.
 */
export function checkJobSelector(deployment: string): string {
  const own = `${managedByLabel}=${managedByValue},${deploymentLabel}=${deployment}`;
  return `${own},${checkLabel},!${stageLabel}`;
}

/** Reports whether a live Job checks the same state for the same deployment. */
export function isSameCheckJob(live: KubeObject, wanted: KubeObject): boolean {
  const names = [managedByLabel, deploymentLabel, checkLabel];
  return (
    names.every((name) => label(live, name) === label(wanted, name)) &&
    annotation(live, digestAnnotation) === annotation(wanted, digestAnnotation)
  );
}
