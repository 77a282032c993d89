import { fieldOf, listAt } from "../json.ts";
import type { KubeObject } from "../object.ts";

const runningPods = "its Pods are gone until the new ones are ready";

const meanings: Readonly<Record<string, string>> = {
  Deployment: runningPods,
  StatefulSet: runningPods,
  DaemonSet: runningPods,
  ReplicaSet: runningPods,
  Rollout: runningPods,
  Service: "nothing reaches it until it is back, and its cluster IP may change",
  Job: "it runs once more",
  CronJob: "what it is running now is stopped",
};

const twice = "both run for a while";

const renamings: Readonly<Record<string, string>> = {
  Deployment: twice,
  StatefulSet: `${twice}, and the new Pods have claims of their own, without the data of the old ones`,
  DaemonSet: twice,
  ReplicaSet: twice,
  Rollout: twice,
  Service: "whoever calls it by its old name finds nothing afterwards",
  PersistentVolumeClaim: "the data in it does not move",
};

/**
 * Describes the effect for users if an object is created under another name before the old one is
 * deleted.
 */
export function meaningOfRenaming(kind: string): string {
  return fieldOf(renamings, kind) ?? "whatever names the old one finds nothing afterwards";
}

const checks: Readonly<Record<string, string>> = {
  Service: "Check that nobody has to reach it meanwhile, and that nothing holds its cluster IP",
  CronJob: "Check that what it is running now may be stopped",
};

/** Returns the check that a reviewer must do before an object is deleted and recreated. */
export function checkBeforeRecreation(kind: string): string {
  const hasPods = fieldOf(meanings, kind) === runningPods;
  const other = "Check that nothing needs it meanwhile";
  return fieldOf(checks, kind) ?? (hasPods ? "Check that nobody needs its Pods meanwhile" : other);
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
    "Declare another claim and move the data: deleting this one may delete its volume",
  CustomResourceDefinition:
    "Declare another definition, of another group or kind, and move its objects: deleting this one would delete all of them",
  Namespace:
    "Declare another one and move what is in it: deleting this one would delete all of that",
  PersistentVolume:
    "Declare another volume: deleting this one may delete what it stands for, and its claim loses it",
  VolumeSnapshot: "Declare another snapshot: deleting this one may delete the data that it holds",
  VolumeSnapshotContent: "Declare another one: deleting this one may delete the data that it holds",
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
  return fieldOf(meanings, kind) ?? "it is absent for a moment";
}

const stopped = "its Pods stop";
const notRouted = "what it routes is no longer reached";
const noRights = "the rights that it grants are gone";
const dataHeld = "the data that it holds may be deleted";

const deletions: Readonly<Record<string, string>> = {
  Deployment: stopped,
  StatefulSet: stopped,
  DaemonSet: stopped,
  ReplicaSet: stopped,
  Rollout: stopped,
  Pod: "it stops",
  CronJob: "it is no longer started",
  Service: "nothing reaches its Pods by this name any more",
  Ingress: notRouted,
  HTTPRoute: notRouted,
  Gateway: notRouted,
  VirtualService: notRouted,
  PersistentVolumeClaim: "the data in it is lost, unless its volume is retained",
  PersistentVolume: "the data in it may be deleted, and its claim loses it",
  VolumeSnapshot: dataHeld,
  VolumeSnapshotContent: dataHeld,
  Namespace: "everything in it is deleted",
  CustomResourceDefinition: "all objects of its kind are deleted",
  HorizontalPodAutoscaler: "nothing scales its target any more",
  PodDisruptionBudget: "a node drain may stop all of its Pods at once",
  NetworkPolicy: "traffic that only it blocked is allowed",
  ServiceAccount: "Pods that run as it lose its rights",
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
