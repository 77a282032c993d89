import { containedNames } from "../../model/cluster/namespaces-and-crds.ts";
import {
  claimsDeletedByScaling,
  claimTemplateNames,
  expectedClaims,
  isClaim,
  matchesClaimTemplate,
} from "../../model/cluster/persistent-volume-claims.ts";
import { at, isObject, numberAt } from "../../model/json.ts";
import { isCoreKind } from "../../model/kinds.ts";
import { addressOf, type KubeObject, keyOf, nameOf, type ObjectId } from "../../model/object.ts";
import { type Change, type Plan, replacesPods } from "../../model/plan/plan.ts";
import type { RollbackObstacle } from "../../model/plan/predictions.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { lostAddresses } from "./lost-addresses.ts";
import { keptServiceAccounts, lostFields, lostInitialValues } from "./lost-fields.ts";
import { contentAfterChange, restoredObjects } from "./object-after-change.ts";

/** The keys of objects that are known from elsewhere. */
interface KnownObjects {
  /** The objects whose data the rollback itself reports as lost. */
  readonly reported?: ReadonlySet<string>;
  /** The objects that the current release kept although it didn't declare them. */
  readonly kept?: ReadonlySet<string>;
}

/** The maximum number of names in a message. */
const maxNames = 5;

/**
 * Returns the state that a plan deletes or overwrites and that no manifest contains: claims, values
 * and addresses, and objects that Kubernetes deletes with others. A rollback can't find this out
 * later. `undo` is the plan of the rollback; undefined if it couldn't be made.
 */
export function lossesOfPlan(
  plan: Plan,
  undo: Plan | undefined,
  { reported = new Set(), kept = new Set() }: KnownObjects = {},
): readonly RollbackObstacle[] {
  const restored = restoredObjects(undo);
  const deleted = removedObjects(plan).flatMap(({ key, live }) => {
    const again = restored.get(key);
    return live === undefined || again === undefined ? [] : lostValues(live, again);
  });
  const along = [...plan.deletions, ...plan.changes].flatMap((each) =>
    (each.alsoDeleted?.objects ?? [])
      .filter(({ key, id }) => !isClaim(id) && !restored.has(key))
      .map(({ id }) => deletedAlong(each.live, nameOf(id))),
  );
  const contents = plan.deletions.flatMap(({ live, contents: held }) => {
    const names = containedNames(held);
    return names.length === 0 ? [] : [deletedAlong(live, summarizeList(names, maxNames))];
  });
  return [
    ...deleted,
    ...(undo === undefined ? [] : deletedKeptObjects(plan, restored, kept)),
    ...along,
    ...claimsDeletedWithOwners(plan, reported),
    ...contents,
    ...plan.changes.flatMap((change) => claimsOfFewerPods(change, plan)),
    ...(undo?.changes ?? []).flatMap((change) => claimsOfRollback(change, plan)),
    ...lostFields(plan, undo, restored),
    ...lostInitialValues(plan, restored),
    ...keptServiceAccounts(plan, restored),
    ...lostAddresses(plan, restored),
  ];
}

/** Reports the objects that the current release kept without declaring them. */
function deletedKeptObjects(
  { deletions }: Plan,
  restored: ReadonlyMap<string, unknown>,
  kept: ReadonlySet<string>,
): readonly RollbackObstacle[] {
  return deletions
    .filter(({ key, prunedRevision }) => prunedRevision === undefined && !restored.has(key))
    .filter(({ key }) => kept.has(key))
    .map(({ id, live }) => ({
      object: addressOf(live),
      what: `${nameOf(id)} is deleted`,
      why: "A rollback doesn't create it again, because the current release doesn't declare it",
      fix: "Declare the object in a deployment first, or save its manifest before the merge",
    }));
}

/** Lists the live objects that a plan deletes, including those that it creates again. */
function removedObjects(plan: Plan): readonly Pick<Change, "key" | "live">[] {
  return [...plan.deletions, ...plan.changes.filter(replacesPods)];
}

/**
 * Reports each claim once that Kubernetes deletes with an owner. The data of a declared claim is
 * lost, too: a rollback finds its manifest, but an empty claim.
 */
function claimsDeletedWithOwners(
  { changes, deletions }: Plan,
  reported: ReadonlySet<string>,
): readonly RollbackObstacle[] {
  const claims = [...deletions, ...changes].flatMap((each) =>
    (each.alsoDeleted?.objects ?? [])
      .filter(({ id }) => isClaim(id) && !isReported(id, each, reported))
      .map(({ key, id }) => [key, lostClaim(each.live, id)] as const),
  );
  return [...new Map(claims)].filter(([key]) => !reported.has(key)).map(([, lost]) => lost);
}

