import { fieldOf, type JsonObject } from "./json.ts";
import type { ObjectId } from "./object.ts";

/** The identity of a kind in all its API versions. The group is empty for the core group. */
export type GroupKind = Pick<ObjectId, "group" | "kind">;

/** An API version with a kind. */
export type KindRef = readonly [apiVersion: string, kind: string];

/** Returns the key of a kind: `apps/Deployment`, or `/Pod` in the core group. */
export function kindKey({ group, kind }: GroupKind): string {
  return `${group}/${kind}`;
}

/** Reports whether this is the kind of that name in the core group. */
export function isCoreKind({ group, kind }: GroupKind, name: string): boolean {
  return group === "" && kind === name;
}

/**
 * Reports whether an object or a manifest is of the kind of that name in the core group. Other
 * groups have kinds of the same name.
 */
export function isCoreObject({ apiVersion, kind }: JsonObject, name: string): boolean {
  return apiVersion === "v1" && kind === name;
}

export function isClusterScoped(kind: GroupKind): boolean {
  return factsOf(kind).isClusterScoped === true;
}

/** Reports whether objects of this kind can have a status; true for kinds that qvs doesn't know. */
export function hasStatus(kind: GroupKind): boolean {
  return factsOf(kind).hasStatus ?? true;
}

/** Returns the path to the Pod spec; undefined for kinds without one. */
export function podSpecPath(kind: GroupKind): readonly string[] | undefined {
  return factsOf(kind).podSpec;
}

/** Reports whether the controller of this kind replaces the Pods of an old template. */
export function hasRollout(kind: GroupKind): boolean {
  const { rollout = "none" } = factsOf(kind);
  return rollout !== "none";
}

/** Reports whether a Deployment or an Argo Rollout creates its Pods through ReplicaSets. */
export function rollsOutByReplicaSets(kind: GroupKind): boolean {
  return factsOf(kind).rollout === "by ReplicaSets";
}

/** Reports whether this kind runs or creates Pods, and never replaces those of an old template. */
export function runsPodsWithoutRollout(kind: GroupKind): boolean {
  return factsOf(kind).rollout === "none";
}

/** Reports whether `spec.selector` of this kind selects its Pods. */
export function selectsPods(kind: GroupKind): boolean {
  return factsOf(kind).selectsPods === true;
}

/**
 * The kinds to list for all Pods that run or will run. Pods are first, because they would break. A
 * ReplicationController is found by its Pods.
 */
export const workloadKinds: readonly KindRef[] = [
  ["v1", "Pod"],
  ["apps/v1", "Deployment"],
  ["apps/v1", "StatefulSet"],
  ["apps/v1", "DaemonSet"],
  ["apps/v1", "ReplicaSet"],
  ["batch/v1", "Job"],
  ["batch/v1", "CronJob"],
];

/** Argo Rollouts. qvs also lists them if the cluster serves the kind. */
export const rolloutKind: KindRef = ["argoproj.io/v1alpha1", "Rollout"];

interface KindFacts {
  readonly isClusterScoped?: true;
  readonly hasStatus?: false;
  readonly podSpec?: readonly string[];
  /** The way in which new Pods replace old ones; missing if the kind runs no Pods. */
  readonly rollout?: "by ReplicaSets" | "by Pods" | "none";
  readonly selectsPods?: true;
}

function factsOf(kind: GroupKind): KindFacts {
  return fieldOf(kinds, kindKey(kind)) ?? {};
}

const clusterScoped: KindFacts = { isClusterScoped: true };
const withoutStatus: KindFacts = { hasStatus: false };
const podTemplate: KindFacts = { podSpec: ["spec", "template", "spec"], selectsPods: true };

/**
 * The kinds of Kubernetes about which qvs knows such facts, and Argo Rollouts.
 * test/system/rbac/kinds.system.test.ts compares scopes and statuses with the discovery of a real
 * control plane.
 */
const kinds: Readonly<Record<string, KindFacts>> = {
  "/ComponentStatus": clusterScoped,
  "/ConfigMap": withoutStatus,
  "/Endpoints": withoutStatus,
  "/LimitRange": withoutStatus,
  "/Namespace": clusterScoped,
  "/Node": clusterScoped,
  "/PersistentVolume": clusterScoped,
  "/Pod": { podSpec: ["spec"], rollout: "none" },
  "/PodTemplate": { podSpec: ["template", "spec"] },
  "/ReplicationController": { ...podTemplate, rollout: "none" },
  "/Secret": withoutStatus,
  "/ServiceAccount": withoutStatus,
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": clusterScoped,
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": clusterScoped,
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": clusterScoped,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": clusterScoped,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": clusterScoped,
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": clusterScoped,
  "apiextensions.k8s.io/CustomResourceDefinition": clusterScoped,
  "apiregistration.k8s.io/APIService": clusterScoped,
  "apps/DaemonSet": { ...podTemplate, rollout: "by Pods" },
  "apps/Deployment": { ...podTemplate, rollout: "by ReplicaSets" },
  "apps/ReplicaSet": { ...podTemplate, rollout: "none" },
  "apps/StatefulSet": { ...podTemplate, rollout: "by Pods" },
  "argoproj.io/Rollout": { ...podTemplate, rollout: "by ReplicaSets" },
  "batch/CronJob": {
    podSpec: ["spec", "jobTemplate", "spec", "template", "spec"],
    rollout: "none",
  },
  "batch/Job": { ...podTemplate, rollout: "none" },
  "certificates.k8s.io/CertificateSigningRequest": clusterScoped,
  "certificates.k8s.io/ClusterTrustBundle": clusterScoped,
  "flowcontrol.apiserver.k8s.io/FlowSchema": clusterScoped,
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": clusterScoped,
  "networking.k8s.io/IPAddress": clusterScoped,
  "networking.k8s.io/IngressClass": { ...clusterScoped, ...withoutStatus },
  "networking.k8s.io/NetworkPolicy": withoutStatus,
  "networking.k8s.io/ServiceCIDR": clusterScoped,
  "node.k8s.io/RuntimeClass": clusterScoped,
  "rbac.authorization.k8s.io/ClusterRole": { ...clusterScoped, ...withoutStatus },
  "rbac.authorization.k8s.io/ClusterRoleBinding": { ...clusterScoped, ...withoutStatus },
  "rbac.authorization.k8s.io/Role": withoutStatus,
  "rbac.authorization.k8s.io/RoleBinding": withoutStatus,
  "resource.k8s.io/DeviceClass": clusterScoped,
  "resource.k8s.io/DeviceTaintRule": clusterScoped,
  "resource.k8s.io/ResourcePoolStatusRequest": clusterScoped,
  "resource.k8s.io/ResourceSlice": clusterScoped,
  "scheduling.k8s.io/PriorityClass": { ...clusterScoped, ...withoutStatus },
  "storage.k8s.io/CSIDriver": clusterScoped,
  "storage.k8s.io/CSINode": clusterScoped,
  "storage.k8s.io/StorageClass": { ...clusterScoped, ...withoutStatus },
  "storage.k8s.io/VolumeAttachment": clusterScoped,
  "storage.k8s.io/VolumeAttributesClass": clusterScoped,
  "storagemigration.k8s.io/StorageVersionMigration": clusterScoped,
};
