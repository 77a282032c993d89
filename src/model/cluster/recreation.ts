import { fieldOf, listAt } from "../json.ts";
import type { KubeObject } from "../object.ts";

const runningPods = "it has no Pods until the new ones are ready";

const meanings: Readonly<Record<string, string>> = {
  Deployment: runningPods,
  StatefulSet: runningPods,
  DaemonSet: runningPods,
  ReplicaSet: runningPods,
  Rollout: runningPods,
  Service: "clients can't reach it until it exists again, and its cluster IP can change",
  Job: "it runs again",
  CronJob: "its running Jobs are stopped",
};

const twice = "both run at the same time for a while";

const renamings: Readonly<Record<string, string>> = {
  Deployment: twice,
  StatefulSet: `${twice}, and the new Pods get new PersistentVolumeClaims without the old data`,
  DaemonSet: twice,
  ReplicaSet: twice,
  Rollout: twice,
  Service: "clients that use the old name can't reach it afterward",
  PersistentVolumeClaim: "its data isn't moved",
};

/**
 * Describes the effect for users if an object is created under another name before the old one is
 * deleted.
 */
export function meaningOfRenaming(kind: string): string {
  return fieldOf(renamings, kind) ?? "references to the old name no longer work afterward";
}

const checks: Readonly<Record<string, string>> = {
  Service:
    "Check that no client needs it during the replacement, and that no client depends on its cluster IP",
  CronJob: "Check that its running Jobs can be stopped",
};

/** Returns the check that a reviewer must do before an object is deleted and recreated. */
export function checkBeforeRecreation(kind: string): string {
  const hasPods = fieldOf(meanings, kind) === runningPods;
  const other = "Check that nothing needs it during the replacement";
  return (
    fieldOf(checks, kind) ??
    (hasPods ? "Check that its Pods may be absent during the replacement" : other)
  );
}

/**
 * Reports whether an object finds its data again by its name and namespace.
 * The claims of a StatefulSet contain its name.
 */
export function keepsDataByName(object: KubeObject): boolean {
  return listAt(object, "spec", "volumeClaimTemplates").length > 0;
}

const lossOnRecreation: Readonly<Record<string, string>> = {
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
export function insteadOfRecreation(kind: string): string | undefined {
  return fieldOf(lossOnRecreation, kind);
}

/** Describes the effect for users if an object is deleted and recreated. */
export function meaningOfRecreation(kind: string): string {
  return fieldOf(meanings, kind) ?? "it doesn't exist for a moment";
}

const stopped = "its Pods are stopped";
const notRouted = "its routes no longer work";
const noRights = "the permissions that it grants are removed";
const dataHeld = "its data can be deleted";

const deletions: Readonly<Record<string, string>> = {
  Deployment: stopped,
  StatefulSet: stopped,
  DaemonSet: stopped,
  ReplicaSet: stopped,
  Rollout: stopped,
  Pod: "it is stopped",
  CronJob: "it starts no more Jobs",
  Service: "its Pods can no longer be reached by this name",
  Ingress: notRouted,
  HTTPRoute: notRouted,
  Gateway: notRouted,
  VirtualService: notRouted,
  PersistentVolumeClaim: "its data is lost, unless its volume is retained",
  PersistentVolume: "its data can be deleted, and its PersistentVolumeClaim loses it",
  VolumeSnapshot: dataHeld,
  VolumeSnapshotContent: dataHeld,
  Namespace: "everything in it is deleted",
  CustomResourceDefinition: "all objects of its kind are deleted",
  HorizontalPodAutoscaler: "it no longer scales its target",
  PodDisruptionBudget: "a node drain can stop all of its Pods at once",
  NetworkPolicy: "traffic that only this policy blocked is allowed",
  ServiceAccount: "Pods that run as it lose its permissions",
  Role: noRights,
  RoleBinding: noRights,
  ClusterRole: noRights,
  ClusterRoleBinding: noRights,
};

/** Compares two kinds by the severity of their loss: first data, then workloads, then routing. */
export function compareLosses(a: string, b: string): number {
  return weightOf(a) - weightOf(b);
}

function weightOf(kind: string): number {
  const weight = gravest.indexOf(kind);
  return weight >= 0 ? weight : gravest.length + (meaningOfDeletion(kind) === undefined ? 1 : 0);
}

const gravest = [
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
export function meaningOfDeletion(kind: string): string | undefined {
  return fieldOf(deletions, kind);
}
