import type { ApiFailure } from "../model/cluster/api-failure.ts";
import {
  excessesOf,
  isAboutLimits,
  isPodSecurity,
  refusingQuota,
  unspecified,
} from "../model/cluster/api-words/namespace-rules.ts";
import { quantityOf } from "../model/cluster/quantity.ts";
import { at, type Json, type JsonObject, sameJson, textAt } from "../model/json.ts";
import type { KubeObject, ObjectId } from "../model/object.ts";
import { withoutDefaults } from "./limit-range.ts";
import { unspecifiedIn } from "./required-resources.ts";
import { type PodToCome, refusalBy, type Subject, withDefaultsOf } from "./subject.ts";

/** A Namespace, a LimitRange or a ResourceQuota that a deployment makes or changes before what it is about. */
export interface ChangedGround {
  /** undefined where this deployment makes it. */
  readonly before: KubeObject | undefined;
  readonly after: KubeObject;
}

export function isGround({ group, kind }: Pick<ObjectId, "group" | "kind">): boolean {
  return group === "" && ["Namespace", "LimitRange", "ResourceQuota"].includes(kind);
}

/** None where it exists and nobody knows what it will be: others may have fields of it. */
export function groundsOf(
  before: KubeObject | undefined,
  declared: KubeObject,
  predicted: KubeObject | undefined,
): readonly ChangedGround[] {
  const after = predicted ?? (before === undefined ? declared : undefined);
  return after === undefined ? [] : [{ before, after }];
}

/** What will be said against a new Pod or claim by what these say otherwise than before; undefined where nothing is. */
export function refusalToCome(
  grounds: readonly ChangedGround[],
  subject: Subject,
): string | undefined {
  const others = grounds.filter(
    ({ before, after }) => before === undefined || !sameJson(saidBy(before), saidBy(after)),
  );
  return refusalBy(
    others.map(({ after }) => after),
    subject.kind === "Pod" ? amid(grounds, subject) : subject,
  );
}

/** The Pod as LimitRanges will leave it that these change. */
export function withComingDefaults(grounds: readonly ChangedGround[], pod: PodToCome): JsonObject {
  return withDefaultsOf(
    grounds.map(({ after }) => after),
    amid(grounds, pod).spec,
  );
}

/** Without what LimitRanges have given it that these change. In a new namespace there are no others. */
function amid(grounds: readonly ChangedGround[], pod: PodToCome): PodToCome {
  const isNew = grounds.some(
    ({ before, after }) => before === undefined && after.kind === "Namespace",
  );
  const spec = grounds.reduce(
    (left, { before }) =>
      before?.kind === "LimitRange" ? withoutDefaults(left, pod.declared, before) : left,
    pod.spec,
  );
  return { ...pod, spec, isWhole: pod.isWhole || isNew };
}

function saidBy(ground: KubeObject): Json {
  if (ground.kind !== "Namespace") return at(ground, "spec") ?? null;
  const labels = at(ground, "metadata", "labels");
  return ["enforce", "enforce-version"].map(
    (name) => textAt(labels, `pod-security.kubernetes.io/${name}`) ?? null,
  );
}

/** What refuses it now and no longer will, or makes up for it; undefined where it stays refused. `subject` is undefined for what is no Pod or claim. */
export function liftedBy(
  failure: ApiFailure,
  grounds: readonly ChangedGround[],
  subject: Subject | undefined,
): KubeObject | undefined {
  if (refusingQuota(failure) !== undefined) return quotaLiftedBy(failure, grounds, subject);
  if (isAboutLimits(failure)) return noLongerRefusing("LimitRange", grounds, subject);
  return isPodSecurity(failure) ? noLongerRefusing("Namespace", grounds, subject) : undefined;
}

/** One of the kind has refused it, and none does any more. */
function noLongerRefusing(
  kind: "LimitRange" | "Namespace",
  grounds: readonly ChangedGround[],
  subject: Subject | undefined,
): KubeObject | undefined {
  if (subject === undefined) return undefined;
  const own = grounds.filter(({ after }) => after.kind === kind);
  const refusing = own.find(
    ({ before }) => before !== undefined && refusalBy([before], subject) !== undefined,
  );
  const after = own.map((ground) => ground.after);
  return refusalBy(after, subject) === undefined ? refusing?.after : undefined;
}

function quotaLiftedBy(
  failure: ApiFailure,
  grounds: readonly ChangedGround[],
  subject: Subject | undefined,
): KubeObject | undefined {
  const after = grounds.map((ground) => ground.after);
  const ranges = after.filter(({ kind }) => kind === "LimitRange");
  const quota = after.find(
    ({ kind, metadata }) =>
      kind === "ResourceQuota" && textAt(metadata, "name") === refusingQuota(failure),
  );
  const missing = unspecified(failure);
  if (missing.length === 0) {
    return quota === undefined || isStillExceeded(quota, failure) ? undefined : quota;
  }
  // The quota may ask for it no longer, or a LimitRange give what the Pod does not set.
  const asked = missing.filter(
    (name) => quota === undefined || at(quota, "spec", "hard", name) !== undefined,
  );
  if (asked.length === 0) return quota;
  if (subject?.kind !== "Pod") return undefined;
  const isGiven = unspecifiedIn(withDefaultsOf(ranges, subject.spec), quotaOf(asked)) === undefined;
  return isGiven ? ranges[0] : undefined;
}

function quotaOf(names: readonly string[]): KubeObject {
  const hard: JsonObject = Object.fromEntries(names.map((name) => [name, "0"]));
  return { apiVersion: "v1", kind: "ResourceQuota", metadata: {}, spec: { hard } };
}

/** Of what is created together the quota is added up elsewhere. */
function isStillExceeded(quota: KubeObject, failure: ApiFailure): boolean {
  return excessesOf(failure).some(({ resource, requested, used }) => {
    const limit = quantityOf(at(quota, "spec", "hard", resource));
    const [more, now] = [quantityOf(requested), quantityOf(used)];
    return (
      limit !== undefined &&
      more !== undefined &&
      now !== undefined &&
      now + more > limit + tolerance
    );
  });
}

/** Sums of fractions are not exact. */
const tolerance = 1e-6;
