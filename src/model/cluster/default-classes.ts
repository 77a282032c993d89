import { at, fieldOf, type Json, listAt, textAt } from "../json.ts";
import { groupOf, type KubeObject, type ObjectId } from "../object.ts";
import { podSpecOf } from "./pods.ts";

/** The kinds of classes that can have a default for objects that name no class. */
type ClassKind =
  | "storage.k8s.io/StorageClass"
  | "networking.k8s.io/IngressClass"
  | "scheduling.k8s.io/PriorityClass";

/**
 * Returns the kinds of classes whose default the object gets, directly or through its Pods and
 * claims.
 */
export function unnamedClasses(object: KubeObject): readonly ClassKind[] {
  const pod = podSpecOf(object)?.spec;
  const isUnprioritised = pod !== undefined && (textAt(pod, "priorityClassName") ?? "") === "";
  return [
    ...(claimsOf(object).some(hasNoStorageClass) ? ["storage.k8s.io/StorageClass" as const] : []),
    ...(isIngressWithoutClass(object) ? ["networking.k8s.io/IngressClass" as const] : []),
    ...(isUnprioritised ? ["scheduling.k8s.io/PriorityClass" as const] : []),
  ];
}

function claimsOf(object: KubeObject): readonly Json[] {
  const kind = `${groupOf(object.apiVersion)}/${object.kind}`;
  if (kind === "/PersistentVolumeClaim") return [object];
  return kind === "apps/StatefulSet" ? listAt(object, "spec", "volumeClaimTemplates") : [];
}

/** Reports whether a claim names no class. An empty string is a name: it requests no class. */
function hasNoStorageClass(claim: Json): boolean {
  const old = annotationOf(claim, "volume.beta.kubernetes.io/storage-class");
  return textAt(claim, "spec", "storageClassName") === undefined && old === undefined;
}

function isIngressWithoutClass(object: KubeObject): boolean {
  if (`${groupOf(object.apiVersion)}/${object.kind}` !== "networking.k8s.io/Ingress") return false;
  const old = annotationOf(object, "kubernetes.io/ingress.class");
  return textAt(object, "spec", "ingressClassName") === undefined && old === undefined;
}

const annotations: Readonly<Record<string, readonly string[]>> = {
  "storage.k8s.io/StorageClass": [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
  ],
  "networking.k8s.io/IngressClass": ["ingressclass.kubernetes.io/is-default-class"],
};

/** Reports whether a class is the default for objects that name no class. */
export function isDefaultClass(
  { group, kind }: Pick<ObjectId, "group" | "kind">,
  object: Json,
): boolean {
  if (kind === "PriorityClass") return at(object, "globalDefault") === true;
  const names = fieldOf(annotations, `${group}/${kind}`) ?? [];
  return names.some((name) => annotationOf(object, name) === "true");
}

function annotationOf(object: Json, name: string): string | undefined {
  return textAt(object, "metadata", "annotations", name);
}
