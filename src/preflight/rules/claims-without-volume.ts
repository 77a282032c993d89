import { at, textAt } from "../../model/json.ts";
import { addressOf, type KubeObject, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declaredAt } from "../../model/problems/problem.ts";
import { asPlanned } from "../planned-pods.ts";
import { awaitedVolumes } from "../rollouts/claims.ts";
import { withPlanned } from "../rollouts/cluster-state.ts";
import type { PreflightInput } from "../rule.ts";

/**
 * Reports new claims with immediate binding for which no volume is free and no provisioner creates
 * one.
 * The deployment would wait for them until its timeout.
 * The rule in missing-dependency.ts reports a missing StorageClass.
 */
export function claimsWithoutVolume({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  const made = plan.changes.filter(isNewClaim);
  if (made.length === 0) return [];
  const planned = withPlanned(facts, plan);
  if (!planned.volumes.known || !planned.storageClasses.known) return [];
  const taken = new Set<string>();
  return made.flatMap((change): readonly Finding[] => {
    const awaited = awaitedVolumes(asPlanned(change), planned);
    if (awaited === undefined) return [];
    const free = awaited.volumes.find(({ name }) => !taken.has(name));
    if (free !== undefined) {
      taken.add(free.name);
      return [];
    }
    return [without(change, awaited.storageClass, placeOf)];
  });
}

export function isNewClaim({ id, action }: Change): boolean {
  const isClaim = id.group === "" && id.kind === "PersistentVolumeClaim";
  return isClaim && (action === "create" || action === "replace");
}

function without(
  { id, desired, key }: Change,
  storageClass: string,
  placeOf: PreflightInput["placeOf"],
): Finding {
  const size = textAt(at(desired, "spec", "resources", "requests"), "storage");
  return {
    code: "no-volume",
    severity: "error",
    object: addressOf(desired),
    what: `${nameOf(id)} finds no volume`,
    why: `${whyNoneIsMade(desired, storageClass)}, and no PersistentVolume ${size === undefined ? "" : `of ${size} or more `}that suits it is free`,
    fix: "Name a StorageClass that makes volumes, or declare a PersistentVolume that suits it",
    path: ["spec", "storageClassName"],
    where: declaredAt({ where: placeOf(key) }),
  };
}

function whyNoneIsMade(claim: KubeObject, storageClass: string): string {
  if (storageClass !== "") return `StorageClass ${storageClass} makes no volumes`;
  return at(claim, "spec", "storageClassName") === ""
    ? "it asks for one without a StorageClass, which nobody makes"
    : "it names no StorageClass, and the cluster has no default one";
}
