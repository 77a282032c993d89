import { deploymentLabel, replaceAnnotation } from "../../model/annotations.ts";
import { type SecretHolder, spokenOfAs, valueAt } from "../../model/apply-time-reference.ts";
import { type ApiFailure, meaningOf } from "../../model/cluster/api-failure.ts";
import { isDeniedByPolicy } from "../../model/cluster/api-words/admission.ts";
import {
  isImmutable,
  isOnlyImmutable,
  isWithinImmutable,
} from "../../model/cluster/api-words/immutable.ts";
import {
  isAfterSecondSource,
  isDuplicate,
  isSecondSource,
  misfitFields,
} from "../../model/cluster/api-words/invalid-fields.ts";
import { conflictOwner } from "../../model/cluster/api-words/state.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { insteadOfRecreation, keepsDataByName } from "../../model/cluster/recreation.ts";
import { isObject, listAt, withoutField } from "../../model/json.ts";
import { idOf, type KubeObject, label, nameOf } from "../../model/object.ts";
import { fieldManager } from "../../model/plan.ts";
import { declaredAt, fieldsOf, type Problem } from "../../model/problems/problem.ts";
import { showableRefusal } from "../../redaction/showable-refusal.ts";
import { ownersOf } from "../../ssa/managed-fields.ts";
import { isProtected } from "../../ssa/protection.ts";
import { asksToBeReplaced, isReplaceable } from "../../ssa/steps/recreate.ts";
import type { DesiredObject } from "../declared/objects.ts";
import { findField } from "../ownership/field-path.ts";
import { type ConflictRecord, conflictProblem, ignoringAll } from "./conflict-problem.ts";
import { changedImmutableFields } from "./immutable-fields.ts";

export interface RefusedObject {
  /** Somebody else has made it. */
  readonly isForeign?: boolean;
  /** What is live may not be told. */
  readonly isWithheld?: boolean;
  /** Whether a conflict with a manager is none once the others are resolved. */
  readonly isResolved?: (owner: ReturnType<typeof conflictOwner>) => boolean;
  readonly record?: ConflictRecord | undefined;
  /** What the server said of it under another name, where it is to be recreated. */
  readonly remade?: ApiFailure | undefined;
  /** Who holds what the server refuses it beside; without that it was accepted. */
  readonly excludedBy?: readonly string[] | undefined;
}

/** What a refused dry-run means for the user: one problem per conflicting or wrong field. */
export function problemsOfDryRun(
  desired: DesiredObject,
  live: KubeObject | undefined,
  failure: ApiFailure,
  {
    isForeign = false,
    isWithheld = false,
    isResolved = () => false,
    record,
    remade,
    excludedBy = [],
  }: RefusedObject = {},
): readonly Problem[] {
  const { message, causes } = showable(failure, desired, isWithheld);
  const again = remade && showable(remade, desired, isWithheld).message;
  const all = causes.filter((cause) => cause.reason === "FieldManagerConflict");
  if (all.length > 0) {
    const open = all.filter((cause) => !isResolved(conflictOwner(cause)));
    const conflicts = open.length === 0 ? all : open;
    const line = ignoringAll(desired, conflicts);
    return conflicts
      .toSorted((a, b) => (a.field < b.field ? -1 : 1))
      .map((cause) =>
        conflictProblem(desired, isWithheld ? "not ours" : live, cause, { line, record }),
      );
  }
  if (failure.reason === "invalid" && causes.length > 0) {
    const told = causes.filter(
      (cause) =>
        !isAfterSecondSource(cause, causes) &&
        (!isWithinImmutable(cause, causes) || declares(desired.object, cause.field)),
    );
    const isAlone = isOnlyImmutable(failure);
    const problems = told.map((cause) =>
      invalidProblem(desired, live, cause, { isForeign, isAlone, again, excludedBy, record }),
    );
    return asOne(problems, desired);
  }
  const subject = nameOf(desired.id);
  const what = `${subject}: ${message}`;
  const { code, fix } = isOnlyImmutable(failure)
    ? immutableMeaning(desired.object, live, { isForeign, isAlone: true, again })
    : meaningOf(failure, permissionFor(desired, live));
  // As the server says them, since they are only compared; of a Secret nothing else of its words is kept.
  const misfits = misfitFields(failure).map((field) => findField(desired.object, field).path);
  const about = fieldsOf(desired, misfits);
  return [{ code, subjects: [subject], what, fix, where: declaredAt(desired), about }];
}

