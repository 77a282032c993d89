import { type GroupKind, isCoreKind, kindKey } from "./kinds.ts";
import type { ObjectId } from "./object.ts";

/**
 * A kind whose objects decide about other objects: they admit, count, limit or define them, or give
 * them defaults.
 * The API server uses a change of such an object only a moment later
 * (`apply/retry-writes.ts`).
 */
interface Governor extends GroupKind {
  /**
   * The objects that it governs, and how they are matched.
   * An object that governs `requests` can block all of them, for example while its server is down.
   */
  readonly governs: "its namespace" | "requests" | "the kind that it defines" | "what names it";
  /** True if it limits nothing without a spec. Its deletion then counts as an empty spec. */
  readonly isLimit?: true;
  /** The field of a Pod's spec that names it. Without the class, the API server rejects the Pod. */
  readonly podField?: string;
  /** The fields that the API server copies into a new Pod. */
  readonly copiedToPods?: readonly (readonly string[])[];
  /** True if one of its objects can be the default for objects that name none. */
  readonly hasDefault?: true;
  /** True if it can change whether Pods are admitted and where they fit. */
  readonly placesPods?: true;
}

/** The group of all policies, bindings and webhook configurations. */
export const admissionGroup = "admissionregistration.k8s.io";

const namespacePolicy = { group: "", governs: "its namespace", placesPods: true } as const;
const admission = { group: admissionGroup, governs: "requests" } as const;
const named = { governs: "what names it" } as const;

const governors: readonly Governor[] = [
  { ...namespacePolicy, kind: "Namespace" },
  { ...namespacePolicy, kind: "LimitRange", isLimit: true, copiedToPods: [["spec", "limits"]] },
  { ...namespacePolicy, kind: "ResourceQuota", isLimit: true },
  // Mutating policies and their bindings can change Pods, but `placesPods` doesn't count them.
  { ...admission, kind: "MutatingAdmissionPolicy" },
  { ...admission, kind: "MutatingAdmissionPolicyBinding" },
  { ...admission, kind: "MutatingWebhookConfiguration", placesPods: true },
  { ...admission, kind: "ValidatingAdmissionPolicy", placesPods: true },
  { ...admission, kind: "ValidatingAdmissionPolicyBinding", placesPods: true },
  { ...admission, kind: "ValidatingWebhookConfiguration", placesPods: true },
  { group: "apiregistration.k8s.io", kind: "APIService", governs: "requests" },
  {
    ...{ group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" },
    governs: "the kind that it defines",
  },
  // The API server looks for the PriorityClass of a Pod before its RuntimeClass.
  {
    ...{ ...named, group: "scheduling.k8s.io", kind: "PriorityClass" },
    podField: "priorityClassName",
    copiedToPods: [["globalDefault"], ["value"], ["preemptionPolicy"]],
    hasDefault: true,
    placesPods: true,
  },
  {
    ...{ ...named, group: "node.k8s.io", kind: "RuntimeClass" },
    podField: "runtimeClassName",
    copiedToPods: [["overhead"], ["scheduling"]],
    placesPods: true,
  },
  {
    ...{ ...named, group: "storage.k8s.io", kind: "StorageClass" },
    hasDefault: true,
    placesPods: true,
  },
  { ...named, group: "networking.k8s.io", kind: "IngressClass", hasDefault: true },
  // What a Pod gets from its ServiceAccount needs no space on a node.
  {
    ...{ ...named, group: "", kind: "ServiceAccount" },
    copiedToPods: [["imagePullSecrets"], ["automountServiceAccountToken"]],
  },
  { ...named, group: "", kind: "PersistentVolume", placesPods: true },
  { ...named, group: "", kind: "PersistentVolumeClaim", placesPods: true },
];

const governorsByKind = new Map(governors.map((each) => [kindKey(each), each]));

function governorOf(kind: GroupKind): Governor | undefined {
  return governorsByKind.get(kindKey(kind));
}

/** Reports whether admission judges all new objects of a namespace by objects of this kind. */
export function isNamespacePolicy(kind: GroupKind): boolean {
  return governorOf(kind)?.governs === "its namespace";
}

/** Returns the namespace whose objects a namespace policy governs. */
export function governedNamespace(id: ObjectId): string {
  return isCoreKind(id, "Namespace") ? id.name : id.namespace;
}

/** Reports whether the deletion of such an object has the effect of an empty spec. */
export function isLimit(kind: GroupKind): boolean {
  return governorOf(kind)?.isLimit === true;
}

/**
 * Reports whether an object is an admission policy, its binding, or a webhook configuration.
 * All kinds of the group count, also those of later versions of Kubernetes.
 */
export function isAdmissionConfiguration({ group }: Pick<GroupKind, "group">): boolean {
  return group === admissionGroup;
}

/** The kinds that decide about requests, in addition to the API server itself. */
export const admissionKinds: readonly string[] = governors
  .filter(isAdmissionConfiguration)
  .map(({ kind }) => kind);

/**
 * Reports whether an object can block every request, so that qvs applies it last in its stage.
 */
export function canBlockRequests(kind: GroupKind): boolean {
  return isAdmissionConfiguration(kind) || governorOf(kind)?.governs === "requests";
}

/** The classes that a Pod names in these fields. */
export const podClassKinds = governors.flatMap(({ group, kind, podField }) =>
  podField === undefined ? [] : [{ group, kind, podField }],
);

export function isPodClass(kind: GroupKind): boolean {
  return governorOf(kind)?.podField !== undefined;
}

/** Reports whether an object decides whether its PersistentVolumeClaims can grow. */
export function isStorageClass(kind: GroupKind): boolean {
  return kindKey(kind) === "storage.k8s.io/StorageClass";
}

/**
 * Returns the fields that the API server copies from such an object into a new Pod.
 * Returns undefined for a kind that gives a Pod nothing.
 */
export function fieldsCopiedToPods(kind: GroupKind): Governor["copiedToPods"] {
  return governorOf(kind)?.copiedToPods;
}

/** The kinds that give fields to new Pods, as `group/Kind`. */
export const podDefaultKinds: readonly string[] = governors
  .filter(({ copiedToPods }) => copiedToPods !== undefined)
  .map(kindKey);

/** Reports whether objects that name no class of this kind get its default class. */
export function hasDefault(kind: GroupKind): boolean {
  return governorOf(kind)?.hasDefault === true;
}

/** Reports whether such an object can change whether Pods are admitted, and where they fit. */
export function placesPods(kind: GroupKind): boolean {
  return governorOf(kind)?.placesPods === true;
}
