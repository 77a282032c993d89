import { isCustomGroup } from "../model/cluster/api/built-in-groups.ts";
import { type ObjectReference, objectReferences } from "../model/cluster/object-references.ts";
import { type PodReference, serviceAccountName } from "../model/cluster/pods.ts";
import {
  at,
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from "../model/json.ts";
import { kindKey } from "../model/kinds.ts";
import { groupOf, idOf, type KubeObject, keyOf } from "../model/object.ts";
import type { Change } from "../model/plan/plan.ts";

/** Another object without which an object has no use. */
export interface ObjectDependency extends ObjectReference, Consequence {}

/** The effect of a missing object that is named. */
interface Consequence {
  readonly why: string;
  /** True if the deployment then waits without effect, or has created nothing that lasts. */
  readonly isAwaited: boolean;
  /**
   * True if operators create such objects from custom resources, so that one of these can create
   * it.
   */
  readonly isCreatedByOperators?: true;
}

/**
 * Lists the changes that add the name of such an object.
 * A name in the live object doesn't count: for example, a class that the API server has filled in
 * exists.
 */
export function changesWithNewDependencies(
  changes: readonly Change[],
): readonly { readonly change: Change; readonly needs: readonly ObjectDependency[] }[] {
  return changes.flatMap((change) => {
    const dependencies = change.action === "unchanged" ? [] : newDependencies(change);
    return dependencies.length === 0 ? [] : [{ change, needs: dependencies }];
  });
}

function newDependencies({ action, desired, live }: Change): readonly ObjectDependency[] {
  const isNew = live === undefined || action === "replace";
  const before = new Set(isNew ? [] : objectDependencies(live).map(({ id }) => keyOf(id)));
  const dependencies = objectDependencies(desired).filter(({ id }) => !before.has(keyOf(id)));
  return [...new Map(dependencies.toReversed().map((need) => [keyOf(need.id), need])).values()];
}

export function objectDependencies(object: KubeObject): readonly ObjectDependency[] {
  return objectReferences(object).flatMap((reference) => {
    const consequence = missingConsequence(object, reference);
    return consequence === undefined ? [] : [{ ...reference, ...consequence }];
  });
}

/**
 * Returns the effect of a missing object.
 * Returns undefined if the object works anyway, or the effect is unknown. For example, the
 * ServiceAccount of a role binding can be created later, or by another tool.
 */
function missingConsequence(
  object: KubeObject,
  { id, isOptional = false }: ObjectReference,
): Consequence | undefined {
  const found = fieldOf(fieldOf(consequences, kindKey(idOf(object))) ?? {}, kindKey(id));
  if (found === undefined || isOptional) return undefined;
  // A claim that names its volume doesn't need a class.
  if (id.kind === "StorageClass" && (textAt(object, "spec", "volumeName") ?? "") !== "") {
    return undefined;
  }
  // Every namespace has this ServiceAccount.
  if (id.kind === "ServiceAccount" && id.name === "default") return undefined;
  return at(object, "spec", "paused") === true ? { ...found, isAwaited: false } : found;
}

const grantsNothing = { why: "The binding grants nothing without it", isAwaited: false };
const decidesNothing = { why: "The binding has no effect without it", isAwaited: false };
const failingRequests = { why: "Requests to it are answered with an error", isAwaited: false };
const unacceptedRoute = { why: "No Gateway accepts requests for this route", isAwaited: false };
const unreachableService = {
  why: "The API server denies each request that it must send to this Service",
  isAwaited: false,
};
const scalesNothing = {
  ...{ why: "The autoscaler scales nothing else", isAwaited: false },
  isCreatedByOperators: true,
} as const;
/** The rule `ValidateRolloutReferencedResources` of the Rollout controller. */
const invalid = {
  why: "The Rollout is invalid without it, and creates no Pods",
  isAwaited: true,
};

/**
 * The effects, by the kind that contains the name, then by the named kind.
 * A deployment waits for an APIService, which serves requests itself, but not for webhooks.
 */
const consequences: Readonly<Record<string, Readonly<Record<string, Consequence>>>> = {
  "/PersistentVolumeClaim": {
    "/PersistentVolume": {
      why: "The claim waits for this volume and binds to no other",
      isAwaited: true,
    },
    "storage.k8s.io/StorageClass": {
      why: "No volume is created for the claim, and no existing volume has this class",
      isAwaited: true,
    },
  },
  "/Secret": {
    "/ServiceAccount": {
      why: "The control plane deletes the token of a missing ServiceAccount as soon as it is created",
      isAwaited: true,
    },
  },
  "networking.k8s.io/Ingress": {
    "networking.k8s.io/IngressClass": {
      why: "A controller serves only the Ingresses of its class",
      isAwaited: false,
    },
    "/Service": failingRequests,
  },
  "rbac.authorization.k8s.io/RoleBinding": {
    "rbac.authorization.k8s.io/Role": grantsNothing,
    "rbac.authorization.k8s.io/ClusterRole": grantsNothing,
  },
  "rbac.authorization.k8s.io/ClusterRoleBinding": {
    "rbac.authorization.k8s.io/ClusterRole": grantsNothing,
  },
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": {
    "admissionregistration.k8s.io/ValidatingAdmissionPolicy": decidesNothing,
  },
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": {
    "admissionregistration.k8s.io/MutatingAdmissionPolicy": decidesNothing,
  },
  // The kinds that Kubernetes or Argo Rollouts scale; operators can create objects of other kinds.
  "autoscaling/HorizontalPodAutoscaler": {
    "apps/Deployment": scalesNothing,
    "apps/StatefulSet": scalesNothing,
    "apps/ReplicaSet": scalesNothing,
    "argoproj.io/Rollout": scalesNothing,
  },
  "argoproj.io/Rollout": {
    "/Service": invalid,
    "argoproj.io/AnalysisTemplate": invalid,
    "argoproj.io/ClusterAnalysisTemplate": invalid,
  },
  "gateway.networking.k8s.io/HTTPRoute": {
    "gateway.networking.k8s.io/Gateway": unacceptedRoute,
    "/Service": failingRequests,
  },
  "gateway.networking.k8s.io/GRPCRoute": {
    "gateway.networking.k8s.io/Gateway": unacceptedRoute,
    "/Service": failingRequests,
  },
  "apiregistration.k8s.io/APIService": { "/Service": { ...unreachableService, isAwaited: true } },
  "apiextensions.k8s.io/CustomResourceDefinition": { "/Service": unreachableService },
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": { "/Service": unreachableService },
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": { "/Service": unreachableService },
};

