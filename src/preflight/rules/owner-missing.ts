import { keyOf, nameOf, uidOf } from "../../model/object.ts";
import { containsKnownAfterDeploy } from "../../model/plan/apply-time-reference.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { OwnerFact } from "../cluster-facts.ts";
import { declaredOwners, type OwnerReference } from "../declared-owners.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/**
 * Reports owner references without a matching live object.
 * The API server accepts every owner. The garbage collector deletes an object a moment later if
 * none of its owners exists with the given uid.
 * If at least one owner exists, the garbage collector removes the other references.
 */
export function ownerMissing(input: PreflightInput): readonly Finding[] {
  return input.plan.changes.flatMap((change) => {
    const owners = declaredOwners(change).map((owner) => ({
      owner,
      fate: ownerProblem(owner, change, input),
    }));
    const reported = owners.find(
      ({ owner, fate: problem }) => owner.isDeclared && problem !== undefined,
    );
    if (reported?.fate === undefined) return [];
    const isDeleted = owners.every(({ fate: problem }) => problem?.isCollected === true);
    return [ownerFinding(change, reported.owner, { why: reported.fate.why, isDeleted }, input)];
  });
}

interface OwnerProblem {
  readonly why: string;
  /** True if the garbage collector treats the owner as absent. */
  readonly isCollected: boolean;
}

/**
 * Returns the problem with an owner; undefined if the owner exists and stays, or if qvs can't read
 * it.
 */
function ownerProblem(
  { id, uid }: OwnerReference,
  change: Change,
  { plan, facts }: PreflightInput,
): OwnerProblem | undefined {
  const fact = facts.owners.get(keyOf(id));
  if (fact?.known !== true) return undefined;
  const found = fact.value;
  if (containsKnownAfterDeploy(uid) && isDeclaredOwner({ id, found }, plan)) return undefined;
  if (found.namespaced && change.id.namespace === "") {
    return {
      why: "an object in a namespace can't own a cluster-scoped object",
      isCollected: false,
    };
  }
  if (found.uid === undefined) return { why: ownerAbsentText(found), isCollected: true };
  if (containsKnownAfterDeploy(uid)) return undefined;
  if (found.uid !== uid) {
    return {
      why: `the existing object has the UID ${found.uid}, not ${uid}`,
      isCollected: true,
    };
  }
  return isOwnerDeleted(uid, plan)
    ? { why: "this deployment deletes it", isCollected: true }
    : undefined;
}

/**
 * Reports whether this deployment declares the owner.
 * A uid that is known after deploy belongs to an object of the deployment.
 */
function isDeclaredOwner(
  { id, found }: { readonly id: OwnerReference["id"]; readonly found: OwnerFact },
  { changes }: Plan,
): boolean {
  const key = keyOf({ ...id, namespace: found.namespaced ? id.namespace : "" });
  return changes.some((each) => each.key === key);
}

function ownerAbsentText({ namespaced }: OwnerFact): string {
  return namespaced ? "no object in the same namespace has that name" : "no object has that name";
}

function isOwnerDeleted(uid: string, { changes, deletions }: Plan): boolean {
  const recreated = changes.filter(({ action }) => action === "replace");
  return [...deletions, ...recreated].some(({ live }) => live !== undefined && uidOf(live) === uid);
}

function ownerFinding(
  change: Change,
  owner: OwnerReference,
  { why, isDeleted }: { readonly why: string; readonly isDeleted: boolean },
  { placeOf }: PreflightInput,
): Finding {
  const { id } = change;
  const { kind, name } = owner.id;
  return changeFinding(change, placeOf, {
    code: "owner-missing",
    severity: isDeleted ? "error" : "warning",
    what: isDeleted
      ? `${nameOf(id)} would be deleted by the garbage collector`
      : `${nameOf(id)}: its owner reference to ${kind} ${name} has no effect`,
    why: `It names ${kind} ${name} as its owner, but ${why}`,
    fix: "Remove metadata.ownerReferences from the manifest: UIDs belong to the cluster that it was copied from",
    path: ["metadata", "ownerReferences"],
  });
}
