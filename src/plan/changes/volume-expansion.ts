import type { NamespacePolicyChange } from "../../admission/changed-namespace-policies.ts";
import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import { expansionDenied, isExpansionDenied } from "../../model/cluster/api-messages/admission.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { at } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf, type ObjectId } from "../../model/object.ts";
import type { ChangeVerdict } from "./verdict.ts";

/**
 * Reports whether an object is a StorageClass.
 * A StorageClass decides whether its PersistentVolumeClaims can grow. A deployment can change it
 * before them.
 */
export function isStorageClass({ group, kind }: ObjectId): boolean {
  return group === "storage.k8s.io" && kind === "StorageClass";
}

/**
 * Returns the key of the StorageClass that will allow a PersistentVolumeClaim to grow.
 * The API server rejects the growth now.
 */
export function expandableClass(
  failure: ApiFailure,
  classes: () => readonly NamespacePolicyChange[],
): string | undefined {
  if (!isExpansionDenied(failure)) return undefined;
  const allowing = classes().find(({ after }) => allowsExpansion(after));
  return allowing && keyOf(idOf(allowing.after));
}

/**
 * Returns the API server's message for a PersistentVolumeClaim that can grow now, but no longer
 * when qvs applies it.
 */
export function expansionRejection(
  { kind }: KubeObject,
  live: KubeObject | undefined,
  { steps, predicted }: ChangeVerdict,
  classes: () => readonly NamespacePolicyChange[],
): string | undefined {
  if (kind !== "PersistentVolumeClaim" || live === undefined || steps.length === 0) {
    return undefined;
  }
  if (requestedStorage(predicted) <= requestedStorage(live)) return undefined;
  return classes().some(({ after }) => !allowsExpansion(after)) ? expansionDenied : undefined;
}

function allowsExpansion(storageClass: KubeObject): boolean {
  return storageClass["allowVolumeExpansion"] === true;
}

function requestedStorage(claim: KubeObject | undefined): number {
  return parseQuantity(at(claim, "spec", "resources", "requests", "storage")) ?? 0;
}
