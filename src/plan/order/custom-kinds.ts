import { at, fieldOf, type Json, listAt, textAt } from "../../model/json.ts";
import { groupOf, keyOf, type ObjectId } from "../../model/object.ts";
import type { Edge } from "../../model/plan.ts";
import type { DeclaredObject } from "../declared/objects.ts";

/*
 * What well-known custom resources have to do with other objects (docs/reference/deployment.md#implicit-dependencies): each operator names
 * them in fields of its own.
 */

/** `namespace/name` of the Secrets that an operator makes of this object: what reads the Secret waits for its maker. */
export function madeSecrets({ id, object }: DeclaredObject): readonly string[] {
  const names: Readonly<Record<string, string | undefined>> = {
    "external-secrets.io/ExternalSecret": textAt(object, "spec", "target", "name") ?? id.name,
    "cert-manager.io/Certificate": textAt(object, "spec", "secretName"),
    // Its controller ignores any other name.
    "bitnami.com/SealedSecret": id.name,
  };
  const name = fieldOf(names, kindOf(id));
  return name === undefined ? [] : [`${id.namespace}/${name}`];
}

/** Argo Rollouts finds a Rollout invalid whose Services it has not seen yet. */
export function whatItSwitches({ id, object }: DeclaredObject): readonly Edge[] {
  if (kindOf(id) !== "argoproj.io/Rollout") return [];
  return switchedServices(object).map(({ name }) => ({
    on: keyOf({ group: "", kind: "Service", namespace: id.namespace, name }),
    reason: "it directs this Service to its Pods",
  }));
}

/** The Services that a Rollout directs to its Pods, and where it names them. */
export function switchedServices(
  rollout: Json,
): readonly { readonly name: string; readonly path: readonly string[] }[] {
  return serviceFields.flatMap((field) => {
    const path = ["spec", "strategy", ...field];
    const name = textAt(rollout, ...path);
    return name === undefined ? [] : [{ name, path }];
  });
}

/** Argo Rollouts finds a Rollout invalid whose template it has not seen yet. */
export function whoseTemplateItHas({ id, object }: DeclaredObject): readonly Edge[] {
  const ref = at(object, "spec", "workloadRef");
  const [kind, name] = [textAt(ref, "kind"), textAt(ref, "name")];
  if (kindOf(id) !== "argoproj.io/Rollout" || kind === undefined || name === undefined) return [];
  const group = groupOf(textAt(ref, "apiVersion") ?? "");
  const on = keyOf({ group, kind, namespace: id.namespace, name });
  return [{ on, reason: "its Pods are made from the template of this" }];
}

const serviceFields = [
  ["blueGreen", "activeService"],
  ["blueGreen", "previewService"],
  ["canary", "stableService"],
  ["canary", "canaryService"],
] as const;

const gatewayGroup = "gateway.networking.k8s.io";

/** HTTPRoute, GRPCRoute and the other routes of the Gateway API; a parent is a Gateway of the route's namespace unless it says otherwise. */
export function itsGateways({ id, object }: DeclaredObject): readonly Edge[] {
  if (id.group !== gatewayGroup || !id.kind.endsWith("Route")) return [];
  return listAt(object, "spec", "parentRefs").flatMap((parent) => {
    const name = textAt(parent, "name");
    if (name === undefined) return [];
    const kind = textAt(parent, "kind") ?? "Gateway";
    const group = textAt(parent, "group") ?? gatewayGroup;
    const namespace = textAt(parent, "namespace") ?? id.namespace;
    return [
      { on: keyOf({ group, kind, namespace, name }), reason: `it is attached to this ${kind}` },
    ];
  });
}

/** KEDA refuses to scale what it can't find; the target is a Deployment unless it says otherwise. */
export function whatItScales({ id, object }: DeclaredObject): readonly Edge[] {
  if (kindOf(id) !== "keda.sh/ScaledObject") return [];
  const target = (field: string) => textAt(object, "spec", "scaleTargetRef", field);
  const name = target("name");
  if (name === undefined) return [];
  const group = groupOf(target("apiVersion") ?? "apps/v1");
  const kind = target("kind") ?? "Deployment";
  return [{ on: keyOf({ group, kind, namespace: id.namespace, name }), reason: "it scales this" }];
}

function kindOf({ group, kind }: ObjectId): string {
  return `${group}/${kind}`;
}
