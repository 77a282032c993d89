import { fieldOf, listAt } from "../json.ts";
import type { KubeObject } from "../object.ts";

const podsMissing = "it has no Pods until the new ones are ready";

const recreationEffects: Readonly<Record<string, string>> = {
  Deployment: podsMissing,
  StatefulSet: podsMissing,
  DaemonSet: podsMissing,
  ReplicaSet: podsMissing,
  Rollout: podsMissing,
  Service: "clients can't reach it until it exists again, and its cluster IP can change",
  Job: "it runs again",
  CronJob: "its running Jobs are stopped",
};

const bothRun = "both run at the same time for a while";

const renamingEffects: Readonly<Record<string, string>> = {
  Deployment: bothRun,
  StatefulSet: `${bothRun}, and the new Pods get new PersistentVolumeClaims without the old data`,
  DaemonSet: bothRun,
  ReplicaSet: bothRun,
  Rollout: bothRun,
  Service: "clients that use the old name can't reach it afterward",
  PersistentVolumeClaim: "its data isn't moved",
};

/**
 * Describes the effect for users if an object is created under another name before the old one is
 * deleted.
 */
export function renamingEffect(kind: string): string {
  return fieldOf(renamingEffects, kind) ?? "references to the old name no longer work afterward";
}

const recreationChecks: Readonly<Record<string, string>> = {
  Service:
    "Check that no client needs it during the replacement, and that no client depends on its cluster IP",
  CronJob: "Check that its running Jobs can be stopped",
};

/** Returns the check that a reviewer must do before an object is deleted and recreated. */
export function recreationCheck(kind: string): string {
  const hasPods = fieldOf(recreationEffects, kind) === podsMissing;
  const other = "Check that nothing needs it during the replacement";
  return (
    fieldOf(recreationChecks, kind) ??
    (hasPods ? "Check that its Pods can be absent during the replacement" : other)
  );
}

/**
 * Reports whether an object finds its data again by its name and namespace.
 * The claims of a StatefulSet contain its name.
 */
export function keepsDataByName(object: KubeObject): boolean {
  return listAt(object, "spec", "volumeClaimTemplates").length > 0;
}

const recreationAlternatives: Readonly<Record<string, string>> = {
  PersistentVolumeClaim:
    "Declare another PersistentVolumeClaim and move the data: deleting this one can delete its volume",
  CustomResourceDefinition:
    "Declare another CustomResourceDefinition with another group or kind, and move its objects: deleting this one deletes all of them",
  Namespace:
    "Declare another Namespace and move the objects in it: deleting this one deletes all of them",
  PersistentVolume:
    "Declare another PersistentVolume: deleting this one can delete its storage, and its PersistentVolumeClaim loses it",
  VolumeSnapshot: "Declare another VolumeSnapshot: deleting this one can delete its data",
  VolumeSnapshotContent:
    "Declare another VolumeSnapshotContent: deleting this one can delete its data",
};

/**
 * Returns the alternative to recreating an object that contains or supports other objects.
 * Returns undefined for other kinds.
 */
export function recreationAlternative(kind: string): string | undefined {
  return fieldOf(recreationAlternatives, kind);
}

/** Describes the effect for users if an object is deleted and recreated. */
export function recreationEffect(kind: string): string {
  return fieldOf(recreationEffects, kind) ?? "it doesn't exist for a moment";
}

const podsStopped = "its Pods are stopped";
const routesBroken = "its routes no longer work";
const permissionsRemoved = "the permissions that it grants are removed";
const dataDeleted = "its data can be deleted";

const deletionEffects: Readonly<Record<string, string>> = {
  Deployment: podsStopped,
  StatefulSet: podsStopped,
  DaemonSet: podsStopped,
  ReplicaSet: podsStopped,
  Rollout: podsStopped,
  Pod: "it is stopped",
  CronJob: "it starts no more Jobs",
  Service: "its Pods can no longer be reached by this name",
  Ingress: routesBroken,
  HTTPRoute: routesBroken,
  Gateway: routesBroken,
  VirtualService: routesBroken,
  PersistentVolumeClaim: "its data is lost, unless its volume is retained",
  PersistentVolume: "its data can be deleted, and its PersistentVolumeClaim loses it",
  VolumeSnapshot: dataDeleted,
  VolumeSnapshotContent: dataDeleted,
  Namespace: "everything in it is deleted",
  CustomResourceDefinition: "all objects of its kind are deleted",
  HorizontalPodAutoscaler: "it no longer scales its target",
  PodDisruptionBudget: "a node drain can stop all of its Pods at once",
  NetworkPolicy: "traffic that only this policy blocked is allowed",
  ServiceAccount: "Pods that run as it lose its permissions",
  Role: permissionsRemoved,
  RoleBinding: permissionsRemoved,
  ClusterRole: permissionsRemoved,
  ClusterRoleBinding: permissionsRemoved,
};

/** Compares two kinds by the severity of their loss: first data, then workloads, then routing. */
export function compareLosses(a: string, b: string): number {
  return lossRank(a) - lossRank(b);
}

function lossRank(kind: string): number {
  const weight = kindsByLoss.indexOf(kind);
  return weight >= 0 ? weight : kindsByLoss.length + (deletionEffect(kind) === undefined ? 1 : 0);
}

const kindsByLoss = [
  "Namespace",
  "CustomResourceDefinition",
  "PersistentVolumeClaim",
  "PersistentVolume",
  "VolumeSnapshot",
  "VolumeSnapshotContent",
  "StatefulSet",
  "Deployment",
  "Rollout",
  "DaemonSet",
  "Service",
];

/**
 * Describes the effect for users of a permanent deletion.
 * Returns undefined if the effect depends on the users of the object.
 */
export function deletionEffect(kind: string): string | undefined {
  return fieldOf(deletionEffects, kind);
}
