import {
  type EmbeddedSecrets,
  valueAt,
  withSecretKind,
} from "../../../model/apply-time-reference.ts";
import {
  type ApiFailure,
  explainApiFailure,
  type FailureCause,
} from "../../../model/cluster/api-failure.ts";
import {
  isImmutable,
  isOnlyImmutable,
  isWithinImmutable,
} from "../../../model/cluster/api-messages/immutable.ts";
import {
  followsFromSecondSource,
  schemaViolationFields,
  withoutApplyPrefix,
} from "../../../model/cluster/api-messages/invalid-fields.ts";
import { conflictOwner } from "../../../model/cluster/api-messages/state.ts";
import { type KubeObject, nameOf } from "../../../model/object.ts";
import {
  declarationPlaces,
  type Problem,
  resourceFields,
} from "../../../model/problems/problem.ts";
import { showableRefusal } from "../../../redaction/showable-refusal.ts";
import type { FieldsBeside } from "../../../ssa/steps/step.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import { findField } from "../../ownership/field-path.ts";
import { conflictProblem, ignoringAll } from "./conflict-problem.ts";
import {
  fieldsOfCause,
  immutableMeaning,
  invalidProblem,
  type Refusal,
  type RejectedFields,
} from "./invalid-field.ts";
import { type Cure, correction, type PlannedRecord } from "./record-cures.ts";
import { readableCure, unreadableValues } from "./unreadable-values.ts";

export interface RefusedObject {
  /** True if this deployment didn't create the object. */
  readonly isForeign?: boolean;
  /** True if messages must not quote the live object. */
  readonly isWithheld?: boolean;
  /** Reports whether a conflict with a manager ends when the other conflicts are resolved. */
  readonly isResolved?: (owner: ReturnType<typeof conflictOwner>) => boolean;
  readonly record?: PlannedRecord | undefined;
  /** The API server's answer under another name, if the object would be recreated. */
  readonly remade?: ApiFailure | undefined;
  /**
   * The fields of other managers that conflict with the manifest. The API server accepted it
   * without them.
   */
  readonly excludedBy?: FieldsBeside | undefined;
}

/** Explains a rejected dry run: one problem for each conflicting or wrong field. */
export function problemsOfDryRun(
  desired: DesiredObject,
  live: KubeObject | undefined,
  failure: ApiFailure,
  refused: RefusedObject = {},
): readonly Problem[] {
  const shown = showable(failure, desired, refused.isWithheld);
  const conflicts = shown.causes.filter((cause) => cause.reason === "FieldManagerConflict");
  if (conflicts.length > 0) return conflictProblems(desired, live, conflicts, refused);
  const { isForeign = false, isWithheld = false, remade, excludedBy, record } = refused;
  const again = remade && showable(remade, desired, isWithheld).message;
  const isAlone = isOnlyImmutable(failure);
  const how = { isForeign, isWithheld, isAlone, again, excludedBy, record };
  if (failure.reason === "invalid" && shown.causes.length > 0) {
    return invalidProblems(desired, live, shown.causes, how);
  }
  const unreadable = unreadableProblems(desired, shown, record);
  if (unreadable.length > 0) return unreadable;
  const subject = nameOf(desired.id);
  const {
    code,
    facts = [],
    ...cure
  } = isAlone
    ? immutableMeaning(desired.object, live, how)
    : meaningWith(record, explainApiFailure(failure, permissionFor(desired, live)));
  // The fields are as the API server names them, because they are only compared. For a Secret, qvs
  // keeps nothing else of the API server's text.
  const misfits = schemaViolationFields(failure).map(
    (field) => findField(desired.object, field).path,
  );
  const about = resourceFields(desired, misfits.toSorted());
  return [
    {
      code,
      subjects: [subject],
      what: `${subject}: ${rejections[code] ?? "the API server rejects the object"}`,
      ...cure,
      facts: [{ label: "answer", value: withoutApplyPrefix(shown) }, ...facts],
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
    ...correctionOfUnreadable(shown, record),
    where: declarationPlaces(desired),
    about: resourceFields(desired, [field]),
  }));
}

function correctionOfUnreadable(shown: ApiFailure, record: PlannedRecord | undefined): Cure {
  const fix = record === undefined ? readableCure(shown) : undefined;
  return fix === undefined ? correction(record) : { fix };
}

/** Returns another fix for a recorded manifest, which no one can edit. */
function meaningWith(
  record: PlannedRecord | undefined,
  { code, fix }: Pick<Problem, "code" | "fix">,
): Cure & Pick<Problem, "code" | "facts"> {
  const isOfManifest = record !== undefined && code === "invalid-object";
  return { code, ...(isOfManifest ? correction(record) : { fix }) };
}

function conflictProblems(
  desired: DesiredObject,
  live: KubeObject | undefined,
  all: readonly FailureCause[],
  { isWithheld = false, isResolved = () => false, record }: RefusedObject,
): readonly Problem[] {
  const open = all.filter((cause) => !isResolved(conflictOwner(cause)));
  const conflicts = open.length === 0 ? all : open;
  const ignoring = ignoringAll(desired, conflicts);
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
  how: Refusal,
): readonly Problem[] {
  const told = causes.filter(
    (cause) =>
      !followsFromSecondSource(cause, causes) &&
      (!isWithinImmutable(cause, causes) || declares(desired.object, cause.field)),
  );
  return asOne(told, (cause) => fieldsOfCause(desired, live, cause, how)).map((fields) =>
    invalidProblem(desired, live, fields, how),
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
function asOne(
  causes: readonly FailureCause[],
  pathsOf: (cause: FailureCause) => readonly string[],
): readonly RejectedFields[] {
  const immutable = causes.filter(isImmutable);
  return causes.flatMap((cause): readonly RejectedFields[] => {
    if (!immutable.includes(cause)) return [{ causes: [cause], fields: pathsOf(cause) }];
    const [first, ...more] = immutable;
    if (first !== cause) return [];
    return [{ causes: [first, ...more], fields: [...new Set([first, ...more].flatMap(pathsOf))] }];
  });
}

function permissionFor({ id, object }: DesiredObject, live: KubeObject | undefined): string {
  const verbs = live === undefined ? "create and patch" : "patch";
  const place = id.namespace === "" ? "" : ` in namespace ${id.namespace}`;
  return `${verbs} on ${id.kind} of ${object.apiVersion}${place}`;
}

/**
 * Returns a rejection that qvs can show.
 * An object with values of Secrets is treated like a Secret. For an object outside this deployment,
 * the API server might quote live values.
 */
export function showable(
  failure: ApiFailure,
  desired: Pick<DesiredObject, "object"> & EmbeddedSecrets,
  isForeign = false,
): ApiFailure {
  const object = withSecretKind(desired.object, desired);
  const isConflict = failure.causes.some(({ reason }) => reason === "FieldManagerConflict");
  const shown = showableRefusal(failure, object);
  if (!isForeign || object.kind === "Secret" || isConflict) return shown;
  return showableRefusal(failure, { ...object, kind: "Secret" });
}
