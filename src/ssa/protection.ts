import {
  deploymentLabel,
  keepOnDeleteAnnotation,
  managedByLabel,
  managedByValue,
  releaseNamespaceLabel,
  revisionAnnotation,
} from "../model/annotations.ts";
import type { GroupKind } from "../model/kinds.ts";
import { annotation, idOf, type KubeObject, label, type ObjectId } from "../model/object.ts";
import type { KeptObject, PrunedRevision } from "../model/plan/deletion.ts";
import { fieldManager } from "../model/plan/plan.ts";
import { stages } from "../model/sources/compilation.ts";
import { fieldOwners, findApplyEntry } from "./managed-fields.ts";
import { clientSideAppliers, otherAppliers } from "./other-appliers.ts";

type Protection = Pick<KeptObject, "why" | "detail" | "claim">;

/** A deployment, identified by its name and the namespace of its releases. */
export interface DeploymentIdentity {
  readonly deployment: string;
  readonly namespace: string;
}

interface ProtectionOptions {
  /** The keepOnDelete key in the last declaration. */
  readonly declaredKey?: string | undefined;
  readonly prunedRevision?: PrunedRevision | undefined;
}

/**
 * Returns the reason to keep a live object that is no longer declared; undefined if qvs can delete
 * it.
 * The annotation counts even if a user added it manually. The declared annotation counts even if it
 * was removed from the object.
 * `retires` is an exception that the user allowed, for exactly this key and revision.
 */
export function deletionProtection(
  live: KubeObject,
  owner: DeploymentIdentity,
  { declaredKey, prunedRevision }: ProtectionOptions = {},
): Protection | undefined {
  const foreign = foreignProtection(live, owner);
  // A user who can write release records must learn nothing about objects elsewhere.
  if (foreign !== undefined && isOutsideNamespace(idOf(live), owner)) return foreign;
  // Another deployment has adopted the object and decides how long it stays.
  if (foreign !== undefined && describeOtherDeployment(live, owner) !== undefined) return foreign;
  const key = annotation(live, keepOnDeleteAnnotation) ?? declaredKey;
  const revision = liveRevision(live);
  const isRetired = key === prunedRevision?.key && revision === prunedRevision?.revision;
  if (key !== undefined && !isRetired) {
    return { why: "keepOnDelete", detail: `key ${key}, revision ${revision}` };
  }
  if (foreign !== undefined) return foreign;
  return reapplyProtection(live) ?? (key === undefined ? keptByAnnotation(live) : undefined);
}

/**
 * Returns the reason not to delete or recreate an object that another tool also applies.
 * That tool would lose its fields.
 */
export function sharedProtection(live: KubeObject): Protection | undefined {
  return describeAppliers(otherAppliers(live));
}

/**
 * Returns the reason not to delete an object that another tool also applies, with or without
 * Server-Side Apply. If the object is declared, qvs takes the fields of a client without it.
 */
export function reapplyProtection(live: KubeObject): Protection | undefined {
  return sharedProtection(live) ?? describeAppliers(clientSideAppliers(live));
}

function describeAppliers(others: readonly string[]): Protection | undefined {
  if (others.length === 0) return undefined;
  const apply = others.length === 1 ? "applies" : "apply";
  return { why: "not ours", detail: `${others.join(" and ")} also ${apply} it` };
}

/** Returns the reason not to delete an object with an annotation that other tools obey. */
function keptByAnnotation(live: KubeObject): Protection | undefined {
  const found = keepPolicies.find(({ name, value }) =>
    (annotation(live, name) ?? "").split(",").some((part) => part.trim().toLowerCase() === value),
  );
  if (found === undefined) return undefined;
  return { why: "not ours", detail: `its annotation ${found.name} keeps it` };
}

/**
 * The annotations with which other tools keep an object that their manifests no longer contain.
 * - Helm: https://helm.sh/docs/howto/charts_tips_and_tricks/
 * - Argo CD: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/
 * - Flux: https://fluxcd.io/flux/components/kustomize/kustomizations/
 * - kapp: https://carvel.dev/kapp/docs/latest/apply/
 */
const keepPolicies: readonly { readonly name: string; readonly value: string }[] = [
  { name: "helm.sh/resource-policy", value: "keep" },
  { name: "argocd.argoproj.io/sync-options", value: "prune=false" },
  { name: "argocd.argoproj.io/sync-options", value: "delete=false" },
  { name: "kustomize.toolkit.fluxcd.io/prune", value: "disabled" },
  { name: "kapp.k14s.io/delete-strategy", value: "orphan" },
];

/**
 * Returns the revision of a kept object.
 * Without the annotation it is 0 (docs/reference/annotations.md#revision).
 */
export function liveRevision(live: KubeObject): string {
  return annotation(live, revisionAnnotation) ?? "0";
}

/**
 * Reports whether an object is cluster-scoped or in another namespace than the releases.
 * For such an object, a release record isn't enough proof.
 */
export function isOutsideNamespace(
  { namespace }: Pick<ObjectId, "namespace">,
  owner: DeploymentIdentity,
): boolean {
  return namespace !== owner.namespace;
}

