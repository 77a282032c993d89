import { at, type Json, listAt, textAt } from "../model/json.ts";
import { groupOf, type ObjectId } from "../model/object.ts";
import type { Change } from "../model/plan/plan.ts";
import { asPlanned } from "./planned-pods.ts";

/** An entry of `metadata.ownerReferences`. */
export interface OwnerReference {
  readonly apiVersion: string;
  /**
   * The id under which the garbage collector looks for the owner.
   * The namespace is that of the object, if the kind of the owner has namespaces.
   */
  readonly id: ObjectId;
  readonly uid: string;
  /** True if the manifest declares the owner; false if only another field manager does. */
  readonly isDeclared: boolean;
}

/**
 * Lists the owners that an object will have; none if it is unchanged or its manifest declares none.
 */
export function declaredOwners(change: Change): readonly OwnerReference[] {
  const declared = new Set(ownerReferences(change.desired).map((each) => textAt(each, "uid")));
  if (change.action === "unchanged" || declared.size === 0) return [];
  return ownerReferences(asPlanned(change)).map((each) => {
    const apiVersion = textAt(each, "apiVersion") ?? "";
    const [kind = "", name = "", uid = ""] = ["kind", "name", "uid"].map((of) => textAt(each, of));
    const id = { group: groupOf(apiVersion), kind, namespace: change.id.namespace, name };
    return { apiVersion, id, uid, isDeclared: declared.has(uid) };
  });
}

function ownerReferences(object: Json | Change["desired"]): readonly Json[] {
  return listAt(at(object as Json, "metadata"), "ownerReferences");
}
