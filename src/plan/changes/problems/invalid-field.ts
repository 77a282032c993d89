import { deploymentLabel } from "../../../model/annotations.ts";
import type { FailureCause } from "../../../model/cluster/api/api-failure.ts";
import { isDeniedByPolicy } from "../../../model/cluster/api/messages/denials.ts";
import { isImmutable } from "../../../model/cluster/api/messages/immutable.ts";
import {
  isDuplicate,
  isSecondVolumeSource,
} from "../../../model/cluster/api/messages/invalid-fields.ts";
import { recreationAlternative } from "../../../model/cluster/change-effects.ts";
import { changedImmutableFields } from "../../../model/cluster/fields/immutable-fields.ts";
import { podSpecOf } from "../../../model/cluster/pods.ts";
import { isObject, listAt, withoutField } from "../../../model/json.ts";
import { idOf, type KubeObject, label, nameOf } from "../../../model/object.ts";
import { fieldManager } from "../../../model/plan/plan.ts";
import { declarationPlaces, type Fact, type Problem } from "../../../model/problems/problem.ts";
import { summarizeList } from "../../../model/text/suggest.ts";
import { fieldOwners } from "../../../ssa/managed-fields.ts";
import { isProtected } from "../../../ssa/protection.ts";
import type { ConflictingFields } from "../../../ssa/steps/step.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import { deleteFirst, immutableFix } from "./immutable-fix.ts";
import {
  correctionFix,
  type PlannedRecord,
  type ProblemFix,
  recordedReason,
} from "./record-fixes.ts";

/** The owner of the rejected object, and other facts about the rejection. */
export interface RejectionDetails {
  readonly isForeign: boolean;
  /** The object that qvs would send for a recreation. */
  readonly recreated: KubeObject;
  /**
   * True if only immutable fields were rejected. qvs then tried to recreate the object if its
   * annotation allows that.
   */
  readonly isAlone: boolean;
  /** The API server's rejection of the recreated object. */
  readonly again: string | undefined;
  /** True if messages must not quote the live object. */
  readonly isWithheld: boolean;
  /**
   * The fields of other managers that conflict with the manifest. The API server accepted it
   * without them.
   */
  readonly excludedBy: ConflictingFields | undefined;
  readonly record: PlannedRecord | undefined;
}

/** Returns the problem of one or several fields that the API server rejects for the same reason. */
export function invalidProblem(
  desired: DesiredObject,
  live: KubeObject | undefined,
  { causes, fields }: RejectedFields,
  details: RejectionDetails,
): Problem {
  const name = nameOf(desired.id);
  const [cause] = causes;
  const { code, why, facts = [], ...fixes } = causeMeaning(desired, live, cause, details);
  const path = fields.join(", ");
  return {
    code,
    subjects: [name],
    what: `${name}: ${rejectionText(code, path)}`,
    ...(why === undefined ? {} : { why }),
    facts: [...answerFacts(causes), ...facts],
    ...fixes,
    where: declarationPlaces(desired),
  };
}

/** The causes that one problem explains, and the paths of the fields that it names. */
export interface RejectedFields {
  readonly causes: readonly [FailureCause, ...FailureCause[]];
  readonly fields: readonly string[];
}

/** Returns the paths that a cause is about; none if it is about the whole object. */
export function causeFields(
  { object }: DesiredObject,
  live: KubeObject | undefined,
  { field, message }: FailureCause,
  { isForeign }: RejectionDetails,
): readonly string[] {
  const named =
    live === undefined || isForeign ? [] : changedImmutableFields(message, object, live);
  if (named.length > 0) return named;
  return field === "" || field === "<nil>" ? [] : [field];
}

function rejectionText(code: Problem["code"], path: string): string {
  if (code === "admission-denied") return "an admission policy denies the request";
  if (code === "immutable-field") return `${path === "" ? "the object" : path} can't be changed`;
  return `the API server rejects ${path === "" ? "the object" : path}`;
}

/** Returns the API server's answers. Several answers name their fields if they differ. */
function answerFacts(causes: readonly FailureCause[]): readonly Fact[] {
  const isSame = new Set(causes.map(({ message }) => message)).size === 1;
  const texts = causes.map(({ field, message }) =>
    isSame || field === "" || field === "<nil>" ? message : `${field}: ${message}`,
  );
  return [...new Set(texts)].map((value) => ({ label: "answer", value }));
}

/** The code, and the evidence and fixes in addition to the API server's answer. */
type FieldMeaning = Pick<
  Problem,
  "code" | "why" | "facts" | "fix" | "otherwise" | "inputs" | "paste"
>;

function causeMeaning(
  desired: DesiredObject,
  live: KubeObject | undefined,
  cause: FailureCause,
  details: RejectionDetails,
): FieldMeaning {
  const { object } = desired;
  const { record } = details;
  const code = "invalid-object";
  if (isImmutable(cause)) return immutableMeaning(object, live, details);
  if (details.excludedBy !== undefined)
    return { code, ...conflictingFieldsFix(details.excludedBy, details) };
  if (record === undefined && cause.field.startsWith("status.storedVersions")) {
    return { code, fix: migrateFirstFix };
  }
  if (isDuplicate(cause)) return { code, ...duplicateFix(desired, live, details) };
  if (isSecondVolumeSource(cause) && live !== undefined && !declaresTwoSources(object))
    return { code, ...(record ? correctionFix(record) : renameVolume) };
  return isDeniedByPolicy(cause)
    ? { code: "admission-denied", ...satisfyPolicy }
    : { code, ...correctionFix(record) };
}

