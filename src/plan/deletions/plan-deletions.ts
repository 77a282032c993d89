import { deploymentLabel } from "../../model/annotations.ts";
import { reservedUse } from "../../model/cluster/deployment-lock.ts";
import {
  isNamespace,
  isNamespaceOrCrd,
  type NamespaceOrCrd,
} from "../../model/cluster/namespaces-and-crds.ts";
import {
  findProducts,
  type ListedProducts,
  noProducts,
} from "../../model/cluster/owned-objects.ts";
import {
  deletesOwnClaims,
  isClaimFromTemplate,
} from "../../model/cluster/persistent-volume-claims.ts";
import {
  declaresObject,
  type OtherDeclarations,
} from "../../model/deployments/other-deployments.ts";
import type { History, InventoryEntry, LiveObjects } from "../../model/deployments/release.ts";
import { textAt } from "../../model/json.ts";
import { type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import type { Deletion, KeptObject } from "../../model/plan/deletion.ts";
import type { PlanPolicy } from "../../model/plan/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import {
  type DeploymentIdentity,
  deletionProtection,
  isProtected,
  kubectlArguments,
} from "../../ssa/protection.ts";
import type { DeclaredObject } from "../declared/objects.ts";
import { placedStrings } from "../declared/previous-secret-values.ts";
import { isOwnNamespace, isWithin } from "../environment-limits.ts";
import { type OnlyStage, stageSkipReason } from "../only-stage.ts";
import { type HoldingsByKey, type Orphan, sortDeletions, toHolder } from "./deletion-order.ts";
import { deletionProblems } from "./deletion-problems.ts";
import {
  describeKeeping,
  keepingDetails,
  prunedRevisions,
  type WorkloadsByNamespace,
} from "./kept-objects.ts";
import { retainDependencies } from "./retain-dependencies.ts";

export interface DeletionInput {
  readonly deployment: string;
  /** The namespace of the releases and the deployment lock. */
  readonly namespace: string;
  readonly inventory: readonly InventoryEntry[];
  readonly live: LiveObjects;
  /** All objects that are declared now. */
  readonly desired: readonly Pick<DeclaredObject, "key" | "id" | "object" | "hook">[];
  readonly policy: PlanPolicy;
  /** The only objects to plan; undefined plans all. */
  readonly onlyKeys?: ReadonlySet<string> | undefined;
  /** True for a rollback to a recorded release. */
  readonly isRollback?: boolean | undefined;
  /** Set if the deployment itself is deleted. */
  readonly deletes?: true | undefined;
  /** The only namespace of an environment; undefined for other deployments. */
  readonly onlyNamespace?: string | undefined;
  /** The reason for keeping every object; undefined if all releases and charts are known. */
  readonly keepAllReason?: Pick<KeptObject, "why" | "detail"> | undefined;
  readonly only?: OnlyStage | undefined;
  readonly history: History;
  /** The objects that other deployments of the run declare; missing if there are none. */
  readonly elsewhere?: readonly OtherDeclarations[] | undefined;
  /** The workloads of the namespaces that `keptNamespaces` lists. */
  readonly users: WorkloadsByNamespace;
  /** The objects of other owners in the holders that `holdersToDelete` lists, by key. */
  readonly holdings?: HoldingsByKey | undefined;
  /** The metadata of objects that the deleted objects might own. */
  readonly made?: ListedProducts | undefined;
}

export interface DeletionPlan {
  readonly deletions: readonly Deletion[];
  readonly kept: readonly KeptObject[];
  readonly problems: readonly Problem[];
}

/**
 * Decides about objects of the inventory that are no longer declared.
 * qvs deletes an object only if it is live, unprotected and this deployment's own
 * (docs/reference/deployment.md#deletion). It doesn't even read objects that no release recorded.
 */
export function planDeletions(input: DeletionInput): DeletionPlan {
  const orphans = retainDependencies(protectedOrphans(input));
  const kept = orphans.flatMap(({ key, entry, why }) =>
    why === undefined ? [] : [{ key, id: entry.id, ...why }],
  );
  const deleted = orphans.filter((orphan) => orphan.why === undefined);
  const remaining = { declared: input.desired.filter(remainsAfterDeletions), kept };
  return {
    deletions: sortDeletions(withProducts(deleted, input), input.holdings).map((deletion) =>
      withDeployedPart(deletion, input.history),
    ),
    kept,
    problems: deleted.flatMap((orphan) => deletionProblems(orphan, remaining, input)),
  };
}

/** Reports whether an object is needed after the deletions. A hook before them isn't. */
export function remainsAfterDeletions({ hook }: Pick<DeclaredObject, "hook">): boolean {
  return hook?.event !== "pre-delete";
}

