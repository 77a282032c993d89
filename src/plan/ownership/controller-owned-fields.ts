import { type Scaler, scalerOf } from "../../model/cluster/scalers.ts";
import { type IgnoredPath, parseIgnoredPaths } from "../../model/fields/ignore-paths.ts";
import { at, fieldOf, isObject, type JsonObject } from "../../model/json.ts";
import { groupOf, idOf, type KubeObject, keyOf } from "../../model/object.ts";
import { type OwnedFields, ownersOf } from "../../ssa/managed-fields.ts";
import { type Owner, protectionOf } from "../../ssa/protection.ts";

/** A field that we declare and a controller writes for good reasons: it is left alone, as if it were ignored. */
export interface ControllerOwnedFields {
  readonly path: IgnoredPath;
  /** Who writes it, for people. */
  readonly to: string;
}

/**
 * Says which scaler targets an object: one that is declared or stays, one of these that also scales to zero, one that
 * this deployment deletes, or one that nothing is known of, since it may belong to others.
 */
export type Autoscaler = "stays" | "scales to zero" | "goes" | "unknown";

interface KnownHandOver {
  /** `Kind`, or `group/Kind`. */
  readonly kinds: readonly string[];
  readonly path: string;
  readonly to: string;
  readonly writes: (owner: OwnedFields) => boolean;
}

/**
 * The hand-overs that are known (docs/reference/ownership.md#controller-owned-fields). To take such a field back by force would,
 * for example, send traffic to both colours of a rollout. Cluster IPs and node ports need no entry: the API server keeps its own
 * where they are declared empty. What autoscalers set has rules of its own, below.
 */
const known: readonly KnownHandOver[] = [
  {
    kinds: ["Service"],
    path: "spec.selector",
    to: "Argo Rollouts, which chooses the colour",
    writes: ({ manager }) => manager === "rollouts-controller",
  },
  {
    kinds: [
      "admissionregistration.k8s.io/MutatingWebhookConfiguration",
      "admissionregistration.k8s.io/ValidatingWebhookConfiguration",
    ],
    path: "webhooks[*].clientConfig.caBundle",
    to: "the injector of CA certificates",
    writes: isInjector,
  },
  {
    kinds: ["apiextensions.k8s.io/CustomResourceDefinition"],
    path: "spec.conversion.webhook.clientConfig.caBundle",
    to: "the injector of CA certificates",
    writes: isInjector,
  },
  {
    kinds: ["apiregistration.k8s.io/APIService"],
    path: "spec.caBundle",
    to: "the injector of CA certificates",
    writes: isInjector,
  },
];

/**
 * What of `live` is in the hands of a controller that is known to write it; `others` is what others own of it, in the form of
 * managedFields.
 */
export function controllerOwnedFieldsOf(
  live: KubeObject,
  autoscaler: Autoscaler,
  others: readonly JsonObject[],
): readonly ControllerOwnedFields[] {
  const starting = startingPoint(live, autoscaler, others);
  const scaled = new Set([...scaledPaths(live, autoscaler), ...starting]);
  return [
    ...writtenPaths(live),
    ...[...scaled].flatMap(parseIgnoredPaths).map((path) => ({ path, to: "the autoscaler" })),
  ];
}

function writtenPaths(live: KubeObject): readonly ControllerOwnedFields[] {
  const group = groupOf(live.apiVersion);
  const kind = group === "" ? live.kind : `${group}/${live.kind}`;
  const owners = ownersOf(live);
  return known
    .filter(({ kinds }) => kinds.includes(kind))
    .flatMap(({ path, to, writes }) =>
      parseIgnoredPaths(path)
        .filter(({ steps = [] }) => {
          const names = steps.map((step) => (step.type === "field" ? `f:${step.name}` : "*"));
          return owners.some((owner) => writes(owner) && holds(owner.fields, names));
        })
        .map((parsed) => ({ path: parsed, to })),
    );
}

/**
 * What an autoscaler has set by the scale subresource: `spec.replicas`, or what a CRD names instead (`specReplicasPath`).
 * Under an autoscaler, whoever scales by hand has only said where it goes on from.
 */
function scaledPaths(live: KubeObject, autoscaler: Autoscaler): readonly string[] {
  const isItsOwn = (manager: string) =>
    manager === "kube-controller-manager" && autoscaler !== "goes";
  return ownersOf(live)
    .filter(({ subresource }) => subresource === "scale")
    .filter(({ manager }) => stays(autoscaler) || isItsOwn(manager))
    .flatMap(({ fields }) => leavesOf(fields));
}

function leavesOf(fields: JsonObject, path: readonly string[] = []): readonly string[] {
  const children = Object.entries(fields).filter(([name]) => name.startsWith("f:"));
  if (children.length === 0) return path.length === 0 ? [] : [path.join(".")];
  return children.flatMap(([name, below]) =>
    leavesOf(isObject(below) ? below : {}, [...path, name.slice(2)]),
  );
}

/**
 * A number that we have set is where the autoscaler goes on from, until it writes one itself: another one, or the default of 1
 * where none is declared any more, would last for as long as the autoscaler needs, and could take most of the Pods away.
 * At 0 an autoscaler acts only if it scales to zero; else the manifest decides there. After a scale to zero Kubernetes records
 * no manager of the number any more, whoever sets it next: such a number counts as the scaler's, too.
 */
function startingPoint(
  live: KubeObject,
  autoscaler: Autoscaler,
  others: readonly JsonObject[],
): readonly string[] {
  const replicas = at(live, "spec", "replicas");
  const isOurs = others.every((fields) => !holds(fields, ["f:spec", "f:replicas"]));
  const acts = replicas === 0 ? autoscaler === "scales to zero" : stays(autoscaler);
  return acts && isOurs && replicas !== undefined ? ["spec.replicas"] : [];
}

function stays(autoscaler: Autoscaler): boolean {
  return autoscaler === "stays" || autoscaler === "scales to zero";
}

/** Says of an object, by its key, whether a scaler of any kind targets it, going by what is declared and what is live. */
export function autoscalersOf(
  owner: Owner,
  declared: readonly KubeObject[],
  live: readonly KubeObject[],
): (key: string) => Autoscaler {
  const names = new Set(declared.map((object) => keyOf(idOf(object))));
  const [staying, going] = [new Map<string, boolean>(), new Set<string>()];
  const add = ({ target, scalesToZero }: Scaler) => {
    const key = keyOf(target);
    staying.set(key, scalesToZero || staying.get(key) === true);
  };
  for (const scaler of scalersIn(declared)) add(scaler);
  const others = live.filter((object) => !names.has(keyOf(idOf(object))));
  for (const object of others) {
    const scaler = scalerOf(object);
    if (scaler === undefined) continue;
    if (protectionOf(object, owner) === undefined) going.add(keyOf(scaler.target));
    else add(scaler);
  }
  return (key) => {
    const scalesToZero = staying.get(key);
    if (scalesToZero !== undefined) return scalesToZero ? "scales to zero" : "stays";
    return going.has(key) ? "goes" : "unknown";
  };
}

function scalersIn(objects: readonly KubeObject[]): readonly Scaler[] {
  return objects.map(scalerOf).filter((scaler) => scaler !== undefined);
}

function isInjector({ manager }: OwnedFields): boolean {
  return manager.includes("cainjector");
}

function holds(fields: JsonObject, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  const children = name === "*" ? Object.values(fields) : [fieldOf(fields, name)];
  return children.some((child) => isObject(child) && holds(child, rest));
}
