import { readScaler, type Scaler } from "../../model/cluster/scalers.ts";
import { type IgnoredPath, parseIgnoredPaths } from "../../model/fields/field-path.ts";
import { at, fieldOf, isObject, type JsonObject } from "../../model/json.ts";
import { groupOf, idOf, type KubeObject, keyOf } from "../../model/object.ts";
import { fieldOwners, type OwnedFields } from "../../ssa/managed-fields.ts";
import { type DeploymentIdentity, deletionProtection } from "../../ssa/protection.ts";

/**
 * A declared field that a controller also writes for good reasons.
 * qvs leaves it alone, as if it were ignored.
 */
export interface ControllerOwnedField {
  readonly path: IgnoredPath;
  /** The controller's name in messages. */
  readonly to: string;
}

/**
 * The scaler that targets an object.
 * "stays": it is declared or isn't deleted. "scales to zero": in addition, it can scale to zero.
 * "goes": this deployment deletes it. "unknown": qvs knows of none, but another tool can have one.
 */
export type AutoscalerState = "stays" | "scales to zero" | "goes" | "unknown";

interface ControllerFieldRule {
  /** The kinds, as `Kind` or `group/Kind`. */
  readonly kinds: readonly string[];
  readonly path: string;
  readonly to: string;
  readonly writes: (owner: OwnedFields) => boolean;
}

/**
 * The known fields of controllers (docs/reference/ownership.md#controller-owned-fields).
 * Forcing such a field could, for example, send traffic to both colors of a rollout. Cluster IPs
 * and node ports need no entry: the API server keeps its own values if they are declared empty.
 * Autoscalers have separate rules below.
 */
const controllerFieldRules: readonly ControllerFieldRule[] = [
  {
    kinds: ["Service"],
    path: "spec.selector",
    to: "Argo Rollouts, which selects the color",
    writes: ({ manager }) => manager === "rollouts-controller",
  },
  {
    kinds: [
      "admissionregistration.k8s.io/MutatingWebhookConfiguration",
      "admissionregistration.k8s.io/ValidatingWebhookConfiguration",
    ],
    path: "webhooks[*].clientConfig.caBundle",
    to: "the CA certificate injector",
    writes: isInjector,
  },
  {
    kinds: ["apiextensions.k8s.io/CustomResourceDefinition"],
    path: "spec.conversion.webhook.clientConfig.caBundle",
    to: "the CA certificate injector",
    writes: isInjector,
  },
  {
    kinds: ["apiregistration.k8s.io/APIService"],
    path: "spec.caBundle",
    to: "the CA certificate injector",
    writes: isInjector,
  },
];

/**
 * Returns the fields of `live` that a known controller writes.
 * `others` contains the fields of other managers, in the form of managedFields.
 */
export function findControllerOwnedFields(
  live: KubeObject,
  autoscaler: AutoscalerState,
  others: readonly JsonObject[],
): readonly ControllerOwnedField[] {
  const initialPaths = initialReplicaPaths(live, autoscaler, others);
  const scaled = new Set([...scaledPaths(live, autoscaler), ...initialPaths]);
  return [
    ...writtenPaths(live),
    ...[...scaled].flatMap(parseIgnoredPaths).map((path) => ({ path, to: "the autoscaler" })),
  ];
}

function writtenPaths(live: KubeObject): readonly ControllerOwnedField[] {
  const group = groupOf(live.apiVersion);
  const kind = group === "" ? live.kind : `${group}/${live.kind}`;
  const owners = fieldOwners(live);
  return controllerFieldRules
    .filter(({ kinds }) => kinds.includes(kind))
    .flatMap(({ path, to, writes }) =>
      parseIgnoredPaths(path)
        .filter(({ steps = [] }) => {
          const names = steps.map((step) => (step.type === "field" ? `f:${step.name}` : "*"));
          return owners.some((owner) => writes(owner) && ownsPath(owner.fields, names));
        })
        .map((parsed) => ({ path: parsed, to })),
    );
}

