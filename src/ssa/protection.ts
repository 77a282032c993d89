import {
  deploymentLabel,
  keepOnDeleteAnnotation,
  managedByLabel,
  managedByValue,
  releaseNamespaceLabel,
  revisionAnnotation,
} from "../model/annotations.ts";
import { stages } from "../model/compilation.ts";
import type { KeptObject, PrunedRevision } from "../model/deletion.ts";
import { annotation, idOf, type KubeObject, label, type ObjectId } from "../model/object.ts";
import { fieldManager } from "../model/plan.ts";
import { appliedBy, ownersOf } from "./managed-fields.ts";
import { otherAppliers } from "./other-appliers.ts";

type Protection = Pick<KeptObject, "why" | "detail" | "claim">;

/** A deployment, which is known by its name in the namespace of its releases. */
export interface Owner {
  readonly deployment: string;
  readonly namespace: string;
}

interface Terms {
  /** The keepOnDelete key that it was declared with. */
  readonly declaredKey?: string | undefined;
  readonly retires?: PrunedRevision | undefined;
}

/**
 * Why a live object that is no longer declared must stay all the same; undefined when it may go. The annotation counts
 * also if it was put there by hand, and the one that it was declared with also if it was lost. `retires` is what the user
 * allowed to go in spite of it: that very key and number, and nothing else.
 */
export function protectionOf(
  live: KubeObject,
  owner: Owner,
  { declaredKey, retires }: Terms = {},
): Protection | undefined {
  const foreign = foreignness(live, owner);
  // Whoever may write a record of ours must learn nothing of what others have elsewhere.
  if (foreign !== undefined && isOutside(idOf(live), owner)) return foreign;
  // Another deployment has taken it over, and decides itself how long it is kept.
  if (foreign !== undefined && otherOwner(live, owner) !== undefined) return foreign;
  const key = annotation(live, keepOnDeleteAnnotation) ?? declaredKey;
  const revision = liveRevision(live);
  const isRetired = key === retires?.key && revision === retires?.revision;
  if (key !== undefined && !isRetired) {
    return { why: "keepOnDelete", detail: `key ${key}, revision ${revision}` };
  }
  return foreign ?? sharedness(live);
}

/** Why an object of this deployment may be neither deleted nor recreated: it is another tool's as well, which would lose its part. */
export function sharedness(live: KubeObject): Protection | undefined {
  const others = otherAppliers(live);
  if (others.length === 0) return undefined;
  const apply = others.length === 1 ? "applies" : "apply";
  return { why: "not ours", detail: `${others.join(" and ")} ${apply} it, too` };
}

/** The number of a kept object; without the annotation it counts as 0 (docs/reference/annotations.md#revision). */
export function liveRevision(live: KubeObject): string {
  return annotation(live, revisionAnnotation) ?? "0";
}

/** Cluster-wide, or in a namespace that is not the one of the releases: what a record says of it is not enough. */
export function isOutside({ namespace }: Pick<ObjectId, "namespace">, owner: Owner): boolean {
  return namespace !== owner.namespace;
}

/**
 * Why an object is not this deployment's; undefined when it is. Beyond the namespace of the releases the object itself must
 * name that namespace: an earlier version wrote no such label, and a record can be forged by whoever may write Secrets there.
 */
export function foreignness(live: KubeObject, owner: Owner): Protection | undefined {
  const outside = isOutside(idOf(live), owner);
  const foreign = foreignByName(live, owner.deployment) ?? foreignByNamespace(live, owner);
  if (foreign !== undefined && outside) return { why: "not ours", detail: elsewhere(owner) };
  if (!outside || label(live, releaseNamespaceLabel) !== undefined) return foreign;
  return {
    why: "not ours",
    detail: `it was deployed by an earlier version, and no label ${releaseNamespaceLabel} tells that it belongs to namespace ${owner.namespace}`,
    claim: `kubectl label ${argumentsOf(live)} ${releaseNamespaceLabel}=${owner.namespace}`,
  };
}