/** What can't be changed of an object has one cure, however many fields of it that are. */
function asOne(problems: readonly Problem[], { id }: DesiredObject): readonly Problem[] {
  const prefix = `${nameOf(id)}: `;
  const isOfFields = ({ code }: Problem) => code === "immutable-field";
  const [first, ...more] = problems.filter(isOfFields);
  if (first === undefined || more.length === 0) return problems;
  const said = more.map(({ what }) => what.slice(prefix.length));
  const one = { ...first, what: [first.what, ...said].join("; ") };
  return problems.flatMap((each) => (each === first ? [one] : isOfFields(each) ? [] : [each]));
}

function permissionFor({ id, object }: DesiredObject, live: KubeObject | undefined): string {
  const verbs = live === undefined ? "create and patch" : "patch";
  const place = id.namespace === "" ? "" : ` in namespace ${id.namespace}`;
  return `${verbs} on ${id.kind} of ${object.apiVersion}${place}`;
}

/**
 * A refusal as it may be shown. An object that holds values of Secrets is treated like one. Of an object of somebody else, what is live
 * may be what the server quotes.
 */
export function showable(
  failure: ApiFailure,
  desired: Pick<DesiredObject, "object"> & SecretHolder,
  isForeign = false,
): ApiFailure {
  const object = spokenOfAs(desired.object, desired);
  const isConflict = failure.causes.some(({ reason }) => reason === "FieldManagerConflict");
  const shown = showableRefusal(failure, object);
  if (!isForeign || object.kind === "Secret" || isConflict) return shown;
  return showableRefusal(failure, { ...object, kind: "Secret" });
}

type Cause = ApiFailure["causes"][number];

/** Of `spec.template.metadata.labels[job-name]`: whether the manifest says anything there that could be corrected. */
function declares(object: KubeObject, field: string): boolean {
  const names = [...field.matchAll(/[^.[\]]+|(?<=\[)[^\]]+/g)].map(([name]) => name);
  return (
    valueAt(
      object,
      names.map((name) => (/^\d+$/.test(name) ? Number(name) : name)),
    ) !== undefined
  );
}

interface Immutability {
  readonly isForeign: boolean;
  /** Nothing but immutable fields was refused, so that recreating the object has been tried where it asks for that. */
  readonly isAlone: boolean;
  /** How the server has refused it then. */
  readonly again: string | undefined;
  readonly excludedBy?: readonly string[];
  readonly record?: ConflictRecord | undefined;
}

function invalidProblem(
  desired: DesiredObject,
  live: KubeObject | undefined,
  cause: Cause,
  how: Immutability,
): Problem {
  const { id, object } = desired;
  const named =
    live === undefined || how.isForeign ? [] : changedImmutableFields(cause.message, object, live);
  const path = named.length > 0 ? named.join(", ") : cause.field;
  const field = path === "" || path === "<nil>" ? "" : `${path}: `;
  const name = nameOf(id);
  const what = `${name}: ${field}${cause.message}`;
  const about = { subjects: [name], what, where: declaredAt(desired) };
  if (isImmutable(cause)) return { ...about, ...immutableMeaning(object, live, how) };
  const { excludedBy = [] } = how;
  if (excludedBy.length > 0) {
    return { code: "invalid-object", ...about, ...exclusionCure(excludedBy, how) };
  }
  if (isDuplicate(cause))
    return { code: "invalid-object", ...about, ...duplicateCure(desired, live, how) };
  if (isSecondSource(cause) && live !== undefined && !declaresTwoSources(object))
    return { code: "invalid-object", ...about, fix: anotherVolume };
  return isDeniedByPolicy(cause)
    ? { code: "admission-denied", ...about, fix: satisfyPolicy }
    : { code: "invalid-object", ...about, fix: correctValue };
}

