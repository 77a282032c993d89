import {
  ephemeralClaimTemplate,
  isClaim,
  usesClaims,
} from "../../model/cluster/persistent-volume-claims.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { listAt, textAt } from "../../model/json.ts";
import { hasRollout, runsPodsWithoutRollout } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/object.ts";
import { allowsOrphans, isStatefulSet } from "../../ssa/steps/orphan.ts";
import {
  type DeploymentObject,
  objectNamespaces,
  type PermissionInput,
  permit,
  uniqueSorted,
} from "./granted-permissions.ts";
import type { Permission } from "./permission.ts";

export function evidencePermissions({ objects }: PermissionInput): readonly Permission[] {
  // Events about cluster-scoped objects are in the namespace `default`.
  const places = objects.map(({ id }) => id.namespace || "default");
  return [
    ...uniqueSorted(places).flatMap((namespace) => permit(namespace, "", "events", ["list"])),
    ...objectNamespaces(objects.filter(createsPods)).flatMap((namespace) => [
      ...permit(namespace, "", "pods", ["list", "watch"]),
      ...permit(namespace, "", "pods/log", ["get"]),
      ...permit(namespace, "apps", "replicasets", ["list"]),
    ]),
  ];
}

export function schedulingPermissions({ objects }: PermissionInput): readonly Permission[] {
  const workloads = objects.filter(({ id }) => hasRollout(id));
  const placed = objects.filter(isScheduled);
  const storage = objects.some(needsVolumes) ? storagePermissions(placed) : [];
  if (placed.length === 0) return storage;
  return [
    ...["nodes", "pods", "namespaces"].flatMap((plural) => permit(undefined, "", plural, ["list"])),
    ...permit(undefined, "scheduling.k8s.io", "priorityclasses", ["list"]),
    ...objectNamespaces(workloads).flatMap((namespace) =>
      permit(namespace, "apps", "replicasets", ["list"]),
    ),
    ...permit("kube-system", "", "configmaps", ["get"], ["cluster-autoscaler-status"]),
    ...storage,
  ];
}

/**
 * Returns the permissions to read storage in the namespaces of all workloads, because their claims
 * use volumes, too.
 */
function storagePermissions(placed: readonly DeploymentObject[]): readonly Permission[] {
  return [
    ...objectNamespaces(placed).flatMap((namespace) =>
      permit(namespace, "", "persistentvolumeclaims", ["list"]),
    ),
    ...permit(undefined, "", "persistentvolumes", ["list"]),
    ...permit(undefined, "storage.k8s.io", "storageclasses", ["list"]),
    ...permit(undefined, "storage.k8s.io", "csinodes", ["list"]),
  ];
}

/**
 * Reports whether the Pods of an object have claims, or whether it is a claim itself and needs a
 * volume.
 */
function needsVolumes(own: DeploymentObject): boolean {
  if (own.object === undefined) return false;
  return isClaim(own.id) || (isScheduled(own) && hasClaims(own.object));
}

/**
 * Returns the permission to list the NodePools that Karpenter creates nodes from, if there are
 * Pods.
 */
export function nodePoolPermissions({ objects }: PermissionInput): readonly Permission[] {
  return objects.some(isScheduled) ? permit(undefined, "karpenter.sh", "nodepools", ["list"]) : [];
}

function isScheduled({ id }: DeploymentObject): boolean {
  return hasRollout(id) || runsPodsWithoutRollout(id);
}

function hasClaims(object: KubeObject): boolean {
  return (
    usesClaims(object.spec) || usesClaims({ template: { spec: podSpecOf(object)?.spec ?? {} } })
  );
}

/**
 * Returns the permissions to read the StorageClasses of claims.
 * A claim without a class needs all classes: only the cluster knows the default one.
 */
export function storageClassPermissions({ objects }: PermissionInput): readonly Permission[] {
  const claims = objects.filter(({ id }) => isClaim(id));
  const classes = claims.map(({ object }) => textAt(object, "spec", "storageClassName"));
  const names = classes.includes(undefined)
    ? [undefined]
    : uniqueSorted(classes.flatMap((name) => name ?? []));
  return permit(undefined, "storage.k8s.io", "storageclasses", ["get"], names);
}

/** Returns the permissions to dry-run the Pods that controllers will create. */
export function podDryRunPermissions({ objects }: PermissionInput): readonly Permission[] {
  return objectNamespaces(objects.filter(createsPods)).flatMap((namespace) =>
    permit(namespace, "", "pods", ["create"]),
  );
}

export function claimDryRunPermissions({ objects }: PermissionInput): readonly Permission[] {
  return objectNamespaces(objects.filter(createsClaims)).flatMap((namespace) =>
    permit(namespace, "", "persistentvolumeclaims", ["create"]),
  );
}

/**
 * Returns the permissions to read and grow the claims of StatefulSets whose replacement keeps the
 * Pods.
 */
export function claimGrowthPermissions({ objects }: PermissionInput): readonly Permission[] {
  const growing = objects.filter(
    ({ object }) =>
      object !== undefined && isStatefulSet(object) && allowsOrphans(object) && hasClaims(object),
  );
  return objectNamespaces(growing).flatMap((namespace) =>
    permit(namespace, "", "persistentvolumeclaims", ["list", "get", "patch"]),
  );
}

export function quotaPermissions({ objects }: PermissionInput): readonly Permission[] {
  return objectNamespaces(objects).flatMap((namespace) =>
    permit(namespace, "", "resourcequotas", ["list"]),
  );
}

function createsPods({ object }: DeploymentObject): boolean {
  return object !== undefined && podSpecOf(object) !== undefined;
}

/**
 * Reports whether an object creates claims from templates, as a StatefulSet or for ephemeral
 * volumes of Pods.
 */
function createsClaims({ object }: DeploymentObject): boolean {
  if (object === undefined) return false;
  const volumes = listAt(podSpecOf(object)?.spec, "volumes");
  return (
    listAt(object, "spec", "volumeClaimTemplates").length > 0 ||
    volumes.some((volume) => ephemeralClaimTemplate(volume) !== undefined)
  );
}
