import type { FieldOwner, OwnedField } from "../model/deployments/deployment-state.ts";
import {
  at,
  fieldOf,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { fieldManager } from "../model/plan/plan.ts";
import { stages } from "../model/sources/compilation.ts";
import { childKeys, formatStep, unionFieldSets } from "./field-sets.ts";

/** The fields below a field that one manager owns. */
interface OwnedSet {
  readonly owner: FieldOwner;
  readonly set: JsonObject;
}

/** Lists the owned fields of an object with their owners, in alphabetical order. */
export function ownedFields(object: KubeObject): readonly OwnedField[] {
  const all = fieldOwners(object).map(({ manager, operation, subresource, time, fields }) => ({
    owner: { manager, operation, subresource, time },
    set: fields,
  }));
  return childFields(all);
}

function childFields(all: readonly OwnedSet[]): readonly OwnedField[] {
  const names = [...new Set(all.flatMap(({ set }) => childKeys(set)))].toSorted();
  return names.map((name) => {
    const below = all.flatMap(({ owner, set }): readonly OwnedSet[] => {
      const inner = fieldOf(set, name);
      return isObject(inner) ? [{ owner, set: inner }] : [];
    });
    return {
      step: formatStep(name),
      isItem: !name.startsWith("f:"),
      owners: below.filter(({ set }) => childKeys(set).length === 0).map(({ owner }) => owner),
      fields: childFields(below),
    };
  });
}

/** The fields of an object that one manager owns, from `metadata.managedFields`. */
export interface OwnedFields {
  readonly manager: string;
  readonly operation: string;
  readonly subresource: string;
  /** RFC 3339; empty if the API server doesn't record it. */
  readonly time: string;
  /** The API version of `fields`. */
  readonly apiVersion: string;
  /** `fieldsV1`: `f:name` for fields, `k:{…}` and `v:…` for list items, `.` for the item itself. */
  readonly fields: JsonObject;
}

export function fieldOwners(object: KubeObject): readonly OwnedFields[] {
  return listAt(object, "metadata", "managedFields").map((entry) => {
    return {
      manager: textAt(entry, "manager") ?? "",
      operation: textAt(entry, "operation") ?? "",
      subresource: textAt(entry, "subresource") ?? "",
      time: textAt(entry, "time") ?? "",
      apiVersion: textAt(entry, "apiVersion") ?? "",
      fields: entryFields(entry),
    };
  });
}

/**
 * Reports whether a live field is a default of the API server: the manifest doesn't declare it, and
 * no manager owns it.
 */
export function isDefault(live: KubeObject, object: KubeObject, path: readonly string[]): boolean {
  const isUndeclared = at(live, ...path) !== undefined && at(object, ...path) === undefined;
  return isUndeclared && fieldOwners(live).every(({ fields }) => !ownsField(fields, path));
}

/** Reports whether a set of fields contains a field or fields within it. */
export function ownsField(fields: JsonObject, path: readonly string[]): boolean {
  return at(fields, ...path.map((step) => `f:${step}`)) !== undefined;
}

/** Returns `fieldsV1` of an entry of managedFields. */
export function entryFields(entry: Json): JsonObject {
  const fields = at(entry, "fieldsV1");
  return isObject(fields) ? fields : {};
}

/**
 * Returns the fields that `manager` owns by Server-Side Apply, without those of subresources.
 * Returns undefined if it never applied the object.
 */
export function findApplyEntry(object: KubeObject, manager: string): OwnedFields | undefined {
  return fieldOwners(object).find(
    (owner) => owner.manager === manager && owner.operation === "Apply" && owner.subresource === "",
  );
}

/** Returns these fields as a set, which is empty if `manager` never applied the object. */
export function appliedFields(object: KubeObject, manager: string): JsonObject {
  return findApplyEntry(object, manager)?.fields ?? {};
}

/** Returns the fields that either stage of a deployment applied. */
export function deploymentFields(object: KubeObject, deployment: string): JsonObject {
  return unionFieldSets(
    stages.map((stage) => appliedFields(object, fieldManager(deployment, stage))),
  );
}

/** Reports whether a deployment is the only writer of an object, and applied all its fields. */
export function isAppliedAlone(object: KubeObject, deployment: string): boolean {
  const entries = listAt(object, "metadata", "managedFields");
  return entries.length > 0 && entries.every((entry) => isOwnApplyEntry(entry, deployment));
}

/** Reports whether an entry of managedFields contains fields that this deployment applied. */
export function isOwnApplyEntry(entry: Json, deployment: string): boolean {
  return stages.some((stage) => isApplyEntry(entry, fieldManager(deployment, stage)));
}

export function isApplyEntry(entry: Json, manager: string): boolean {
  return (
    textAt(entry, "manager") === manager &&
    textAt(entry, "operation") === "Apply" &&
    (textAt(entry, "subresource") ?? "") === ""
  );
}
