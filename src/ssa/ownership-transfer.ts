import { type Stage, stages } from "../model/compilation.ts";
import { isObject, type Json, type JsonObject, listAt, textAt } from "../model/json.ts";
import { annotation, type KubeObject } from "../model/object.ts";
import { fieldManager } from "../model/plan.ts";
import { unionOfFields } from "./field-sets.ts";
import { onlyFor, pointerTo } from "./json-patch.ts";
import { fieldsOf } from "./managed-fields.ts";

/** Whose the fields become. */
export interface Owner {
  readonly deployment: string;
  readonly stage: Stage;
  /** Managers that the user wants to take everything from. */
  readonly takeover?: readonly string[] | undefined;
}

/** What the server calls the owner of all fields that were there before it recorded owners. */
export const unrecorded = "before-first-apply";

/**
 * Managers that write whole objects without Server-Side Apply. What they own becomes ours when we apply the object.
 */
export const clientSideManagers: ReadonlySet<string> = new Set([
  "kubectl-client-side-apply",
  "kubectl-create",
  unrecorded,
  "helm",
]);

/**
 * The same of clients that gave themselves no name: what kubectl applied and created before its version 1.19. Since then it is
 * `kubectl rollout undo`, somebody's decision, so that in an object that we have applied it is a conflict.
 */
const clientOfOldTimes = "kubectl";

const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** How a live object's `managedFields` are to be rewritten before we apply to it. */
export interface OwnershipTransfer {
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
export function ownershipTransferOf(live: KubeObject, owner: Owner): OwnershipTransfer | undefined {
  const { deployment, stage } = owner;
  const manager = fieldManager(deployment, stage);
  const entries = listAt(live, "metadata", "managedFields");
  const isOurs = entries.some((entry) => isOwnApply(entry, deployment));
  const adopted = entries.filter((entry) => isToBeAdopted(entry, owner, isOurs));
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
export function ownershipTransferPatch(
  live: KubeObject,
  { managedFields }: OwnershipTransfer,
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

/** The owners as they will be, so that a comparison with what is live sees them change. */
export function withTransferredOwners(
  object: KubeObject,
  { managedFields }: OwnershipTransfer,
): KubeObject {
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

/** That it goes with an adoption is not worth a word: only kubectl's own apply reads it. */
export function withoutLastApplied(object: KubeObject): KubeObject {
  const { annotations, ...metadata } = object.metadata;
  if (!isObject(annotations)) return object;
  const { [lastAppliedAnnotation]: _gone, ...others } = annotations;
  const left = Object.keys(others).length === 0 ? metadata : { ...metadata, annotations: others };
  return { ...object, metadata: left };
}

/** Entries of controllers and of other Apply managers are touched only where the user names them, and those of subresources never. */
function isToBeAdopted(entry: Json, owner: Owner, isOurs: boolean): boolean {
  const { deployment, stage, takeover = [] } = owner;
  if ((textAt(entry, "subresource") ?? "") !== "") return false;
  const manager = textAt(entry, "manager") ?? "";
  const own = fieldManager(deployment, stage);
  const isApplied = isApplyOf(entry, own);
  if (takeover.includes(manager) && !isApplied) return true;
  // Our own patches write by Update: left alone, such an entry would keep a field for ever.
  const isAdopted = manager === own || isClientSide(manager, isOurs);
  if (textAt(entry, "operation") === "Update" && isAdopted) return true;
  return !isApplied && isOwnApply(entry, deployment);
}

function isClientSide(manager: string, isOurs: boolean): boolean {
  return clientSideManagers.has(manager) || (manager === clientOfOldTimes && !isOurs);
}

function isOwnApply(entry: Json, deployment: string): boolean {
  return stages.some((stage) => isApplyOf(entry, fieldManager(deployment, stage)));
}

export function isApplyOf(entry: Json, manager: string): boolean {
  return (
    textAt(entry, "manager") === manager &&
    textAt(entry, "operation") === "Apply" &&
    (textAt(entry, "subresource") ?? "") === ""
  );
}
