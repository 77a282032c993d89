import { type IgnoredPath, parseIgnoredPaths } from "../../model/fields/ignore-paths.ts";
import { at, fieldOf, isObject, type JsonObject, textAt } from "../../model/json.ts";
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
 * Whether an autoscaler targets an object: one that is declared or stays, one that this deployment deletes, or one that
 * nothing is known of, since it may belong to others.
 */
export type Autoscaler = "stays" | "goes" | "unknown";

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
    .filter(({ manager }) => autoscaler === "stays" || isItsOwn(manager))
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
 * At 0 no autoscaler acts, so there the manifest decides.
 */
function startingPoint(
  live: KubeObject,
  autoscaler: Autoscaler,
  others: readonly JsonObject[],
): readonly string[] {
  const replicas = at(live, "spec", "replicas");
  const isOurs = others.every((fields) => !holds(fields, ["f:spec", "f:replicas"]));
  const acts = autoscaler === "stays" && replicas !== undefined && replicas !== 0;
  return acts && isOurs ? ["spec.replicas"] : [];
}

/** Says of an object, by its key, whether an autoscaler targets it, going by what is declared and what is live. */
export function autoscalersOf(
  owner: Owner,
  declared: readonly KubeObject[],
  live: readonly KubeObject[],
): (key: string) => Autoscaler {
  const autoscalers = declared.filter(isAutoscaler);
  const names = new Set(autoscalers.map((object) => keyOf(idOf(object))));
  const goes = (object: KubeObject) =>
    !names.has(keyOf(idOf(object))) && protectionOf(object, owner) === undefined;
  const existing = live.filter(isAutoscaler);
  const staying = new Set(
    [...autoscalers, ...existing.filter((each) => !goes(each))].map(targetOf),
  );
  const going = new Set(existing.filter(goes).map(targetOf));
  return (key) => {
    if (staying.has(key)) return "stays";
    return going.has(key) ? "goes" : "unknown";
  };
}

function isAutoscaler({ apiVersion, kind }: KubeObject): boolean {
  return groupOf(apiVersion) === "autoscaling" && kind === "HorizontalPodAutoscaler";
}

function targetOf(object: KubeObject): string {
  const { namespace } = idOf(object);
  const target = (field: string) => textAt(object, "spec", "scaleTargetRef", field) ?? "";
  const name = target("name");
  return keyOf({ group: groupOf(target("apiVersion")), kind: target("kind"), namespace, name });
}

function isInjector({ manager }: OwnedFields): boolean {
  return manager.includes("cainjector");
}

function holds(fields: JsonObject, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  const children = name === "*" ? Object.values(fields) : [fieldOf(fields, name)];
  return children.some((child) => isObject(child) && holds(child, rest));
}