/**
 * Returns the reason why an object doesn't belong to this deployment; undefined if it does.
 * Outside the namespace of the releases, the object must have a label with that namespace.
 * An earlier version of qvs didn't write the label. Anyone who can write Secrets in that namespace
 * can forge a record.
 */
export function foreignProtection(
  live: KubeObject,
  owner: DeploymentIdentity,
): Protection | undefined {
  const outside = isOutsideNamespace(idOf(live), owner);
  const foreign =
    foreignNameProtection(live, owner.deployment) ?? foreignNamespaceProtection(live, owner);
  if (foreign !== undefined && outside) return { why: "not ours", detail: describeMismatch(owner) };
  if (!outside || label(live, releaseNamespaceLabel) !== undefined) return foreign;
  return {
    why: "not ours",
    detail: `an earlier version of qvs deployed it, and it has no label ${releaseNamespaceLabel} with the namespace ${owner.namespace}`,
    claim: `kubectl label ${kubectlArguments(live)} ${releaseNamespaceLabel}=${owner.namespace}`,
  };
}

/**
 * Reports whether an object lost its `metadata.managedFields` but has all labels of this
 * deployment.
 * The object must be in the namespace of the releases.
 * If a release declared it, qvs can update it, but not delete it.
 */
export function hasLostManagedFields(live: KubeObject, owner: DeploymentIdentity): boolean {
  return (
    fieldOwners(live).length === 0 &&
    !isOutsideNamespace(idOf(live), owner) &&
    label(live, deploymentLabel) === owner.deployment &&
    label(live, managedByLabel) === managedByValue &&
    label(live, releaseNamespaceLabel) === owner.namespace
  );
}

/**
 * Reports whether an object has the labels and managers of a deployment with this name, in any
 * namespace.
 */
export function matchesDeploymentName(live: KubeObject, deployment: string): boolean {
  return foreignNameProtection(live, deployment) === undefined;
}

/**
 * Describes the other deployment that an object belongs to, for a sentence.
 * Returns undefined if the object names this deployment or none.
 */
export function describeOtherDeployment(
  live: KubeObject,
  { deployment, namespace }: DeploymentIdentity,
): string | undefined {
  const name = label(live, deploymentLabel) ?? deployment;
  const place = label(live, releaseNamespaceLabel) ?? namespace;
  if (place !== namespace) return `the deployment ${name} in namespace ${place}`;
  return name === deployment ? undefined : `the deployment ${name}`;
}

function foreignNameProtection(live: KubeObject, deployment: string): Protection | undefined {
  const owner = label(live, deploymentLabel);
  if (owner !== deployment) {
    const detail =
      owner === undefined
        ? `it has no label ${deploymentLabel}`
        : `its label ${deploymentLabel} names the deployment ${owner}`;
    return { why: "not ours", detail };
  }
  // qvs always writes this label. Another tool that applies the object can change it and leave the
  // labels that it doesn't know.
  const manager = label(live, managedByLabel);
  if (manager !== undefined && manager !== managedByValue) {
    return { why: "not ours", detail: `its label ${managedByLabel} names ${manager}` };
  }
  const managers = stages.map((stage) => fieldManager(deployment, stage));
  return managers.some((manager) => findApplyEntry(live, manager) !== undefined)
    ? undefined
    : { why: "not ours", detail: `its field managers don't include ${managers.join(" or ")}` };
}

function foreignNamespaceProtection(
  live: KubeObject,
  { namespace }: DeploymentIdentity,
): Protection | undefined {
  const named = label(live, releaseNamespaceLabel);
  if (named === undefined || named === namespace) return undefined;
  return { why: "not ours", detail: `its label ${releaseNamespaceLabel} names ${named}` };
}

function describeMismatch({ deployment, namespace }: DeploymentIdentity): string {
  return `its labels and field managers don't assign it to the deployment ${deployment} in namespace ${namespace}`;
}

/** Returns the arguments of a kubectl command, such as `persistentvolumeclaim data -n shop`. */
export function kubectlArguments(live: KubeObject): string {
  const { group, kind, namespace, name } = idOf(live);
  const resource = (group === "" ? kind : `${kind}.${group}`).toLowerCase();
  const place = namespace === "" ? [] : ["-n", namespace];
  return [resource, shellQuoted(name), ...place].join(" ");
}

/** Quotes a name for a shell. Names of roles can contain special characters. */
function shellQuoted(name: string): string {
  return /^[\w.:-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

/**
 * Kinds whose deletion also deletes other data.
 * qvs deletes them only if the user allows the kind (docs/reference/deployment.md#protected-kinds).
 */
export const protectedKinds: ReadonlyMap<string, string> = new Map([
  ["PersistentVolumeClaim", ""],
  ["Namespace", ""],
  ["CustomResourceDefinition", "apiextensions.k8s.io"],
  ["PersistentVolume", ""],
  ["VolumeSnapshot", "snapshot.storage.k8s.io"],
  ["VolumeSnapshotContent", "snapshot.storage.k8s.io"],
]);

export function isProtected({ group, kind }: GroupKind): boolean {
  return protectedKinds.get(kind) === group;
}

/** The value of --allow-delete that lets a deployment delete all its objects. */
export const allowEverything = "everything";
