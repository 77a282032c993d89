import { ephemeralClaimOf, usesClaims } from "../../model/cluster/claims.ts";
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
  // Events about cluster-scoped objects are kept in the namespace default.
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

/** Claims of whatever else is placed hold volumes, too. */
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

/** By its Pods, or since it is a claim itself, whose volume has to be found. */
function claimsVolumes(own: OwnObject): boolean {
  if (own.object === undefined) return false;
  return isCore(own.id, "PersistentVolumeClaim") || (isPlaced(own) && hasClaims(own.object));
}

/** What Karpenter makes nodes by, where Pods need a place. */
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

/** What the claims name. Which class is the default one, only the cluster knows. */
export function toClasses({ objects }: RightsSubject): readonly Right[] {
  const claims = objects.filter(({ id }) => isCore(id, "PersistentVolumeClaim"));
  const classes = claims.map(({ object }) => textAt(object, "spec", "storageClassName"));
  const names = classes.includes(undefined)
    ? [undefined]
    : named(classes.flatMap((name) => name ?? []));
  return on(undefined, "storage.k8s.io", "storageclasses", ["get"], names);
}

/** To dry-run what controllers will create. */
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

/** Claims by templates: a StatefulSet's, or those that each Pod has for itself. */
function makesClaims({ object }: OwnObject): boolean {
  if (object === undefined) return false;
  const volumes = listAt(podSpecOf(object)?.spec, "volumes");
  return (
    listAt(object, "spec", "volumeClaimTemplates").length > 0 ||
    volumes.some((volume) => ephemeralClaimOf(volume) !== undefined)
  );
}
