import {
  type ApiFailure,
  explainApiFailure,
  type FailureCause,
} from "../../../model/cluster/api/api-failure.ts";
import { conflictOwner } from "../../../model/cluster/api/messages/api-message.ts";
import {
  isImmutable,
  isOnlyImmutable,
  isWithinImmutable,
} from "../../../model/cluster/api/messages/immutable.ts";
import {
  followsFromSecondSource,
  schemaViolationFields,
  withoutApplyPrefix,
} from "../../../model/cluster/api/messages/invalid-fields.ts";
import type { ServerVersion } from "../../../model/cluster/api/server-version.ts";
import { fieldVersions } from "../../../model/cluster/fields/gated-fields.ts";
import { type KubeObject, nameOf } from "../../../model/object.ts";
import {
  type EmbeddedSecrets,
  valueAt,
  withSecretKind,
} from "../../../model/plan/apply-time-reference.ts";
import {
  declarationPlaces,
  type Problem,
  resourceFields,
} from "../../../model/problems/problem.ts";
import { showableRejection } from "../../../redaction/showable-rejection.ts";
import type { ConflictingFields } from "../../../ssa/steps/step.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import { findField } from "../../ownership/find-field.ts";
import { conflictProblem, ignoreAnnotationValue } from "./conflict-problem.ts";
import {
  causeFields,
  immutableMeaning,
  invalidProblem,
  type RejectedFields,
  type RejectionDetails,
} from "./invalid-field.ts";
import { correctionFix, type PlannedRecord, type ProblemFix } from "./record-fixes.ts";
import { readableFormatFix, unreadableValues } from "./unreadable-values.ts";

export interface RejectedObject {
  /** True if this deployment didn't create the object. */
  readonly isForeign?: boolean;
  /** True if messages must not quote the live object. */
  readonly isWithheld?: boolean;
  /** Reports whether a conflict with a manager ends when the other conflicts are resolved. */
  readonly isResolved?: (owner: ReturnType<typeof conflictOwner>) => boolean;
  readonly record?: PlannedRecord | undefined;
  /** The version of the API server; undefined if it isn't known. */
  readonly server?: ServerVersion | undefined;
  /** The API server's answer under another name, if the object would be recreated. */
  readonly recreateRefusal?: ApiFailure | undefined;
  /**
   * The fields of other managers that conflict with the manifest. The API server accepted it
   * without them.
   */
  readonly excludedBy?: ConflictingFields | undefined;
}

/** Explains a rejected dry run: one problem for each conflicting or wrong field. */
export function dryRunProblems(
  desired: DesiredObject,
  live: KubeObject | undefined,
  failure: ApiFailure,
  rejected: RejectedObject = {},
): readonly Problem[] {
  const shown = showableFailure(failure, desired, rejected.isWithheld);
  const conflicts = shown.causes.filter((cause) => cause.reason === "FieldManagerConflict");
  if (conflicts.length > 0) return conflictProblems(desired, live, conflicts, rejected);
  const { isForeign = false, isWithheld = false, recreateRefusal } = rejected;
  const { excludedBy, record } = rejected;
  const recreateMessage =
    recreateRefusal && showableFailure(recreateRefusal, desired, isWithheld).message;
  const isAlone = isOnlyImmutable(failure);
  const how = {
    isForeign,
    recreated: desired.recreated.object,
    isWithheld,
    isAlone,
    again: recreateMessage,
    excludedBy,
    record,
  };
  if (failure.reason === "invalid" && shown.causes.length > 0) {
    return invalidProblems(desired, live, shown.causes, how);
  }
  const unreadable = unreadableProblems(desired, shown, record);
  if (unreadable.length > 0) return unreadable;
  const subject = nameOf(desired.id);
  const {
    code,
    facts = [],
    ...advice
  } = isAlone
    ? immutableMeaning(desired.object, live, how)
    : recordedMeaning(record, explainApiFailure(failure, permissionText(desired, live)));
  // The fields are as the API server names them, because they are only compared. For a Secret, qvs
  // keeps nothing else of the API server's text.
  const violations = schemaViolationFields(failure);
  const misfits = violations.map((field) => findField(desired.object, field).path);
  const versions = violations.flatMap(
    (field) => fieldVersions(desired.object, field, rejected.server) ?? [],
  );
  const about = resourceFields(desired, misfits.toSorted());
  return [
    {
      code,
      subjects: [subject],
      what: `${subject}: ${rejections[code] ?? "the API server rejects the object"}`,
      ...advice,
      facts: [
        { label: "answer", value: withoutApplyPrefix(shown) },
        ...[...new Set(versions)].map((value) => ({ label: "exists", value })),
        ...facts,
      ],
      where: declarationPlaces(desired),
      about,
    },
  ];
}

/** The facts about rejections that name no field; the API server's answer has the details. */
const rejections: Readonly<Partial<Record<Problem["code"], string>>> = {
  "admission-denied": "the API server denies the request",
  "api-unavailable": "the API server couldn't handle the request",
  "cluster-unreachable": "the cluster didn't answer",
  "dependency-not-found": "a required object doesn't exist",
  "immutable-field": "an immutable field can't be changed",
  "invalid-credentials": "the cluster doesn't accept the credentials",
  "lock-lost": "the request wasn't made",
  "missing-permission": "this identity lacks a permission",
  "namespace-not-found": "the namespace doesn't exist",
  "object-being-deleted": "the namespace is being deleted",
  "object-changed": "the live object has changed",
  "quota-exceeded": "the quota of the namespace is exceeded",
  "unknown-kind": "the cluster doesn't serve the kind",
  "webhook-unavailable": "an admission webhook doesn't answer",
};

