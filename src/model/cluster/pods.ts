import { podClassKinds } from "../governors.ts";
import { at, isList, isObject, type Json, type JsonObject, listAt, textAt } from "../json.ts";
import { type GroupKind, podSpecPath } from "../kinds.ts";
import { groupOf, type KubeObject } from "../object.ts";

interface PodSpec {
  readonly spec: JsonObject;
  /** The path in the object, e.g. ["spec", "template", "spec"]. */
  readonly path: readonly string[];
}

/**
 * Returns the spec of the Pods that an object creates.
 * Undefined for an object without Pods, and for kinds whose Pod spec qvs doesn't know.
 */
export function podSpecOf(object: KubeObject): PodSpec | undefined {
  const path = podSpecPath({ group: groupOf(object.apiVersion), kind: object.kind });
  if (path === undefined) return undefined;
  const spec = at(object, ...path);
  return isObject(spec) ? { spec, path } : undefined;
}

/**
 * Returns the specs of Pods in an object of a custom kind, for example
 * `spec.jobTargetRef.template.spec` of a ScaledJob. qvs doesn't know where such a kind contains
 * them: each object with containers counts.
 */
export function embeddedPodSpecs(value: Json): readonly JsonObject[] {
  if (isList(value)) return value.flatMap(embeddedPodSpecs);
  if (!isObject(value)) return [];
  const containers = listAt(value, "containers");
  const isSpec = containers.some((each) => textAt(each, "image") !== undefined);
  return isSpec ? [value] : Object.values(value).flatMap((each) => embeddedPodSpecs(each ?? null));
}

/** Reports whether all containers of a Pod have ended and none will start again. */
export function isFinishedPod(pod: KubeObject): boolean {
  return ["Succeeded", "Failed"].includes(textAt(pod, "status", "phase") ?? "");
}

/** Another object in the same namespace that a Pod needs to start. */
export interface PodReference {
  readonly kind: "ConfigMap" | "Secret" | "PersistentVolumeClaim" | "ServiceAccount";
  readonly name: string;
}

type ReferencePath = readonly [kind: PodReference["kind"], ...path: string[]];

const envReferences: readonly ReferencePath[] = [
  ["ConfigMap", "valueFrom", "configMapKeyRef", "name"],
  ["Secret", "valueFrom", "secretKeyRef", "name"],
];
const envFromReferences: readonly ReferencePath[] = [
  ["ConfigMap", "configMapRef", "name"],
  ["Secret", "secretRef", "name"],
];
const volumeReferences: readonly ReferencePath[] = [
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
const projectedReferences: readonly ReferencePath[] = [
  ["ConfigMap", "configMap", "name"],
  ["Secret", "secret", "name"],
];

/**
 * Returns every object that a Pod spec names, including optional references.
 * If both objects are declared, the order matters even for an optional reference.
 */
export function podReferences(spec: JsonObject): readonly PodReference[] {
  const containers = ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    listAt(spec, list),
  );
  const mounted = listAt(spec, "volumes");
  return [
    { kind: "ServiceAccount", name: serviceAccountName(spec) },
    ...readReferences(listAt(spec, "imagePullSecrets"), [["Secret", "name"]]),
    ...containers.flatMap((container) => [
      ...readReferences(listAt(container, "env"), envReferences),
      ...readReferences(listAt(container, "envFrom"), envFromReferences),
    ]),
    ...readReferences(mounted, volumeReferences),
    ...mounted.flatMap((volume) =>
      readReferences(listAt(volume, "projected", "sources"), projectedReferences),
    ),
  ];
}

/**
 * Returns the names by which Pods can need an object of their namespace.
 * These are its own name, or the names of the Secret or ConfigMap that its controller creates from
 * it (ExternalSecret, Certificate, SealedSecret ...). qvs reads them from its spec.
 */
export function namesForPods({ apiVersion, kind, ...object }: JsonObject): readonly PodReference[] {
  const name = textAt(object, "metadata", "name") ?? "";
  const own = apiVersion === "v1" ? referencedKinds.find((each) => each === kind) : undefined;
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

const referencedKinds: readonly PodReference["kind"][] = [
  "ConfigMap",
  "Secret",
  "PersistentVolumeClaim",
  "ServiceAccount",
];

/** Reports whether Pods can refer to an object of this kind by name. */
export function isPodReferenceKind({ group, kind }: GroupKind): boolean {
  return group === "" && referencedKinds.some((each) => each === kind);
}

/** Returns the ServiceAccount of a Pod. A Pod that names none runs as `default`. */
export function serviceAccountName(spec: JsonObject): string {
  return textAt(spec, "serviceAccountName") ?? textAt(spec, "serviceAccount") ?? "default";
}

function readReferences(
  items: readonly Json[],
  places: readonly ReferencePath[],
): readonly PodReference[] {
  return items.flatMap((item) =>
    places.flatMap(([kind, ...path]) => {
      const name = textAt(item, ...path);
      return name === undefined ? [] : [{ kind, name }];
    }),
  );
}

/** Returns the images of the containers, including the init containers. */
export function containerImages(spec: JsonObject): readonly string[] {
  const containers = [...listAt(spec, "initContainers"), ...listAt(spec, "containers")];
  return containers.flatMap((container) => textAt(container, "image") ?? []);
}

/**
 * Returns the classes that a Pod names. The API server rejects the Pod if a class doesn't exist.
 */
export function podClasses(spec: JsonObject) {
  return podClassKinds.flatMap(({ podField, ...kind }) => {
    const name = textAt(spec, podField);
    return name === undefined ? [] : [{ ...kind, name }];
  });
}

/** Reports whether namespace labels decide which Pods must or must not run on the same node. */
export function selectsNamespaces(spec: JsonObject): boolean {
  return ["podAffinity", "podAntiAffinity"].some((kind) =>
    listAt(spec, "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution").some((term) =>
      isObject(at(term, "namespaceSelector")),
    ),
  );
}
