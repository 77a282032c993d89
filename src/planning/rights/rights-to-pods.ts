import {
  ephemeralClaimTemplate,
  usesClaims,
} from "../../model/cluster/persistent-volume-claims.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { listAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { unrolledKinds } from "../../preflight/rollouts/pod-makers.ts";
import type { Right } from "./right.ts";
import {
  isCore,
  named,
  namespacesOf,
  type OwnObject,
  on,
  type RightsSubject,
} from "./rights-to.ts";

export function toEvidence({ objects }: RightsSubject): readonly Right[] {
  // Events about cluster-scoped objects are in the namespace `default`.
  const places = objects.map(({ id }) => id.namespace || "default");
  return [
    ...named(places).flatMap((namespace) => on(namespace, "", "events", ["list"])),
    ...namespacesOf(objects.filter(makesPods)).flatMap((namespace) => [
      ...on(namespace, "", "pods", ["list", "watch"]),
      ...on(namespace, "", "pods/log", ["get"]),
      ...on(namespace, "apps", "replicasets", ["list"]),
    ]),
  ];
}

export function toScheduling({ objects }: RightsSubject): readonly Right[] {
  const workloads = objects.filter(({ id }) => rollsOut.has(`${id.group}/${id.kind}`));
  const placed = objects.filter(isPlaced);
  const storage = objects.some(claimsVolumes) ? toStorage(placed) : [];
  if (placed.length === 0) return storage;
  return [
    ...["nodes", "pods", "namespaces"].flatMap((plural) => on(undefined, "", plural, ["list"])),
    ...on(undefined, "scheduling.k8s.io", "priorityclasses", ["list"]),
    ...namespacesOf(workloads).flatMap((namespace) =>
      on(namespace, "apps", "replicasets", ["list"]),
    ),
    ...on("kube-system", "", "configmaps", ["get"], ["cluster-autoscaler-status"]),
    ...storage,
  ];
}

/**
 * Returns the permissions to read storage in the namespaces of all workloads, because their claims
 * use volumes, too.
 */
function toStorage(placed: readonly OwnObject[]): readonly Right[] {
  return [
    ...namespacesOf(placed).flatMap((namespace) =>
      on(namespace, "", "persistentvolumeclaims", ["list"]),
    ),
    ...on(undefined, "", "persistentvolumes", ["list"]),
    ...on(undefined, "storage.k8s.io", "storageclasses", ["list"]),
    ...on(undefined, "storage.k8s.io", "csinodes", ["list"]),
  ];
}

/**
 * Reports whether the Pods of an object have claims, or whether it is a claim itself and needs a
 * volume.
 */
function claimsVolumes(own: OwnObject): boolean {
  if (own.object === undefined) return false;
  return isCore(own.id, "PersistentVolumeClaim") || (isPlaced(own) && hasClaims(own.object));
}

/**
 * Returns the permission to list the NodePools that Karpenter creates nodes from, if there are
 * Pods.
 */
export function toNodePools({ objects }: RightsSubject): readonly Right[] {
  return objects.some(isPlaced) ? on(undefined, "karpenter.sh", "nodepools", ["list"]) : [];
}

function isPlaced({ id }: OwnObject): boolean {
  const kind = `${id.group}/${id.kind}`;
  return rollsOut.has(kind) || unrolledKinds.has(kind);
}

function hasClaims(object: KubeObject): boolean {
  return (
    usesClaims(object.spec) || usesClaims({ template: { spec: podSpecOf(object)?.spec ?? {} } })
  );
}

const rollsOut: ReadonlySet<string> = new Set([
  "apps/Deployment",
  "apps/StatefulSet",
  "apps/DaemonSet",
  "argoproj.io/Rollout",
]);

/**
 * Returns the permissions to read the StorageClasses of claims.
 * A claim without a class needs all classes: only the cluster knows the default one.
 */
export function toClasses({ objects }: RightsSubject): readonly Right[] {
  const claims = objects.filter(({ id }) => isCore(id, "PersistentVolumeClaim"));
  const classes = claims.map(({ object }) => textAt(object, "spec", "storageClassName"));
  const names = classes.includes(undefined)
    ? [undefined]
    : named(classes.flatMap((name) => name ?? []));
  return on(undefined, "storage.k8s.io", "storageclasses", ["get"], names);
}

/** Returns the permissions to dry-run the Pods that controllers will create. */
export function toTrialPods({ objects }: RightsSubject): readonly Right[] {
  return namespacesOf(objects.filter(makesPods)).flatMap((namespace) =>
    on(namespace, "", "pods", ["create"]),
  );
}

export function toTrialClaims({ objects }: RightsSubject): readonly Right[] {
  return namespacesOf(objects.filter(makesClaims)).flatMap((namespace) =>
    on(namespace, "", "persistentvolumeclaims", ["create"]),
  );
}

export function toQuotas({ objects }: RightsSubject): readonly Right[] {
  return namespacesOf(objects).flatMap((namespace) =>
    on(namespace, "", "resourcequotas", ["list"]),
  );
}

function makesPods({ object }: OwnObject): boolean {
  return object !== undefined && podSpecOf(object) !== undefined;
}

/**
 * Reports whether an object creates claims from templates, as a StatefulSet or for ephemeral
 * volumes of Pods.
 */
function makesClaims({ object }: OwnObject): boolean {
  if (object === undefined) return false;
  const volumes = listAt(podSpecOf(object)?.spec, "volumes");
  return (
    listAt(object, "spec", "volumeClaimTemplates").length > 0 ||
    volumes.some((volume) => ephemeralClaimTemplate(volume) !== undefined)
  );
}
