import { at, isObject, type Json, type JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import {
  aboveOwnLimits,
  aboveWhole,
  claimLimitsExceeded,
  limitsExceeded,
  withDefaults,
} from "./limit-range.ts";
import { podSecurityRefusal } from "./pod-security/pod-security.ts";
import { unspecifiedIn } from "./required-resources.ts";

/** A new object that admission checks against the rules of its namespace. */
export type Subject = PodToCome | { readonly kind: "PersistentVolumeClaim"; readonly claim: Json };

export interface PodToCome {
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
  readonly isWhole: boolean;
}

/** Describes a new Pod; `pod` is a Pod or a Pod template. */
export function podToCome(pod: Json, admitted: KubeObject | undefined): PodToCome {
  const declared = objectAt(pod, "spec");
  return {
    kind: "Pod",
    annotations: objectAt(pod, "metadata", "annotations"),
    declared,
    spec: admitted === undefined ? declared : objectAt(admitted, "spec"),
    isWhole: admitted !== undefined,
  };
}

function objectAt(value: Json, ...path: readonly string[]): JsonObject {
  const found = at(value, ...path);
  return isObject(found) ? found : {};
}

/**
 * Returns the API server's message against the subject; undefined if these objects allow it.
 * `grounds` are Namespaces, LimitRanges and ResourceQuotas.
 */
export function refusalBy(grounds: readonly KubeObject[], subject: Subject): string | undefined {
  const ranges = grounds.filter(({ kind }) => kind === "LimitRange");
  if (subject.kind !== "Pod") {
    return together(ranges.flatMap((range) => claimLimitsExceeded(subject.claim, range)));
  }
  const others = grounds.filter(({ kind }) => kind !== "LimitRange");
  const said = inEveryOrder(ranges).map((ordered) => refusalOfPod(ordered, others, subject));
  return said.includes(undefined) ? undefined : said[0];
}

/**
 * Returns one order of the LimitRanges for each that can be first.
 * The API server applies them in an order that differs between requests, and the first default
 * wins. A Pod that passes in one order is admitted in the end.
 */
function inEveryOrder(ranges: readonly KubeObject[]): readonly (readonly KubeObject[])[] {
  return ranges.length < 2
    ? [ranges]
    : ranges.map((first) => [first, ...ranges.filter((range) => range !== first)]);
}

function refusalOfPod(
  ranges: readonly KubeObject[],
  others: readonly KubeObject[],
  subject: PodToCome,
): string | undefined {
  const spec = withDefaultsOf(ranges, subject.spec);
  const { isWhole, declared } = subject;
  const kinds = Map.groupBy(others, ({ kind }) => kind);
  const quotas = isWhole ? (kinds.get("ResourceQuota") ?? []) : [];
  const said = [
    ranges.length > 0 && isWhole
      ? together([...aboveOwnLimits(spec), ...aboveWhole(spec, declared)])
      : undefined,
    together(ranges.flatMap((range) => limitsExceeded(spec, range, isWhole))),
    ...(kinds.get("Namespace") ?? []).map((each) => podSecurityRefusal({ ...subject, spec }, each)),
    ...quotas.map((quota) => unspecifiedIn(spec, quota)),
  ];
  return said.find((each) => each !== undefined);
}

/** Adds the defaults of the LimitRanges to a Pod spec; ignores objects of other kinds. */
export function withDefaultsOf(ranges: readonly KubeObject[], spec: JsonObject): JsonObject {
  return ranges
    .filter(({ kind }) => kind === "LimitRange")
    .reduce((admitted, range) => withDefaults(admitted, range), spec);
}

/** Joins messages as the API server joins all violations of LimitRanges. */
function together(said: readonly string[]): string | undefined {
  const [only, ...more] = new Set(said);
  return more.length === 0 ? only : `[${[only, ...more].join(", ")}]`;
}
