import type { ChangedGround } from "../../admission/changed-grounds.ts";
import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import { growthForbidden, isAboutGrowth } from "../../model/cluster/api-words/admission.ts";
import { quantityOf } from "../../model/cluster/quantity.ts";
import { at } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf, type ObjectId } from "../../model/object.ts";
import type { Verdict } from "./verdict.ts";

/** A StorageClass says whether claims of it may grow, and may itself be changed before such a claim. */
export function isStorageClass({ group, kind }: ObjectId): boolean {
  return group === "storage.k8s.io" && kind === "StorageClass";
}

/** The key of the class that lets a claim grow by the time of its change, although the server refuses that now. */
export function growthAllowedBy(
  failure: ApiFailure,
  classes: () => readonly ChangedGround[],
): string | undefined {
  if (!isAboutGrowth(failure)) return undefined;
  const allowing = classes().find(({ after }) => allowsGrowth(after));
  return allowing && keyOf(idOf(allowing.after));
}

/** What the server will say of a claim that may grow now, and may not any more when it is its turn. */
export function growthRefusal(
  { kind }: KubeObject,
  live: KubeObject | undefined,
  { steps, predicted }: Verdict,
  classes: () => readonly ChangedGround[],
): string | undefined {
  if (kind !== "PersistentVolumeClaim" || live === undefined || steps.length === 0) {
    return undefined;
  }
  if (sizeOf(predicted) <= sizeOf(live)) return undefined;
  return classes().some(({ after }) => !allowsGrowth(after)) ? growthForbidden : undefined;
}

function allowsGrowth(storageClass: KubeObject): boolean {
  return storageClass["allowVolumeExpansion"] === true;
}

function sizeOf(claim: KubeObject | undefined): number {
  return quantityOf(at(claim, "spec", "resources", "requests", "storage")) ?? 0;
}