function withProducts(
  deleted: readonly Orphan[],
  { made = noProducts, live }: DeletionInput,
): readonly Orphan[] {
  const objects = [...made.objects, ...live.values()];
  const known = [...new Map(objects.map((object) => [optionalUid(object), object])).values()];
  const found = findProducts(
    deleted.map((orphan) => orphan.live),
    { ...made, objects: known },
  );
  return deleted.map((orphan) => ({ ...orphan, products: found.get(orphan.uid) }));
}

function withDeployedPart(deletion: Deletion, { sent, secretPlaces }: History): Deletion {
  const { key, live } = deletion;
  const last = sent.get(key);
  if (last === undefined) return deletion;
  const texts = placedStrings(live, secretPlaces.get(key)).filter((text) => text !== "");
  return { ...deletion, lastSent: { sent: last, secretValues: [...new Set(texts)] } };
}

/**
 * Lists the Namespaces and CustomResourceDefinitions that might be deleted.
 * The caller reads the objects of other owners in them.
 */
export function holdersToDelete(
  input: Omit<DeletionInput, "users" | "holdings">,
): readonly (NamespaceOrCrd & { readonly key: string })[] {
  return findOrphans(input)
    .filter(
      ({ entry: { id } }) => isNamespaceOrCrd(id) && input.policy.allowDelete.includes(id.kind),
    )
    .filter(({ live, entry }) => entryProtection(input, live, entry) === undefined)
    .filter((orphan) => keepReason({ ...input, users: new Map() }, orphan) === undefined)
    .map((orphan) => ({ key: orphan.key, ...toHolder(orphan) }));
}

/**
 * Lists the namespaces whose Pods might still use kept objects, sorted.
 * The caller reads the workloads of these namespaces.
 */
export function keptNamespaces(
  input: Pick<DeletionInput, "deployment" | "namespace" | "inventory" | "live" | "desired">,
): readonly string[] {
  const namespaces = findOrphans(input)
    .filter(({ live, entry }) => entryProtection(input, live, entry)?.why === "keepOnDelete")
    .map(({ entry }) => entry.id.namespace)
    .filter((namespace) => namespace !== "");
  return [...new Set(namespaces)].toSorted();
}

/**
 * Returns every orphan with its protection.
 * Revisions that are old enough to be pruned aren't protected any more.
 */
function protectedOrphans(input: DeletionInput): readonly ProtectedOrphan[] {
  const orphans = findOrphans(input).map((orphan): ProtectedOrphan => {
    // An earlier version let manifests declare qvs's own objects.
    const use = reservedUse(orphan.entry.id, input);
    if (use !== undefined) return { ...orphan, why: { why: "not ours", detail: `it is ${use}` } };
    const outside = outsideReason(orphan, input);
    if (outside !== undefined) return { ...orphan, why: outside };
    const protection = entryProtection(input, orphan.live, orphan.entry);
    if (protection === undefined) return { ...orphan, why: keepReason(input, orphan) };
    if (protection.why !== "keepOnDelete") return { ...orphan, why: protection };
    const keeping = keepingDetails(orphan, input.history, input.users);
    return { ...orphan, why: { ...protection, detail: describeKeeping(keeping), keeping } };
  });
  const candidates = orphans.flatMap(({ why, ...orphan }) =>
    why?.keeping === undefined ||
    input.keepAllReason !== undefined ||
    elsewhereReason(orphan, input) !== undefined ||
    adoptedReason(orphan.entry, input.isRollback) !== undefined ||
    stageSkipReason(input.only, orphan.entry) !== undefined
      ? []
      : [{ ...orphan, keeping: why.keeping }],
  );
  const { desired, policy } = input;
  const pruned = prunedRevisions(candidates, desired, input, policy.keepRevisions);
  return orphans.map((orphan) => {
    const prunedRevision = pruned.get(orphan.key);
    return prunedRevision === undefined ? orphan : { ...orphan, why: undefined, prunedRevision };
  });
}

function keepReason(
  input: DeletionInput,
  orphan: Orphan,
): Pick<KeptObject, "why" | "detail" | "claim"> | undefined {
  const { only, deletes, isRollback, namespace, onlyKeys, policy, keepAllReason } = input;
  const { key, entry, live } = orphan;
  const elsewhere = elsewhereReason(orphan, input);
  if (elsewhere !== undefined) return elsewhere;
  const contained = contentsReason(orphan, input);
  if (contained !== undefined) return contained;
  if (onlyKeys !== undefined && !onlyKeys.has(key)) {
    return { why: "not changed", detail: "nothing has changed it since the release" };
  }
  // No user allowed this deletion: the deployment only wanted the object to exist.
  if (
    onlyKeys !== undefined &&
    isProtected(entry.id) &&
    !policy.allowDelete.includes(entry.id.kind)
  ) {
    const detail = "its kind is protected; the next deployment checks it again";
    return { why: "not changed", detail };
  }
  if (
    onlyKeys !== undefined &&
    deletesOwnClaims(live) &&
    !policy.allowDelete.includes("PersistentVolumeClaim")
  ) {
    const detail =
      "its PersistentVolumeClaims would be deleted with it; the next deployment checks it again";
    return { why: "not changed", detail };
  }
  if (deletes === true && isNamespace(entry.id) && entry.id.name === namespace) {
    const detail = `it contains the releases and the lock; when it contains nothing else, delete it manually: kubectl delete namespace ${namespace}`;
    return { why: "holds releases", detail };
  }
  if (keepAllReason !== undefined) return keepAllReason;
  const detail = stageSkipReason(only, entry);
  if (detail !== undefined) return { why: "only one stage", detail };
  const before = adoptedReason(entry, isRollback);
  return before === undefined ? undefined : { why: "met before", detail: before };
}

