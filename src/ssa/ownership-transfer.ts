import { isObject, type Json, type JsonObject, listAt, textAt } from "../model/json.ts";
import { annotation, type KubeObject, lastAppliedAnnotation } from "../model/object.ts";
import { fieldManager } from "../model/plan/plan.ts";
import type { Stage } from "../model/sources/compilation.ts";
import { unionFieldSets } from "./field-sets.ts";
import { jsonPointer, resourceVersionGuard } from "./json-patch.ts";
import { entryFields, isApplyEntry, isOwnApplyEntry } from "./managed-fields.ts";

/** The deployment that becomes the owner of fields. */
export interface NewOwner {
  readonly deployment: string;
  readonly stage: Stage;
  /** Managers from which the user takes all fields. */
  readonly takeover?: readonly string[] | undefined;
}

/** The API server's name for the owner of fields that existed before it recorded owners. */
export const unrecordedManager = "before-first-apply";

/**
 * Managers that write whole objects without Server-Side Apply.
 * qvs takes ownership of their fields when it applies the object.
 */
export const clientSideManagers: ReadonlySet<string> = new Set([
  "kubectl-client-side-apply",
  "kubectl-create",
  unrecordedManager,
  "helm",
]);

/**
 * The manager name of clients without a name of their own.
 * Before version 1.19, kubectl used it to apply and create objects. Since then, `kubectl rollout
 * undo` uses it, which is a decision of a user.
 * In an object that this deployment has applied, it therefore causes a conflict.
 */
const legacyKubectlManager = "kubectl";

/** The rewrite of a live object's `managedFields` before qvs applies the object. */
export interface OwnershipTransfer {
  /**
   * The managers whose entries are transferred, sorted.
   * The list is empty if an earlier patch of this deployment left the only entry.
   */
  readonly managers: readonly string[];
  /** The fields of these managers. */
  readonly fields: JsonObject;
  /** The fields of all other managers, which stay independent of the manifest. */
  readonly others: readonly JsonObject[];
  /** The new entries. */
  readonly managedFields: readonly Json[];
}

/** Returns the transfer of an object's fields; undefined if there is nothing to transfer. */
export function planOwnershipTransfer(
  live: KubeObject,
  owner: NewOwner,
): OwnershipTransfer | undefined {
  const { deployment, stage } = owner;
  const manager = fieldManager(deployment, stage);
  const entries = listAt(live, "metadata", "managedFields");
  const isOurs = entries.some((entry) => isOwnApplyEntry(entry, deployment));
  const transferred = entries.filter((entry) => isTransferred(entry, owner, isOurs));
  if (transferred.length === 0) return undefined;
  const ours = entries.find((entry) => isApplyEntry(entry, manager));
  // Fields in another version could be misread. Without an owner, they stay as they are.
  const apiVersion = textAt(ours ?? transferred[0], "apiVersion") ?? live.apiVersion;
  const sameVersion = transferred.filter((entry) => textAt(entry, "apiVersion") === apiVersion);
  const fields = unionFieldSets(sameVersion.map(entryFields));
  const all = unionFieldSets([...(ours === undefined ? [] : [entryFields(ours)]), fields]);
  const others = entries.filter((entry) => entry !== ours && !transferred.includes(entry));
  const own = { manager, operation: "Apply", apiVersion, fieldsType: "FieldsV1", fieldsV1: all };
  const names = transferred.map((entry) => textAt(entry, "manager") ?? "");
  const managers = [...new Set(names)].filter((name) => name !== manager).sort();
  return { managers, fields, others: others.map(entryFields), managedFields: [...others, own] };
}

/**
 * Returns the JSON Patch (RFC 6902) for the transfer.
 * If the object has changed since it was read, the API server answers with a conflict.
 */
export function ownershipTransferPatch(
  live: KubeObject,
  { managedFields }: OwnershipTransfer,
): readonly JsonObject[] {
  const lastApplied = jsonPointer(["metadata", "annotations", lastAppliedAnnotation]);
  return [
    resourceVersionGuard(live),
    { op: "replace", path: "/metadata/managedFields", value: managedFields },
    ...(annotation(live, lastAppliedAnnotation) === undefined
      ? []
      : [{ op: "remove", path: lastApplied }]),
  ];
}

/**
 * Returns the object with its future owners, so that a comparison with the live object shows the
 * change.
 */
export function withTransferredOwners(
  object: KubeObject,
  { managedFields }: OwnershipTransfer,
): KubeObject {
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

/**
 * Removes the annotation of `kubectl apply`.
 * The preview doesn't report this, because only `kubectl apply` reads the annotation.
 */
export function withoutLastApplied(object: KubeObject): KubeObject {
  const { annotations, ...metadata } = object.metadata;
  if (!isObject(annotations)) return object;
  const { [lastAppliedAnnotation]: _gone, ...others } = annotations;
  const left = Object.keys(others).length === 0 ? metadata : { ...metadata, annotations: others };
  return { ...object, metadata: left };
}

/**
 * Reports whether an entry is transferred.
 * Entries of controllers and of other Apply managers are transferred only if the user names them.
 * Entries of subresources never are.
 */
function isTransferred(entry: Json, owner: NewOwner, isOurs: boolean): boolean {
  const { deployment, stage, takeover = [] } = owner;
  if ((textAt(entry, "subresource") ?? "") !== "") return false;
  const manager = textAt(entry, "manager") ?? "";
  const own = fieldManager(deployment, stage);
  const isApplied = isApplyEntry(entry, own);
  if (takeover.includes(manager) && !isApplied) return true;
  // The patches of this deployment write with Update. Such an entry would keep a field forever.
  const isTransferable = manager === own || isClientSide(manager, isOurs);
  if (textAt(entry, "operation") === "Update" && isTransferable) return true;
  return !isApplied && isOwnApplyEntry(entry, deployment);
}

function isClientSide(manager: string, isOurs: boolean): boolean {
  return clientSideManagers.has(manager) || (manager === legacyKubectlManager && !isOurs);
}
