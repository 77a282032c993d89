import { stages } from "../model/compilation.ts";
import { at, isObject, type Json, type JsonObject, listAt, textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { fieldManager } from "../model/plan.ts";
import { unionOfFields } from "./field-sets.ts";

/** What one field manager owns of an object, from `metadata.managedFields`. */
export interface OwnedFields {
  readonly manager: string;
  readonly operation: string;
  readonly subresource: string;
  /** RFC 3339; empty when the server does not say. */
  readonly time: string;
  /** The version that `fields` is written in. */
  readonly apiVersion: string;
  /** `fieldsV1`: `f:name` for fields, `k:{…}` and `v:…` for list items, `.` for the item itself. */
  readonly fields: JsonObject;
}

export function ownersOf(object: KubeObject): readonly OwnedFields[] {
  return listAt(object, "metadata", "managedFields").map((entry) => {
    return {
      manager: textAt(entry, "manager") ?? "",
      operation: textAt(entry, "operation") ?? "",
      subresource: textAt(entry, "subresource") ?? "",
      time: textAt(entry, "time") ?? "",
      apiVersion: textAt(entry, "apiVersion") ?? "",
      fields: fieldsOf(entry),
    };
  });
}

/** `fieldsV1` of one entry of managedFields. */
export function fieldsOf(entry: Json): JsonObject {
  const fields = at(entry, "fieldsV1");
  return isObject(fields) ? fields : {};
}

/** What `manager` owns by Server-Side Apply of the object itself; undefined when it never applied it. */
export function appliedBy(object: KubeObject, manager: string): OwnedFields | undefined {
  return ownersOf(object).find(
    (owner) => owner.manager === manager && owner.operation === "Apply" && owner.subresource === "",
  );
}

/** The fields of that; none when it never applied it. */
export function fieldsAppliedBy(object: KubeObject, manager: string): JsonObject {
  return appliedBy(object, manager)?.fields ?? {};
}

/** What a deployment has applied of an object, in either stage. */
export function ownFields(object: KubeObject, deployment: string): JsonObject {
  return unionOfFields(
    stages.map((stage) => fieldsAppliedBy(object, fieldManager(deployment, stage))),
  );
}
