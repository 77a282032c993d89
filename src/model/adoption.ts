import { type Stage, stages } from "./compilation.ts";
import { unionOfFields } from "./field-sets.ts";
import { isObject, type Json, type JsonObject, listAt, textAt } from "./json.ts";
import { onlyFor, pointerTo } from "./json-patch.ts";
import { fieldsOf } from "./managed-fields.ts";
import type { KubeObject } from "./object.ts";
import { annotation } from "./object.ts";
import { fieldManager } from "./plan.ts";

/** What the server calls the owner of all fields that were there before it recorded owners. */
export const unrecorded = "before-first-apply";

/**
 * Managers that write whole objects without Server-Side Apply. What they own becomes ours when we apply the object
 * (deploy.md §2): otherwise fields that we stop declaring would stay for ever, and every change would be a conflict.
 */
const clientSideManagers: ReadonlySet<string> = new Set([
  "kubectl-client-side-apply",
  unrecorded,
  "helm",
  "kubectl",
]);

const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** How a live object's `managedFields` are to be rewritten before we apply to it. */
export interface Adoption {
  /** Whose entries become ours, sorted; none when it is only what an earlier patch of our own left. */
  readonly managers: readonly string[];
  /** What they own. */
  readonly fields: JsonObject;
  /** What everybody else owns: it stays, whatever we declare. */
  readonly others: readonly JsonObject[];
  /** The entries as they are to be. */
  readonly managedFields: readonly Json[];
}

/** undefined when nothing has to be taken over. */
export function adoptionOf(
  live: KubeObject,
  deployment: string,
  stage: Stage,
): Adoption | undefined {
  const manager = fieldManager(deployment, stage);
  const entries = listAt(live, "metadata", "managedFields");
  const adopted = entries.filter((entry) => isToBeAdopted(entry, deployment, stage));
  if (adopted.length === 0) return undefined;
  const ours = entries.find((entry) => isApplyOf(entry, manager));
  // Fields in another version would be read wrongly; without an owner they stay as they are.
  const apiVersion = textAt(ours ?? adopted[0], "apiVersion") ?? live.apiVersion;
  const sameVersion = adopted.filter((entry) => textAt(entry, "apiVersion") === apiVersion);
  const fields = unionOfFields(sameVersion.map(fieldsOf));
  const all = unionOfFields([...(ours === undefined ? [] : [fieldsOf(ours)]), fields]);
  const others = entries.filter((entry) => entry !== ours && !adopted.includes(entry));
  const own = { manager, operation: "Apply", apiVersion, fieldsType: "FieldsV1", fieldsV1: all };
  const names = adopted.map((entry) => textAt(entry, "manager") ?? "");
  const managers = [...new Set(names)].filter((name) => name !== manager).sort();
  return { managers, fields, others: others.map(fieldsOf), managedFields: [...others, own] };
}

/** The JSON Patch (RFC 6902) that does it, unless the object has changed since it was read: then the answer is a conflict. */
export function adoptionPatch(
  live: KubeObject,
  { managedFields }: Adoption,
): readonly JsonObject[] {
  const lastApplied = pointerTo(["metadata", "annotations", lastAppliedAnnotation]);
  return [
    onlyFor(live),
    { op: "replace", path: "/metadata/managedFields", value: managedFields },
    ...(annotation(live, lastAppliedAnnotation) === undefined
      ? []
      : [{ op: "remove", path: lastApplied }]),
  ];
}

/** That it goes with an adoption is not worth a word: only kubectl's own apply reads it. */
export function withoutLastApplied(object: KubeObject): KubeObject {
  const { annotations, ...metadata } = object.metadata;
  if (!isObject(annotations)) return object;
  const { [lastAppliedAnnotation]: _gone, ...others } = annotations;
  const left = Object.keys(others).length === 0 ? metadata : { ...metadata, annotations: others };
  return { ...object, metadata: left };
}

/** Entries of controllers, of other Apply managers and of subresources are never touched. */
function isToBeAdopted(entry: Json, deployment: string, stage: Stage): boolean {
  if ((textAt(entry, "subresource") ?? "") !== "") return false;
  const manager = textAt(entry, "manager") ?? "";
  // Our own patches write by Update: left alone, such an entry would keep a field for ever.
  const isAdopted = clientSideManagers.has(manager) || manager === fieldManager(deployment, stage);
  if (textAt(entry, "operation") === "Update" && isAdopted) return true;
  return stages.some(
    (other) => other !== stage && isApplyOf(entry, fieldManager(deployment, other)),
  );
}

function isApplyOf(entry: Json, manager: string): boolean {
  return (
    textAt(entry, "manager") === manager &&
    textAt(entry, "operation") === "Apply" &&
    (textAt(entry, "subresource") ?? "") === ""
  );
}