/**
 * Returns why an object stays: another deployment of the run declares it, or might do so. It can't
 * adopt the object in this run, because the object still has the label of this deployment.
 */
function elsewhereReason(
  { entry: { id }, live }: Orphan,
  { elsewhere = [] }: DeletionInput,
): Pick<KeptObject, "why" | "detail" | "claim"> | undefined {
  const owner = elsewhere.find((other) => declaresObject(other, id));
  if (owner !== undefined) {
    const detail = `the deployment ${owner.deployment} declares it`;
    const claim = `kubectl label ${kubectlArguments(live)} ${deploymentLabel}-`;
    return { why: "declared elsewhere", detail, claim };
  }
  const unknown = elsewhere.find(({ objects }) => objects === undefined);
  if (unknown === undefined) return undefined;
  const detail = `the deployment ${unknown.deployment} doesn't compile and might declare it`;
  return { why: "declared elsewhere", detail };
}

/** Returns why an environment keeps an object of its record that can't be its own. */
function outsideReason(
  { entry: { id } }: Orphan,
  { onlyNamespace }: DeletionInput,
): Pick<KeptObject, "why" | "detail"> | undefined {
  if (onlyNamespace === undefined || isWithin(id, onlyNamespace)) return undefined;
  return { why: "not ours", detail: `it isn't in namespace ${onlyNamespace}` };
}

/**
 * Returns why an environment keeps its namespace: it contains objects of others. The claims of its
 * StatefulSets are its own, although no owner reference shows that.
 */
function contentsReason(
  { key, entry: { id } }: Orphan,
  { onlyNamespace, holdings, live, history }: DeletionInput,
): Pick<KeptObject, "why" | "detail"> | undefined {
  const contents = holdings?.get(key);
  if (contents === undefined || !isOwnNamespace(id, onlyNamespace)) return undefined;
  const own = [...live.values(), ...history.sent.values()];
  const names = contents.objects
    .filter((object) => !own.some((owner) => isClaimFromTemplate(object.id, owner)))
    .map((object) => nameOf(object.id));
  if (names.length > 0)
    return { why: "in use", detail: `it contains ${summarizeList(names, maxContents)}` };
  const [unread] = contents.unread;
  if (unread === undefined) return undefined;
  return { why: "use unknown", detail: `qvs can't list ${unread.kind} in it: ${unread.why}` };
}

/** The maximum number of objects that the reason names. */
const maxContents = 10;

/**
 * Returns why a rollback keeps an object that this deployment didn't create.
 * A rollback restores an earlier state, and nothing would restore an object that another tool
 * created before.
 */
function adoptedReason({ origin }: InventoryEntry, isRollback = false): string | undefined {
  if (origin === "left") return "it existed before this deployment, and a rollback kept it";
  if (!isRollback || origin === "created") return undefined;
  return origin === "met"
    ? "it existed before this deployment"
    : "no release records that this deployment created it";
}

function entryProtection(
  owner: DeploymentIdentity,
  live: KubeObject,
  { keepOnDelete }: InventoryEntry,
) {
  return deletionProtection(live, owner, { declaredKey: keepOnDelete });
}

interface ProtectedOrphan extends Orphan {
  /** Undefined if the object can be deleted. */
  readonly why: Pick<KeptObject, "why" | "detail" | "claim" | "keeping"> | undefined;
}

/**
 * Lists the live objects of the inventory that aren't declared, sorted.
 * An object with the same UID under another API group is the same object.
 */
export function findOrphans({
  inventory,
  desired,
  live,
}: Pick<DeletionInput, "inventory" | "desired" | "live">): readonly Orphan[] {
  const declared = new Set(desired.map((object) => object.key));
  const declaredUids = new Set(desired.map(({ key }) => optionalUid(live.get(key))));
  return inventory
    .map((entry) => ({ key: keyOf(entry.id), entry }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .flatMap(({ key, entry }) => {
      const found = live.get(key);
      const uid = optionalUid(found);
      if (found === undefined || uid === undefined) return [];
      return declared.has(key) || declaredUids.has(uid) ? [] : [{ key, entry, live: found, uid }];
    });
}

function optionalUid(object: KubeObject | undefined): string | undefined {
  return textAt(object, "metadata", "uid");
}
