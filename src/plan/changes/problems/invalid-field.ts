import { deploymentLabel, replaceAnnotation } from "../../../model/annotations.ts";
import type { FailureCause } from "../../../model/cluster/api-failure.ts";
import { isDeniedByPolicy } from "../../../model/cluster/api-words/admission.ts";
import { isImmutable } from "../../../model/cluster/api-words/immutable.ts";
import { isDuplicate, isSecondSource } from "../../../model/cluster/api-words/invalid-fields.ts";
import { changedImmutableFields } from "../../../model/cluster/immutable-fields.ts";
import { podSpecOf } from "../../../model/cluster/pods.ts";
import { insteadOfRecreation, keepsDataByName } from "../../../model/cluster/recreation.ts";
import { isObject, listAt, withoutField } from "../../../model/json.ts";
import { idOf, type KubeObject, label, nameOf } from "../../../model/object.ts";
import { fieldManager } from "../../../model/plan.ts";
import { declaredAt, type Problem } from "../../../model/problems/problem.ts";
import { listed } from "../../../model/text/closest.ts";
import { ownersOf } from "../../../ssa/managed-fields.ts";
import { isProtected } from "../../../ssa/protection.ts";
import { asksToBeReplaced, isReplaceable } from "../../../ssa/steps/recreate.ts";
import type { FieldsBeside } from "../../../ssa/steps/step.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import { correction, hasItSo, type PlannedRecord } from "./record-cures.ts";

/** The owner of the rejected object, and other facts about the rejection. */
export interface Refusal {
  readonly isForeign: boolean;
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
  readonly excludedBy: FieldsBeside | undefined;
  readonly record: PlannedRecord | undefined;
}

/** Returns the problem of a field, with its fix. */
export function invalidProblem(
  desired: DesiredObject,
  live: KubeObject | undefined,
  cause: FailureCause,
  how: Refusal,
): Problem {
  const { id, object } = desired;
  const { record } = how;
  const named =
    live === undefined || how.isForeign ? [] : changedImmutableFields(cause.message, object, live);
  const path = named.length > 0 ? named.join(", ") : cause.field;
  const field = path === "" || path === "<nil>" ? "" : `${path}: `;
  const name = nameOf(id);
  const what = `${name}: ${field}${cause.message}`;
  const about = { subjects: [name], what, where: declaredAt(desired) };
  if (isImmutable(cause)) return { ...about, ...immutableMeaning(object, live, how) };
  if (how.excludedBy !== undefined) {
    return { code: "invalid-object", ...about, ...exclusionCure(how.excludedBy, how) };
  }
  if (record === undefined && cause.field.startsWith("status.storedVersions")) {
    return { code: "invalid-object", ...about, fix: toMigrateFirst };
  }
  if (isDuplicate(cause))
    return { code: "invalid-object", ...about, ...duplicateCure(desired, live, how) };
  if (isSecondSource(cause) && live !== undefined && !declaresTwoSources(object))
    return { code: "invalid-object", ...about, fix: record ? correction(record) : anotherVolume };
  return isDeniedByPolicy(cause)
    ? { code: "admission-denied", ...about, fix: satisfyPolicy }
    : { code: "invalid-object", ...about, fix: correction(record) };
}

/** Returns the code and the fix for a field that can't be changed. */
export function immutableMeaning(
  object: KubeObject,
  live: KubeObject | undefined,
  how: Refusal,
): Pick<Problem, "code" | "fix"> {
  const { isForeign, record } = how;
  const code = "immutable-field";
  if (record !== undefined) return { code, fix: immutableOfRecord(object, isForeign, record) };
  return { code, fix: isForeign ? immutableForeign : immutableFix(object, live, how) };
}

