import { fieldsCopiedToPods } from "../../governors.ts";
import { at, fieldOf, type Json, listAt, sameJson, textAt } from "../../json.ts";
import { type GroupKind, kindKey } from "../../kinds.ts";
import { idOf, type KubeObject } from "../../object.ts";
import { podSpecOf } from "../pods.ts";

/**
 * Reports whether both states of an object give new objects the same defaults.
 * A state is undefined if the object doesn't exist.
 */
export function hasSameDefaults(
  id: GroupKind,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): boolean {
  return sameJson(defaultValues(id, before), defaultValues(id, after));
}

function defaultValues(id: GroupKind, object: KubeObject | undefined): Json {
  const fields = fieldsCopiedToPods(id);
  if (fields === undefined) return object !== undefined && isDefaultClass(id, object);
  return fields.map((path) => at(object, ...path) ?? null);
}

/** The kinds of classes that can have a default for objects that name no class. */
type ClassKind =
  | "storage.k8s.io/StorageClass"
  | "networking.k8s.io/IngressClass"
  | "scheduling.k8s.io/PriorityClass";

/**
 * Returns the kinds of classes whose default the object gets, directly or through its Pods and
 * claims.
 */
export function requiredDefaultClasses(object: KubeObject): readonly ClassKind[] {
  const pod = podSpecOf(object)?.spec;
  const lacksPriorityClass = pod !== undefined && (textAt(pod, "priorityClassName") ?? "") === "";
  return [
    ...(claimManifests(object).some(lacksStorageClass)
      ? ["storage.k8s.io/StorageClass" as const]
      : []),
    ...(lacksIngressClass(object) ? ["networking.k8s.io/IngressClass" as const] : []),
    ...(lacksPriorityClass ? ["scheduling.k8s.io/PriorityClass" as const] : []),
  ];
}

function claimManifests(object: KubeObject): readonly Json[] {
  const kind = kindKey(idOf(object));
  if (kind === "/PersistentVolumeClaim") return [object];
  return kind === "apps/StatefulSet" ? listAt(object, "spec", "volumeClaimTemplates") : [];
}

/** Reports whether a claim names no class. An empty string is a name: it requests no class. */
function lacksStorageClass(claim: Json): boolean {
  const old = readAnnotation(claim, "volume.beta.kubernetes.io/storage-class");
  return textAt(claim, "spec", "storageClassName") === undefined && old === undefined;
}

function lacksIngressClass(object: KubeObject): boolean {
  if (kindKey(idOf(object)) !== "networking.k8s.io/Ingress") return false;
  const old = readAnnotation(object, "kubernetes.io/ingress.class");
  return textAt(object, "spec", "ingressClassName") === undefined && old === undefined;
}

const defaultClassAnnotations: Readonly<Record<string, readonly string[]>> = {
  "storage.k8s.io/StorageClass": [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
  ],
  "networking.k8s.io/IngressClass": ["ingressclass.kubernetes.io/is-default-class"],
};

/** Reports whether a class is the default for objects that name no class. */
export function isDefaultClass(id: GroupKind, object: Json): boolean {
  if (id.kind === "PriorityClass") return at(object, "globalDefault") === true;
  const names = fieldOf(defaultClassAnnotations, kindKey(id)) ?? [];
  return names.some((name) => readAnnotation(object, name) === "true");
}

function readAnnotation(object: Json, name: string): string | undefined {
  return textAt(object, "metadata", "annotations", name);
}