/** Reports whether the rollback reports the claims of the object that created this claim. */
function isReported(
  claim: ObjectId,
  { key, live }: Pick<Change, "key" | "live">,
  reported: ReadonlySet<string>,
): boolean {
  return reported.has(key) && live !== undefined && matchesClaimTemplate(claim, live);
}

/** Reports the claims that a StatefulSet deletes because the plan gives it fewer Pods. */
function claimsOfFewerPods(change: Change, { deployment }: Plan): readonly RollbackObstacle[] {
  const { action, live } = change;
  if (action !== "update" || live === undefined || claimTemplateNames(live).length === 0) return [];
  const after = contentAfterChange(change, deployment);
  // Another tool sets the number.
  if (numberAt(after, "spec", "replicas") === undefined) return [];
  return claimsDeletedByScaling(live, after).map((claim) => ({
    object: addressOfClaim(claim),
    what: `${nameOf(claim)} is deleted, because ${nameOf(change.id)} gets fewer Pods`,
    why: "A rollback creates the claim without its data",
    fix: "Save its data before the merge, or declare whenScaled: Retain first",
  }));
}

/** Reports the present claims that the rollback deletes because it gives an object fewer Pods. */
function claimsOfRollback(
  { key, action, live, id, predicted, desired }: Change,
  { changes }: Plan,
): readonly RollbackObstacle[] {
  const present = changes.find((change) => change.key === key)?.live;
  if (action !== "update" || live === undefined || present === undefined) return [];
  const existing = new Set(expectedClaims(present).map(keyOf));
  return claimsDeletedByScaling(live, predicted ?? desired)
    .filter((claim) => existing.has(keyOf(claim)))
    .map((claim) => ({
      object: addressOfClaim(claim),
      what: `${nameOf(claim)} is deleted by the rollback, because ${nameOf(id)} gets fewer Pods`,
      why: "The current release declares fewer Pods than it has now",
      fix: "Declare the present number of Pods, or whenScaled: Retain",
    }));
}

function lostClaim(live: KubeObject | undefined, claim: ObjectId): RollbackObstacle {
  const owner = live === undefined ? "its owner" : nameOf(addressOf(live));
  return {
    object: addressOfClaim(claim),
    what: `${nameOf(claim)} is deleted with ${owner}`,
    why: "A rollback doesn't restore its data",
    fix: "Save its data before the merge, or remove its owner from metadata.ownerReferences",
  };
}

function addressOfClaim({ kind, namespace, name }: ObjectId) {
  return { apiVersion: "v1", kind, namespace, name };
}

/** Returns the key of the object of an obstacle. */
export function obstacleKey({ object }: RollbackObstacle): string | undefined {
  if (object === undefined) return undefined;
  const { apiVersion, kind, namespace, name } = object;
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  return keyOf({ group, kind, namespace, name });
}

/**
 * Reports the number of keys of a ConfigMap or Secret that its manifest doesn't declare. Their
 * names belong to another owner.
 */
function lostValues(live: KubeObject, { id, desired }: Change): readonly RollbackObstacle[] {
  if (!isCoreKind(id, "Secret") && !isCoreKind(id, "ConfigMap")) return [];
  const declared = new Set(
    ["data", "binaryData", "stringData"].flatMap((part) => keysAt(desired, part)),
  );
  const lost = ["data", "binaryData"]
    .flatMap((part) => keysAt(live, part))
    .filter((key) => !declared.has(key));
  if (lost.length === 0) return [];
  return [
    {
      object: addressOf(live),
      what: `${nameOf(id)} is created again without ${lost.length === 1 ? "1 key" : `${lost.length} keys`}`,
      why: "Another tool wrote them, and no manifest declares them",
      fix: "Keep the object, or save these values before the merge",
    },
  ];
}

function keysAt(object: KubeObject, part: string): readonly string[] {
  const found = at(object, part);
  return isObject(found) ? Object.keys(found) : [];
}

function deletedAlong(live: KubeObject | undefined, names: string): RollbackObstacle {
  const name = live === undefined ? "An object" : nameOf(addressOf(live));
  return {
    object: live && addressOf(live),
    what: `${name} is deleted with objects that no manifest declares`,
    why: `A rollback doesn't create them again: ${names}`,
    fix: "Keep the object, or save the other objects before the merge",
  };
}
