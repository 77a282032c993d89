import { at, type Json, listAt, textAt } from "../model/json.ts";
import { groupOf, type ObjectId } from "../model/object.ts";
import type { Change } from "../model/plan.ts";
import { asPlanned } from "./planned-pods.ts";

/** One entry of `metadata.ownerReferences`. */
export interface OwnerReference {
  readonly apiVersion: string;
  /** Where the garbage collector looks for it: in the namespace of the object, if its kind has namespaces. */
  readonly id: ObjectId;
  readonly uid: string;
  /** Whether the manifest says so, and not only somebody else. */
  readonly isDeclared: boolean;
}

/** All owners that an object will have; none where it is left as it is, or its manifest declares none. */
export function ownersToBe(change: Change): readonly OwnerReference[] {
  const declared = new Set(referencesIn(change.desired).map((each) => textAt(each, "uid")));
  if (change.action === "unchanged" || declared.size === 0) return [];
  return referencesIn(asPlanned(change)).map((each) => {
    const apiVersion = textAt(each, "apiVersion") ?? "";
    const [kind = "", name = "", uid = ""] = ["kind", "name", "uid"].map((of) => textAt(each, of));
    const id = { group: groupOf(apiVersion), kind, namespace: change.id.namespace, name };
    return { apiVersion, id, uid, isDeclared: declared.has(uid) };
  });
}

function referencesIn(object: Json | Change["desired"]): readonly Json[] {
  return listAt(at(object as Json, "metadata"), "ownerReferences");
}
