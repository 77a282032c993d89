import type { Deletion } from "../deletion.ts";
import { at, fieldOf, isObject, type Json, type JsonObject, listAt, textAt } from "../json.ts";
import { groupOf, type KubeObject, type ObjectId } from "../object.ts";

/** Where each kind that makes Pods keeps the spec of its Pods. Other kinds have none as far as we know. */
const podSpecPaths: Readonly<Record<string, readonly string[]>> = {
  "core:Pod": ["spec"],
  "core:PodTemplate": ["template", "spec"],
  "core:ReplicationController": ["spec", "template", "spec"],
  "apps:Deployment": ["spec", "template", "spec"],
  "apps:StatefulSet": ["spec", "template", "spec"],
  "apps:DaemonSet": ["spec", "template", "spec"],
  "apps:ReplicaSet": ["spec", "template", "spec"],
  "batch:Job": ["spec", "template", "spec"],
  "batch:CronJob": ["spec", "jobTemplate", "spec", "template", "spec"],
  "argoproj.io:Rollout": ["spec", "template", "spec"],
};

export interface PodSpec {
  readonly spec: JsonObject;
  /** Where it is in the object, e.g. ["spec", "template", "spec"]. */
  readonly path: readonly string[];
}

/** The spec of the Pods that an object makes; undefined for every other object. */
export function podSpecOf(object: KubeObject): PodSpec | undefined {
  const group = groupOf(object.apiVersion);
  const path = fieldOf(podSpecPaths, `${group === "" ? "core" : group}:${object.kind}`);
  if (path === undefined) return undefined;
  const spec = at(object, ...path);
  return isObject(spec) ? { spec, path } : undefined;
}

/** Another object of the same namespace that a Pod can't start without. */
export interface PodReference {
  readonly kind: "ConfigMap" | "Secret" | "PersistentVolumeClaim" | "ServiceAccount";
  readonly name: string;
}

type Place = readonly [kind: PodReference["kind"], ...path: string[]];

const variables: readonly Place[] = [
  ["ConfigMap", "valueFrom", "configMapKeyRef", "name"],
  ["Secret", "valueFrom", "secretKeyRef", "name"],
];
const variableSources: readonly Place[] = [
  ["ConfigMap", "configMapRef", "name"],
  ["Secret", "secretRef", "name"],
];
const volumes: readonly Place[] = [
  ["ConfigMap", "configMap", "name"],
  ["Secret", "secret", "secretName"],
  ["PersistentVolumeClaim", "persistentVolumeClaim", "claimName"],
  ["Secret", "csi", "nodePublishSecretRef", "name"],
  ["Secret", "azureFile", "secretName"],
  ["Secret", "cephfs", "secretRef", "name"],
  ["Secret", "flexVolume", "secretRef", "name"],
  ["Secret", "iscsi", "secretRef", "name"],
  ["Secret", "rbd", "secretRef", "name"],
  ["Secret", "scaleIO", "secretRef", "name"],
];
const projections: readonly Place[] = [
  ["ConfigMap", "configMap", "name"],
  ["Secret", "secret", "name"],
];

/** Everything that a Pod spec names, optional references included: where both are declared, the order still matters. */
export function podReferences(spec: JsonObject): readonly PodReference[] {
  const containers = ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    listAt(spec, list),
  );
  const mounted = listAt(spec, "volumes");
  return [
    { kind: "ServiceAccount", name: serviceAccountOf(spec) },
    ...named(listAt(spec, "imagePullSecrets"), [["Secret", "name"]]),
    ...containers.flatMap((container) => [
      ...named(listAt(container, "env"), variables),
      ...named(listAt(container, "envFrom"), variableSources),
    ]),
    ...named(mounted, volumes),
    ...mounted.flatMap((volume) => named(listAt(volume, "projected", "sources"), projections)),
  ];
}

/**
 * By which names Pods may need an object of their namespace: its own, or that of the Secret or ConfigMap that its
 * controller makes of it (ExternalSecret, Certificate, SealedSecret ...), as far as its spec tells.
 */
export function namesForPods({ apiVersion, kind, ...object }: JsonObject): readonly PodReference[] {
  const name = textAt(object, "metadata", "name") ?? "";
  const own = apiVersion === "v1" ? namedKinds.find((each) => each === kind) : undefined;
  if (own !== undefined) return [{ kind: own, name }];
  const made = [
    name,
    textAt(object, "spec", "target", "name"),
    textAt(object, "spec", "secretName"),
  ];
  return made.flatMap((each) =>
    each === undefined
      ? []
      : [
          { kind: "Secret" as const, name: each },
          { kind: "ConfigMap" as const, name: each },
        ],
  );
}

const namedKinds: readonly PodReference["kind"][] = [
  "ConfigMap",
  "Secret",
  "PersistentVolumeClaim",
  "ServiceAccount",
];

/** Whether Pods may name an object of this kind. */
export function isNamedByPods({ group, kind }: Pick<ObjectId, "group" | "kind">): boolean {
  return group === "" && namedKinds.some((each) => each === kind);
}

/** Something that Pods may name and that is no longer there once an object is deleted. */
interface Usable {
  readonly id: ObjectId;
  /** Whether the deleted object owns it; otherwise it is that object, or known by its names. */
  readonly isProduct: boolean;
}

/**
 * Returns what Pods may still use of a deleted object: itself, and what the garbage collector
 * deletes with it. A kept revision also counts by the names of what its controller makes of it.
 */
export function usableObjects({ id, live, retires, products }: Deletion): readonly Usable[] {
  const names = retires === undefined && !isNamedByPods(id) ? [] : namesForPods(live);
  const { namespace } = id;
  const owned = products?.objects.filter(isNamedByPods) ?? [];
  return [
    ...names.map((named) => ({ id: { group: "", namespace, ...named }, isProduct: false })),
    ...owned.map((product) => ({ id: product, isProduct: true })),
  ];
}

/** A Pod that names no account runs as the one called `default`. */
export function serviceAccountOf(spec: JsonObject): string {
  return textAt(spec, "serviceAccountName") ?? textAt(spec, "serviceAccount") ?? "default";
}

function named(items: readonly Json[], places: readonly Place[]): readonly PodReference[] {
  return items.flatMap((item) =>
    places.flatMap(([kind, ...path]) => {
      const name = textAt(item, ...path);
      return name === undefined ? [] : [{ kind, name }];
    }),
  );
}

/** Of its containers, those that run first included. */
export function imagesOf(spec: JsonObject): readonly string[] {
  const containers = [...listAt(spec, "initContainers"), ...listAt(spec, "containers")];
  return containers.flatMap((container) => textAt(container, "image") ?? []);
}