/**
 * Whether somebody has cleared `metadata.managedFields` of an object that still carries all of our labels, in the namespace of the
 * releases. Where a release declared it, that is enough to go on with it, though not to delete it.
 */
export function hasLostOwners(live: KubeObject, owner: Owner): boolean {
  return (
    ownersOf(live).length === 0 &&
    !isOutside(idOf(live), owner) &&
    label(live, deploymentLabel) === owner.deployment &&
    label(live, managedByLabel) === managedByValue &&
    label(live, releaseNamespaceLabel) === owner.namespace
  );
}

/** The labels and managers of a deployment of this name, in whatever namespace its releases are. */
export function isNamedFor(live: KubeObject, deployment: string): boolean {
  return foreignByName(live, deployment) === undefined;
}

/** The other deployment that an object says it belongs to, for a sentence; undefined where it names this one, or none. */
export function otherOwner(live: KubeObject, { deployment, namespace }: Owner): string | undefined {
  const name = label(live, deploymentLabel) ?? deployment;
  const place = label(live, releaseNamespaceLabel) ?? namespace;
  if (place !== namespace) return `the deployment ${name} of namespace ${place}`;
  return name === deployment ? undefined : `the deployment ${name}`;
}

function foreignByName(live: KubeObject, deployment: string): Protection | undefined {
  const owner = label(live, deploymentLabel);
  if (owner !== deployment) {
    const whose = owner === undefined ? "no deployment" : `the deployment ${owner}`;
    return { why: "not ours", detail: `its label ${deploymentLabel} names ${whose}` };
  }
  // We always write it. Whoever applies over our fields may leave the other labels, which it does not know, to us.
  const manager = label(live, managedByLabel);
  if (manager !== undefined && manager !== managedByValue) {
    return { why: "not ours", detail: `its label ${managedByLabel} names ${manager}` };
  }
  const managers = stages.map((stage) => fieldManager(deployment, stage));
  return managers.some((manager) => appliedBy(live, manager) !== undefined)
    ? undefined
    : { why: "not ours", detail: `neither ${managers.join(" nor ")} applied it any more` };
}

function foreignByNamespace(live: KubeObject, { namespace }: Owner): Protection | undefined {
  const named = label(live, releaseNamespaceLabel);
  if (named === undefined || named === namespace) return undefined;
  return { why: "not ours", detail: `its label ${releaseNamespaceLabel} names ${named}` };
}

function elsewhere({ deployment, namespace }: Owner): string {
  return `its labels and field managers do not say that it belongs to the deployment ${deployment} of namespace ${namespace}`;
}

/** `persistentvolumeclaim data -n shop`, for a command of kubectl. */
export function argumentsOf(live: KubeObject): string {
  const { group, kind, namespace, name } = idOf(live);
  const resource = (group === "" ? kind : `${kind}.${group}`).toLowerCase();
  const place = namespace === "" ? [] : ["-n", namespace];
  return [resource, quoted(name), ...place].join(" ");
}

/** Names of roles may hold what means something to a shell. */
function quoted(name: string): string {
  return /^[\w.:-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

/**
 * Kinds that take more with them than themselves, so they go only when somebody allowed it by name
 * (docs/reference/deployment.md#protected-kinds).
 */
export const protectedKinds: ReadonlyMap<string, string> = new Map([
  ["PersistentVolumeClaim", ""],
  ["Namespace", ""],
  ["CustomResourceDefinition", "apiextensions.k8s.io"],
  ["PersistentVolume", ""],
  ["VolumeSnapshot", "snapshot.storage.k8s.io"],
  ["VolumeSnapshotContent", "snapshot.storage.k8s.io"],
]);

export function isProtected({ group, kind }: Pick<ObjectId, "group" | "kind">): boolean {
  return protectedKinds.get(kind) === group;
}

/** The word among the kinds of --allow-delete that lets a deployment end with nothing at all. */
export const everything = "everything";
