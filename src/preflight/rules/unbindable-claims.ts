import { isClaim } from "../../model/cluster/persistent-volume-claims.ts";
import { at, textAt } from "../../model/json.ts";
import { type KubeObject, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { asPlanned } from "../planned-pods.ts";
import { findBindableVolumes } from "../rollouts/claim-rules.ts";
import { withPlannedObjects } from "../rollouts/cluster-snapshot.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/**
 * Reports new claims with immediate binding for which no volume is free and no provisioner creates
 * one.
 * The deployment would wait for them until its timeout.
 * The rule in missing-dependency.ts reports a missing StorageClass.
 */
export function unbindableClaims({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  const made = plan.changes.filter(isNewClaim);
  if (made.length === 0) return [];
  const planned = withPlannedObjects(facts, plan);
  if (!planned.volumes.known || !planned.storageClasses.known) return [];
  const taken = new Set<string>();
  return made.flatMap((change): readonly Finding[] => {
    const awaited = findBindableVolumes(asPlanned(change), planned);
    if (awaited === undefined) return [];
    const free = awaited.volumes.find(({ name }) => !taken.has(name));
    if (free !== undefined) {
      taken.add(free.name);
      return [];
    }
    return [unbindableFinding(change, awaited.storageClass, placeOf)];
  });
}

export function isNewClaim({ id, action }: Change): boolean {
  return isClaim(id) && (action === "create" || action === "replace");
}

function unbindableFinding(
  change: Change,
  storageClass: string,
  placeOf: PreflightInput["placeOf"],
): Finding {
  const { id, desired } = change;
  const size = textAt(at(desired, "spec", "resources", "requests"), "storage");
  return changeFinding(change, placeOf, {
    code: "no-volume",
    severity: "error",
    what: `${nameOf(id)} can't be bound to a volume`,
    why: `${noProvisioningReason(desired, storageClass)}. No matching PersistentVolume ${size === undefined ? "" : `of ${size} or more `}is free`,
    fix: "Set a StorageClass that creates volumes, or declare a matching PersistentVolume",
    path: ["spec", "storageClassName"],
  });
}

function noProvisioningReason(claim: KubeObject, storageClass: string): string {
  if (storageClass !== "") return `StorageClass ${storageClass} creates no volumes`;
  return at(claim, "spec", "storageClassName") === ""
    ? "Its storageClassName is empty, so no volume is created for it"
    : "It names no StorageClass, and the cluster has no default StorageClass";
}