/**
 * Returns the fields that an autoscaler set through the scale subresource.
 * It is `spec.replicas`, or the field that a CRD names instead (`specReplicasPath`). If a user
 * scales manually under an autoscaler, that number is only the autoscaler's starting point.
 */
function scaledPaths(live: KubeObject, autoscaler: AutoscalerState): readonly string[] {
  const isItsOwn = (manager: string) =>
    manager === "kube-controller-manager" && autoscaler !== "goes";
  return fieldOwners(live)
    .filter(({ subresource }) => subresource === "scale")
    .filter(({ manager }) => isActive(autoscaler) || isItsOwn(manager))
    .flatMap(({ fields }) => leafPaths(fields));
}

function leafPaths(fields: JsonObject, path: readonly string[] = []): readonly string[] {
  const children = Object.entries(fields).filter(([name]) => name.startsWith("f:"));
  if (children.length === 0) return path.length === 0 ? [] : [path.join(".")];
  return children.flatMap(([name, below]) =>
    leafPaths(isObject(below) ? below : {}, [...path, name.slice(2)]),
  );
}

/**
 * Returns `spec.replicas` if the live number is the starting point of an autoscaler.
 * A number that qvs set is the starting point until the autoscaler writes one itself. Another
 * number, or the default of 1 if none is declared any more, would last until the autoscaler reacts.
 * It could remove most of the Pods.
 * At 0, an autoscaler acts only if it scales to zero. Otherwise the manifest decides. After a scale
 * to zero, Kubernetes no longer records a manager of the number, whatever sets it next. Such a
 * number also counts as the scaler's.
 */
function initialReplicaPaths(
  live: KubeObject,
  autoscaler: AutoscalerState,
  others: readonly JsonObject[],
): readonly string[] {
  const replicas = at(live, "spec", "replicas");
  const isOurs = others.every((fields) => !ownsPath(fields, ["f:spec", "f:replicas"]));
  const acts = replicas === 0 ? autoscaler === "scales to zero" : isActive(autoscaler);
  return acts && isOurs && replicas !== undefined ? ["spec.replicas"] : [];
}

/** Reports whether an autoscaler exists and stays. */
export function isActive(autoscaler: AutoscalerState): boolean {
  return autoscaler === "stays" || autoscaler === "scales to zero";
}

/**
 * Returns a function that finds the scaler of an object by the object's key.
 * It considers declared and live scalers of any kind.
 */
export function autoscalerFinder(
  owner: DeploymentIdentity,
  declared: readonly KubeObject[],
  live: readonly KubeObject[],
): (key: string) => AutoscalerState {
  const names = new Set(declared.map((object) => keyOf(idOf(object))));
  const [scalesToZeroByKey, deletedTargets] = [new Map<string, boolean>(), new Set<string>()];
  const add = ({ target, scalesToZero }: Scaler) => {
    const key = keyOf(target);
    scalesToZeroByKey.set(key, scalesToZero || scalesToZeroByKey.get(key) === true);
  };
  for (const scaler of findScalers(declared)) add(scaler);
  const others = live.filter((object) => !names.has(keyOf(idOf(object))));
  for (const object of others) {
    const scaler = readScaler(object);
    if (scaler === undefined) continue;
    if (deletionProtection(object, owner) === undefined) deletedTargets.add(keyOf(scaler.target));
    else add(scaler);
  }
  return (key) => {
    const scalesToZero = scalesToZeroByKey.get(key);
    if (scalesToZero !== undefined) return scalesToZero ? "scales to zero" : "stays";
    return deletedTargets.has(key) ? "goes" : "unknown";
  };
}

function findScalers(objects: readonly KubeObject[]): readonly Scaler[] {
  return objects.map(readScaler).filter((scaler) => scaler !== undefined);
}

function isInjector({ manager }: OwnedFields): boolean {
  return manager.includes("cainjector");
}

function ownsPath(fields: JsonObject, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  const children = name === "*" ? Object.values(fields) : [fieldOf(fields, name)];
  return children.some((child) => isObject(child) && ownsPath(child, rest));
}