/** Another object of the namespace without which the containers of a Pod can't start. */
export interface PodDependency extends PodReference {
  /** A key of its data; undefined if any content is enough. */
  readonly key?: string | undefined;
  /** The path in the Pod's spec that names it. */
  readonly path: readonly string[];
}

type PlacedItem = readonly [place: readonly string[], container: Json];

/**
 * Lists the objects that a Pod needs.
 * Optional objects are left out, and objects that matter only to a node, such as an image pull
 * Secret.
 */
export function podDependencies(spec: JsonObject): readonly PodDependency[] {
  const containers = ["initContainers", "containers"].flatMap((list) =>
    listAt(spec, list).map((each, index): PlacedItem => [[list, String(index)], each]),
  );
  const volumes = listAt(spec, "volumes").map(
    (each, index): PlacedItem => [["volumes", String(index)], each],
  );
  const serviceAccount = { kind: "ServiceAccount", name: serviceAccountName(spec) } as const;
  return [
    { ...serviceAccount, path: ["serviceAccountName"] },
    ...containers.flatMap(([path, container]) => containerDependencies(container, path)),
    ...volumes.flatMap(([path, volume]) => volumeDependencies(volume, path)),
  ];
}

function containerDependencies(container: Json, path: readonly string[]): readonly PodDependency[] {
  const variables = listAt(container, "env").flatMap((variable, index) => {
    const from = [...path, "env", String(index), "valueFrom"];
    return [
      ...keyDependency("ConfigMap", variable, ["valueFrom", "configMapKeyRef"], from),
      ...keyDependency("Secret", variable, ["valueFrom", "secretKeyRef"], from),
    ];
  });
  const sources = listAt(container, "envFrom").flatMap((source, index) => {
    const from = [...path, "envFrom", String(index)];
    return [
      ...sourceDependencies("ConfigMap", source, ["configMapRef"], "name", from),
      ...sourceDependencies("Secret", source, ["secretRef"], "name", from),
    ];
  });
  return [...variables, ...sources];
}

function volumeDependencies(volume: Json, path: readonly string[]): readonly PodDependency[] {
  const projected = listAt(volume, "projected", "sources").flatMap((source, index) => {
    const from = [...path, "projected", "sources", String(index)];
    return [
      ...sourceDependencies("ConfigMap", source, ["configMap"], "name", from),
      ...sourceDependencies("Secret", source, ["secret"], "name", from),
    ];
  });
  return [
    ...sourceDependencies("ConfigMap", volume, ["configMap"], "name", path),
    ...sourceDependencies("Secret", volume, ["secret"], "secretName", path),
    ...sourceDependencies(
      "PersistentVolumeClaim",
      volume,
      ["persistentVolumeClaim"],
      "claimName",
      path,
    ),
    ...projected,
  ];
}

function keyDependency(
  kind: PodDependency["kind"],
  value: Json,
  at: readonly string[],
  path: readonly string[],
): readonly PodDependency[] {
  const found = valueAtPath(value, at);
  const name = textAt(found, "name");
  if (name === undefined || isOptional(found)) return [];
  return [{ kind, name, key: textAt(found, "key"), path: [...path, at.at(-1) ?? ""] }];
}

/** Returns the object, once for each key that the Pod selects from it. */
function sourceDependencies(
  kind: PodDependency["kind"],
  value: Json,
  at: readonly string[],
  field: string,
  path: readonly string[],
): readonly PodDependency[] {
  const found = valueAtPath(value, at);
  const name = textAt(found, field);
  if (name === undefined || isOptional(found)) return [];
  const place = [...path, ...at];
  const keys = listAt(found, "items").flatMap((item) => textAt(item, "key") ?? []);
  return keys.length === 0
    ? [{ kind, name, path: place }]
    : keys.map((key) => ({ kind, name, key, path: place }));
}

function valueAtPath(value: Json, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (found, step) => (isObject(found) ? fieldOf(found, step) : undefined),
    value,
  );
}

function isOptional(found: Json | undefined): boolean {
  return isObject(found) && !isList(found) && found["optional"] === true;
}

/**
 * Reports whether a controller might create the dependency.
 * A custom resource of the plan can have such a controller.
 */
export function mayBeCreatedByController(
  changes: readonly Pick<Change, "action" | "desired">[],
): boolean {
  return changes.some(
    ({ action, desired }) =>
      action !== "unchanged" &&
      isCustomGroup(groupOf(desired.apiVersion)) &&
      !isArgoRollouts(desired),
  );
}

/** Argo Rollouts creates Pods, but not their dependencies. */
function isArgoRollouts({ apiVersion, kind }: KubeObject): boolean {
  const kinds = ["Rollout", "Experiment", "AnalysisTemplate", "ClusterAnalysisTemplate"];
  return groupOf(apiVersion) === "argoproj.io" && kinds.includes(kind);
}