/**
 * Quotes the manifest if the visible part of the rejection still says that a value can't be read.
 */
function unreadableProblems(
  desired: DesiredObject,
  shown: ApiFailure,
  record: PlannedRecord | undefined,
): readonly Problem[] {
  const { id, object } = desired;
  return unreadableValues(object, shown).map(({ field, value }) => ({
    code: "invalid-object",
    subjects: [nameOf(id)],
    what: `${nameOf(id)}: the API server can't read ${field}`,
    facts: [
      { label: "manifest", value: JSON.stringify(value) },
      { label: "answer", value: withoutApplyPrefix(shown) },
    ],
    ...correctUnreadable(shown, record),
    where: declarationPlaces(desired),
    about: resourceFields(desired, [field]),
  }));
}

function correctUnreadable(shown: ApiFailure, record: PlannedRecord | undefined): ProblemFix {
  const fix = record === undefined ? readableFormatFix(shown) : undefined;
  return fix === undefined ? correctionFix(record) : { fix };
}

/** Returns another fix for a recorded manifest, which no one can edit. */
function recordedMeaning(
  record: PlannedRecord | undefined,
  { code, fix }: Pick<Problem, "code" | "fix">,
): ProblemFix & Pick<Problem, "code" | "facts"> {
  const isOfManifest = record !== undefined && code === "invalid-object";
  return { code, ...(isOfManifest ? correctionFix(record) : { fix }) };
}

function conflictProblems(
  desired: DesiredObject,
  live: KubeObject | undefined,
  all: readonly FailureCause[],
  { isWithheld = false, isResolved = () => false, record }: RejectedObject,
): readonly Problem[] {
  const unresolved = all.filter((cause) => !isResolved(conflictOwner(cause)));
  const conflicts = unresolved.length === 0 ? all : unresolved;
  const ignoring = ignoreAnnotationValue(desired, conflicts);
  return conflicts
    .toSorted((a, b) => (a.field < b.field ? -1 : 1))
    .map((cause) =>
      conflictProblem(desired, isWithheld ? "not ours" : live, cause, { ignoring, record }),
    );
}

function invalidProblems(
  desired: DesiredObject,
  live: KubeObject | undefined,
  causes: readonly FailureCause[],
  details: RejectionDetails,
): readonly Problem[] {
  const reported = causes.filter(
    (cause) =>
      !followsFromSecondSource(cause, causes) &&
      (!isWithinImmutable(cause, causes) || declares(desired.object, cause.field)),
  );
  return groupImmutable(reported, (cause) => causeFields(desired, live, cause, details)).map(
    (fields) => invalidProblem(desired, live, fields, details),
  );
}

/**
 * Reports whether the manifest has a value at the field that a user could correct.
 * Example of a field: `spec.template.metadata.labels[job-name]`.
 */
function declares(object: KubeObject, field: string): boolean {
  const names = [...field.matchAll(/[^.[\]]+|(?<=\[)[^\]]+/g)].map(([name]) => name);
  return (
    valueAt(
      object,
      names.map((name) => (/^\d+$/.test(name) ? Number(name) : name)),
    ) !== undefined
  );
}

/** Combines all immutable fields of an object, because they have one fix. */
function groupImmutable(
  causes: readonly FailureCause[],
  findPaths: (cause: FailureCause) => readonly string[],
): readonly RejectedFields[] {
  const immutable = causes.filter(isImmutable);
  return causes.flatMap((cause): readonly RejectedFields[] => {
    if (!immutable.includes(cause)) return [{ causes: [cause], fields: findPaths(cause) }];
    const [first, ...more] = immutable;
    if (first !== cause) return [];
    return [
      { causes: [first, ...more], fields: [...new Set([first, ...more].flatMap(findPaths))] },
    ];
  });
}

function permissionText({ id, object }: DesiredObject, live: KubeObject | undefined): string {
  const verbs = live === undefined ? "create and patch" : "patch";
  const place = id.namespace === "" ? "" : ` in namespace ${id.namespace}`;
  return `${verbs} on ${id.kind} of ${object.apiVersion}${place}`;
}

/**
 * Returns a rejection that qvs can show.
 * An object with values of Secrets is treated like a Secret. For an object outside this deployment,
 * the API server might quote live values.
 */
export function showableFailure(
  failure: ApiFailure,
  desired: Pick<DesiredObject, "object"> & EmbeddedSecrets,
  isForeign = false,
): ApiFailure {
  const object = withSecretKind(desired.object, desired);
  const isConflict = failure.causes.some(({ reason }) => reason === "FieldManagerConflict");
  const shown = showableRejection(failure, object);
  if (!isForeign || object.kind === "Secret" || isConflict) return shown;
  return showableRejection(failure, { ...object, kind: "Secret" });
}
