import type { ServerVersion } from "../../model/cluster/api/server-version.ts";
import { withoutUnstoredPodFields } from "../../model/cluster/fields/unstored-fields.ts";
import { type Json, type JsonObject, objectAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import {
  claimLimitViolations,
  limitRangeViolations,
  requestsAboveLimits,
  withDefaults,
} from "./limit-range.ts";
import { containersAbovePod, withFilledResources } from "./pod-level-resources.ts";
import { podSecurityRejection } from "./pod-security/pod-security.ts";
import { missingResourcesViolation } from "./quotas.ts";

/** A new object that admission checks against the rules of its namespace. */
export type AdmissionSubject =
  | NewPod
  | { readonly kind: "PersistentVolumeClaim"; readonly claim: Json };

export interface NewPod {
  readonly kind: "Pod";
  readonly annotations: JsonObject;
  /** The spec in the Pod's template. */
  readonly declared: JsonObject;
  /** The spec with the API server's current defaults, if a dry run was sent. */
  readonly spec: JsonObject;
  /**
   * True if only the judged objects can add defaults.
   * Either a dry run has added all others, or there are none.
   */
  readonly hasAllDefaults: boolean;
  /** The version of the API server that judges the Pod; undefined if it isn't known. */
  readonly server?: ServerVersion | undefined;
}

/**
 * Describes a new Pod as an API server of this version judges it; `pod` is a Pod or a Pod template.
 */
export function toNewPod(
  pod: Json,
  admitted: KubeObject | undefined,
  server: ServerVersion | undefined,
): NewPod {
  const declared = withoutUnstoredPodFields(objectAt(pod, "spec"), server);
  return {
    kind: "Pod",
    annotations: objectAt(pod, "metadata", "annotations"),
    declared,
    spec: admitted === undefined ? declared : objectAt(admitted, "spec"),
    hasAllDefaults: admitted !== undefined,
    server,
  };
}

/**
 * Returns the API server's message against the subject; undefined if these objects allow it.
 * `grounds` are Namespaces, LimitRanges and ResourceQuotas.
 */
export function rejectionMessage(
  policies: readonly KubeObject[],
  subject: AdmissionSubject,
): string | undefined {
  const ranges = policies.filter(({ kind }) => kind === "LimitRange");
  if (subject.kind !== "Pod") {
    return joinMessages(ranges.flatMap((range) => claimLimitViolations(subject.claim, range)));
  }
  const others = policies.filter(({ kind }) => kind !== "LimitRange");
  const messages = possibleOrders(ranges).map((ordered) =>
    podRejectionMessage(ordered, others, subject),
  );
  return messages.includes(undefined) ? undefined : messages[0];
}

/**
 * Returns one order of the LimitRanges for each that can be first.
 * The API server applies them in an order that differs between requests, and the first default
 * wins. A Pod that passes in one order is admitted in the end.
 */
function possibleOrders(ranges: readonly KubeObject[]): readonly (readonly KubeObject[])[] {
  return ranges.length < 2
    ? [ranges]
    : ranges.map((first) => [first, ...ranges.filter((range) => range !== first)]);
}

function podRejectionMessage(
  ranges: readonly KubeObject[],
  others: readonly KubeObject[],
  subject: NewPod,
): string | undefined {
  const { hasAllDefaults, server } = subject;
  const spec = withFilledResources(
    subject.spec,
    (filled) => withLimitRangeDefaults(ranges, filled),
    server,
  );
  const kinds = Map.groupBy(others, ({ kind }) => kind);
  const quotas = hasAllDefaults ? (kinds.get("ResourceQuota") ?? []) : [];
  const messages = [
    ranges.length > 0 && hasAllDefaults
      ? joinMessages([...requestsAboveLimits(spec), ...containersAbovePod(spec)])
      : undefined,
    joinMessages(ranges.flatMap((range) => limitRangeViolations(spec, range, hasAllDefaults))),
    ...(kinds.get("Namespace") ?? []).map((each) =>
      podSecurityRejection({ ...subject, spec }, each, server),
    ),
    ...quotas.map((quota) => missingResourcesViolation(spec, quota)),
  ];
  return messages.find((each) => each !== undefined);
}

/** Adds the defaults of the LimitRanges to a Pod spec; ignores objects of other kinds. */
export function withLimitRangeDefaults(
  ranges: readonly KubeObject[],
  spec: JsonObject,
): JsonObject {
  return ranges
    .filter(({ kind }) => kind === "LimitRange")
    .reduce((admitted, range) => withDefaults(admitted, range), spec);
}

/** Joins messages as the API server joins all violations of LimitRanges. */
function joinMessages(messages: readonly string[]): string | undefined {
  const [only, ...more] = new Set(messages);
  return more.length === 0 ? only : `[${[only, ...more].join(", ")}]`;
}