/** Returns the fix for ports of the same name, if another manager might have added one. */
function duplicateCure(
  { object, stage }: DesiredObject,
  live: KubeObject | undefined,
  { isForeign, record }: Refusal,
): Pick<Problem, "fix" | "inputs"> {
  if (live === undefined) return { fix: correction(record) };
  const own = fieldManager(label(object, deploymentLabel) ?? "", stage);
  const managers = ownersOf(live).filter(
    ({ manager, subresource }) => subresource === "" && manager !== own,
  );
  if (!isForeign && managers.length === 0) return { fix: correction(record) };
  const names = [...new Set(managers.map(({ manager }) => manager))].toSorted();
  const from = names.length === 0 ? "MANAGER" : names.join(" or ");
  const { taking, inputs } = takingOver("all that this one holds", from, record);
  const fix = `${correction(record)}; if the other one is live and was put there by another manager, ${taking}`;
  return { fix, inputs };
}

/**
 * Returns the fix for a value that is rejected together with fields of other managers.
 * The value can be correct. The API server reports no conflict, because those fields aren't
 * declared.
 */
function exclusionCure(
  { managers, paths }: FieldsBeside,
  { isWithheld, record }: Refusal,
): Pick<Problem, "fix" | "otherwise" | "inputs"> {
  const isOne = managers.length === 1;
  const whose = isOne ? "all its fields" : "all their fields";
  const { taking, inputs } = takingOver(whose, managers.join(","), record);
  const shown = isWithheld ? paths.flatMap(portOf) : paths;
  const named = shown.length === 0 ? "" : ` (${listed([...new Set(shown)], mostPaths)})`;
  const fix = `The server refuses it only together with what ${managers.join(" and ")} ${isOne ? "has" : "have"} set and the manifest does not declare${named}: ${taking}; what is not declared is removed`;
  // A recorded manifest can't be edited.
  const otherwise = record === undefined ? ["declare what is set there instead of yours"] : [];
  return { fix, otherwise, inputs };
}

const mostPaths = 3;

/**
 * Returns the path of a port with its number and protocol only.
 * qvs must not show names that other managers chose.
 */
function portOf(path: string): readonly string[] {
  const [, before = "", port] =
    /^(.*\bports)(\[(?:port|containerPort)=\d+,protocol="(?:TCP|UDP|SCTP)"\])$/.exec(path) ?? [];
  const parts = before.split("]");
  const place = parts.map((part) => part.replace(/\[.*/s, "[…")).join("]");
  // A name with a bracket would leave a part of its text.
  return port === undefined || place.includes('"') ? [] : [`${place}${port}`];
}

/** Returns the advice to take ownership. A drift correction has no flag for that. */
function takingOver(what: string, from: string, record: PlannedRecord | undefined) {
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

const toMigrateFirst =
  "Leave the version in spec.versions, not served if nobody is to use it, until all objects are stored in another one and status.storedVersions no longer names it";

const satisfyPolicy =
  "Satisfy the policy of the cluster, or ask its administrators; `kubectl get validatingadmissionpolicies` shows what it checks";

/** The fix for an object outside this deployment, which qvs never recreates. */
const immutableForeign =
  "Give the object another name: the existing one was not created by this deployment, so it is not recreated";

function immutableOfRecord(object: KubeObject, isForeign: boolean, record: PlannedRecord): string {
  const isLost = isProtected(idOf(object)) && insteadOfRecreation(object.kind) !== undefined;
  if (isLost) return hasItSo(record, withoutDeletion);
  return hasItSo(record, isForeign ? ofOthers : byDeletion);
}

const ofOthers =
  "delete what somebody else has put there yourself if nobody needs it, or deploy a commit in which the object has another name";
const withoutDeletion =
  "roll back to another release, or deploy a commit with what is live; deleting it yourself may lose data";
const byDeletion =
  "delete the object yourself first if nothing is lost with it and it may be absent for a moment, or deploy a commit that declares the same";

function immutableFix(
  object: KubeObject,
  live: KubeObject | undefined,
  { isAlone, again }: Refusal,
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
