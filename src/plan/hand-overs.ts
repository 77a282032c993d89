import { isObject, type JsonObject, textAt } from "../model/json.ts";
import { type OwnedFields, ownersOf } from "../model/managed-fields.ts";
import { groupOf, idOf, type KubeObject, keyOf } from "../model/object.ts";
import { type IgnoredPath, parseIgnoredPaths } from "./ignore-paths.ts";

/** A field that we declare and a controller writes for good reasons: it is left alone, as if it were ignored. */
export interface HandOver {
  readonly path: IgnoredPath;
  /** Who writes it, for people. */
  readonly to: string;
}

interface KnownHandOver {
  /** `Kind`, or `group/Kind`; `*` for any. */
  readonly kinds: readonly string[];
  readonly path: string;
  readonly to: string;
  /** `isAutoscaled`: an autoscaler that is declared or live targets the object. */
  readonly writes: (owner: OwnedFields, isAutoscaled: boolean) => boolean;
}

/**
 * The hand-overs that are known (deploy.md §2). To take such a field back by force would, for example, send traffic to
 * both colours of a rollout, or scale down what the autoscaler has just scaled up. Cluster IPs and node ports need no
 * entry: the API server keeps its own where they are declared empty.
 */
const known: readonly KnownHandOver[] = [
  {
    kinds: ["Service"],
    path: "spec.selector",
    to: "Argo Rollouts, which chooses the colour",
    writes: ({ manager }) => manager === "rollouts-controller",
  },
  {
    kinds: ["*"],
    path: "spec.replicas",
    to: "the autoscaler",
    // Under an autoscaler, whoever scales by hand has only said where it goes on from.
    writes: ({ manager, subresource }, isAutoscaled) =>
      subresource === "scale" && (isAutoscaled || manager === "kube-controller-manager"),
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

/** What of `live` is in the hands of a controller that is known to write it. */
export function handOversOf(
  live: KubeObject,
  autoscaled: ReadonlySet<string> = new Set(),
): readonly HandOver[] {
  const group = groupOf(live.apiVersion);
  const kind = group === "" ? live.kind : `${group}/${live.kind}`;
  const owners = ownersOf(live);
  const isAutoscaled = autoscaled.has(keyOf(idOf(live)));
  return known
    .filter(({ kinds }) => kinds.includes("*") || kinds.includes(kind))
    .flatMap(({ path, to, writes }) =>
      parseIgnoredPaths(path)
        .filter(({ steps = [] }) => {
          const names = steps.map((step) => (step.type === "field" ? `f:${step.name}` : "*"));
          return owners.some((owner) => writes(owner, isAutoscaled) && holds(owner.fields, names));
        })
        .map((parsed) => ({ path: parsed, to })),
    );
}

/** The keys of the objects that autoscalers target. */
export function autoscaledKeys(objects: Iterable<KubeObject>): ReadonlySet<string> {
  const keys = [...objects].flatMap((object) => {
    const isAutoscaler = object.kind === "HorizontalPodAutoscaler";
    const target = (field: string) => textAt(object, "spec", "scaleTargetRef", field) ?? "";
    if (!isAutoscaler || groupOf(object.apiVersion) !== "autoscaling") return [];
    const { namespace } = idOf(object);
    const group = groupOf(target("apiVersion"));
    return [keyOf({ group, kind: target("kind"), namespace, name: target("name") })];
  });
  return new Set(keys);
}

function isInjector({ manager }: OwnedFields): boolean {
  return manager.includes("cainjector");
}

function holds(fields: JsonObject, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  const children = name === "*" ? Object.values(fields) : [fields[name]];
  return children.some((child) => isObject(child) && holds(child, rest));
}
