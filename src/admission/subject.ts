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

/** What admission judges by the objects of a namespace when it is created. */
export type Subject = PodToCome | { readonly kind: "PersistentVolumeClaim"; readonly claim: Json };

export interface PodToCome {
  readonly kind: "Pod";
  readonly annotations: JsonObject;
  /** As its template declares it. */
  readonly declared: JsonObject;
  /** With what the server has given it by what is there now, where it was asked. */
  readonly spec: JsonObject;
  /** Whether nothing but what is judged gives it defaults: the server has said what others give, or there are none. */
  readonly isWhole: boolean;
}

/** `pod` is one, or its template. */
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

/** What the server will say against it by these Namespaces, LimitRanges and ResourceQuotas, in its words; undefined where none minds it. */
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
 * The server takes LimitRanges in any order, another one each time, and the first that gives something decides. So what one order lets
 * through comes through in the end.
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

/** The spec of a Pod with what these give it; what is no LimitRange gives nothing. */
export function withDefaultsOf(ranges: readonly KubeObject[], spec: JsonObject): JsonObject {
  return ranges
    .filter(({ kind }) => kind === "LimitRange")
    .reduce((admitted, range) => withDefaults(admitted, range), spec);
}

/** The server says all at once what the LimitRanges mind. */
function together(said: readonly string[]): string | undefined {
  const [only, ...more] = new Set(said);
  return more.length === 0 ? only : `[${[only, ...more].join(", ")}]`;
}