/** Returns the code and the fix for a field that can't be changed. */
export function immutableMeaning(
  object: KubeObject,
  live: KubeObject | undefined,
  details: RejectionDetails,
): FieldMeaning {
  const { isForeign, record } = details;
  const code = "immutable-field";
  if (record !== undefined) return { code, ...recordedImmutableFix(object, isForeign, record) };
  return { code, ...(isForeign ? foreignImmutableFix : immutableFix(object, live, details)) };
}

/** Returns the fix for ports of the same name, if another manager might have added one. */
function duplicateFix(
  { object, stage }: DesiredObject,
  live: KubeObject | undefined,
  { isForeign, record }: RejectionDetails,
): ProblemFix {
  const advice = correctionFix(record);
  if (live === undefined) return advice;
  const own = fieldManager(label(object, deploymentLabel) ?? "", stage);
  const managers = fieldOwners(live).filter(
    ({ manager, subresource }) => subresource === "" && manager !== own,
  );
  if (!isForeign && managers.length === 0) return advice;
  const names = [...new Set(managers.map(({ manager }) => manager))].toSorted();
  const from = names.length === 0 ? "MANAGER" : names.join(" or ");
  const { taking, inputs } = takeoverAdvice("all its fields", from, record);
  const otherwise = [
    ...(advice.otherwise ?? []),
    `${taking} if another field manager added the live one`,
  ];
  return { ...advice, otherwise, inputs };
}

/**
 * Returns the fix for a value that is rejected together with fields of other managers.
 * The value can be correct. The API server reports no conflict, because those fields aren't
 * declared.
 */
function conflictingFieldsFix(
  { managers, paths }: ConflictingFields,
  { isWithheld, record }: RejectionDetails,
): ProblemFix & Pick<Problem, "facts"> {
  const isOne = managers.length === 1;
  const whose = isOne ? "all its fields" : "all their fields";
  const { taking, inputs } = takeoverAdvice(whose, managers.join(","), record);
  const shown = isWithheld ? paths.flatMap(portPath) : paths;
  const value = summarizeList([...new Set(shown)], maxPaths);
  const owners = managers.join(" and ");
  const why = `The API server rejects it only together with undeclared fields of ${owners}`;
  const evidence = { why, facts: value === "" ? [] : [{ label: "fields", value }], inputs };
  const take = `${taking}, which removes the undeclared ones`;
  // A recorded manifest can't be edited.
  if (record !== undefined)
    return { ...evidence, fix: `${take.charAt(0).toUpperCase()}${take.slice(1)}` };
  return {
    ...evidence,
    fix: `Declare the live values of ${owners} instead of yours`,
    otherwise: [take],
  };
}

const maxPaths = 3;

/**
 * Returns the path of a port with its number and protocol only.
 * qvs must not show names that other managers chose.
 */
function portPath(path: string): readonly string[] {
  const [, before = "", port] =
    /^(.*\bports)(\[(?:port|containerPort)=\d+,protocol="(?:TCP|UDP|SCTP)"\])$/.exec(path) ?? [];
  const parts = before.split("]");
  const place = parts.map((part) => part.replace(/\[.*/s, "[…")).join("]");
  // A name with a bracket would leave a part of its text.
  return port === undefined || place.includes('"') ? [] : [`${place}${port}`];
}

/** Returns the advice to take ownership. A drift correction has no flag for that. */
function takeoverAdvice(fields: string, from: string, record: PlannedRecord | undefined) {
  const taking = `take ownership of ${fields} with --takeover=${from}`;
  return record?.corrects === true
    ? { taking: `deploy a commit to ${taking}`, inputs: [] }
    : { taking, inputs: [`takeover: ${from}`] };
}

function declaresTwoSources(object: KubeObject): boolean {
  const volumes = listAt(podSpecOf(object)?.spec, "volumes");
  return volumes.some(
    (each) => isObject(each) && Object.keys(withoutField(each, "name")).length > 1,
  );
}

const renameVolume: ProblemFix = {
  why: "The API server filled in another source of the live volume, and applying doesn't remove it",
  fix: "Give the volume another name, also where it is mounted",
};

const migrateFirstFix =
  "Keep the version in spec.versions, with served: false if clients must not use it, until all objects are stored in another version and status.storedVersions no longer names it";

const satisfyPolicy: ProblemFix = {
  fix: "Change the object as the policy requires",
  otherwise: [
    "show what the policy checks: kubectl get validatingadmissionpolicies",
    "ask the administrators of the cluster to change the policy",
  ],
};

/** The fix for an object outside this deployment, which qvs never recreates. */
const foreignImmutableFix: ProblemFix = {
  why: "This deployment didn't create the existing object, so qvs doesn't recreate it",
  fix: "Give the object another name",
};

function recordedImmutableFix(
  object: KubeObject,
  isForeign: boolean,
  record: PlannedRecord,
): ProblemFix {
  const why = recordedReason(record);
  const isLost = isProtected(idOf(object)) && recreationAlternative(object.kind) !== undefined;
  if (isLost) {
    return {
      why: `${why}. Deleting the object manually can lose data`,
      fix: "Roll back to another release",
      otherwise: ["deploy a commit that declares the live value"],
    };
  }
  if (isForeign) {
    return {
      why: `${why}, but this deployment didn't create the live object`,
      fix: "Deploy a commit in which the object has another name",
      otherwise: ["delete the live object manually if no one needs it"],
    };
  }
  return {
    why,
    fix: "Deploy a commit that declares the same values as the release",
    otherwise: [deleteFirst],
  };
}