function immutableMeaning(
  object: KubeObject,
  live: KubeObject | undefined,
  how: Immutability,
): Pick<Problem, "code" | "fix"> {
  const fix = how.isForeign ? immutableForeign : immutableFix(object, live, how);
  return { code: "immutable-field", fix };
}

/** Ports of the same name, of which others have put one there. */
function duplicateCure(
  { object, stage }: DesiredObject,
  live: KubeObject | undefined,
  { isForeign, record }: Immutability,
): Pick<Problem, "fix" | "inputs"> {
  if (live === undefined) return { fix: correctValue };
  const own = fieldManager(label(object, deploymentLabel) ?? "", stage);
  const managers = ownersOf(live).filter(
    ({ manager, subresource }) => subresource === "" && manager !== own,
  );
  if (!isForeign && managers.length === 0) return { fix: correctValue };
  const names = [...new Set(managers.map(({ manager }) => manager))].toSorted();
  const from = isForeign || names.length === 0 ? "MANAGER" : names.join(" or ");
  const { taking, inputs } = takingOver("all that this one holds", from, record);
  const fix = `${correctValue}; if the other one is live and was put there by another manager, ${taking}`;
  return { fix, inputs };
}

/** The value may be right: what others have put beside it is not declared, so no conflict tells of it. */
function exclusionCure(
  managers: readonly string[],
  { isForeign, record }: Immutability,
): Pick<Problem, "fix" | "otherwise" | "inputs"> {
  const [names, from] = isForeign
    ? ["another manager", "MANAGER"]
    : [managers.join(" and "), managers.join(",")];
  const isOne = isForeign || managers.length === 1;
  const whose = isOne ? "all its fields" : "all their fields";
  const { taking, inputs } = takingOver(whose, from, record);
  const fix = `The server refuses it only together with what ${names} ${isOne ? "has" : "have"} set, which the manifest does not declare: ${taking}; those that are not declared are removed`;
  // What a release has recorded can't be edited.
  const otherwise = record === undefined ? ["declare what is set there instead of yours"] : [];
  return { fix, otherwise, inputs };
}

/** What puts right what runs has no such flag. */
function takingOver(what: string, from: string, record: ConflictRecord | undefined) {
  const taking = `take ${what} with --takeover=${from}`;
  return record?.corrects === true
    ? { taking: `deploy with --takeover=${from}, which takes ${what}`, inputs: [] }
    : { taking, inputs: [`takeover: ${from}`] };
}

function declaresTwoSources(object: KubeObject): boolean {
  const volumes = listAt(podSpecOf(object)?.spec, "volumes");
  return volumes.some(
    (each) => isObject(each) && Object.keys(withoutField(each, "name")).length > 1,
  );
}

const anotherVolume =
  "The live volume has another source, which the server has filled in, and which applying does not take away: give the volume another name, here and where it is mounted";

const satisfyPolicy =
  "Satisfy the policy of the cluster, or ask its administrators; `kubectl get validatingadmissionpolicies` shows what it checks";

export const correctValue =
  "Correct the value in the adapter, or in the parameter that it is made from";

/** Recreating is for objects of this deployment alone. */
const immutableForeign =
  "Give the object another name: the existing one was not created by this deployment, so it is not recreated";

function immutableFix(
  object: KubeObject,
  live: KubeObject | undefined,
  { isAlone, again }: Immutability,
): string {
  const warning = keepsDataByName(object)
    ? "; under another name it begins with new, empty claims"
    : "";
  const instead = isProtected(idOf(object)) ? insteadOfRecreation(object.kind) : undefined;
  if (instead !== undefined) return instead;
  if (live === undefined || !isReplaceable(object, live)) {
    return `Give the object another name, or delete it yourself first if nothing is lost with it and it may be absent for a moment${warning}`;
  }
  if (!asksToBeReplaced(object)) {
    return `Give the object another name, or the annotation ${replaceAnnotation}: "true" if it may be absent for a moment${warning}`;
  }
  if (!isAlone) {
    return "Correct the other fields first: an object is recreated only if nothing but immutable fields is refused";
  }
  const refused = "Correct the manifest: recreating the object would be refused as well";
  return again === undefined
    ? refused
    : `${refused} (${again}); if that is only because it was tried beside the old one, delete the old one yourself first`;
}
