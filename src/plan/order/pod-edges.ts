import {
  podReferences,
  podSpecOf,
  selectsNamespaces,
  serviceAccountName,
} from "../../model/cluster/pods.ts";
import { type JsonObject, listAt } from "../../model/json.ts";
import { keyOf, type ObjectId } from "../../model/object.ts";
import type { Edge } from "../../model/plan.ts";
import type { DeclaredObject } from "../declared/objects.ts";
import { podClassEdges, pullSecrets } from "./named-edges.ts";

/** Objects by a name under which other objects know them. */
export type ObjectsByName = ReadonlyMap<string, readonly DeclaredObject[]>;

/* The dependencies of objects with a Pod template. */

export function podReferenceEdges(
  { id, object }: DeclaredObject,
  { secretMakers }: { readonly secretMakers: ObjectsByName },
): readonly Edge[] {
  const pod = podSpecOf(object);
  if (pod === undefined) return [];
  return podReferences(pod.spec).flatMap(({ kind, name }) => {
    const on = keyOf({ group: "", kind, namespace: id.namespace, name });
    const named = { on, reason: `its Pods use this ${kind}` };
    return kind === "Secret"
      ? [named, ...secretMakerEdges(id.namespace, name, "its Pods use", secretMakers)]
      : [named];
  });
}

/**
 * Lists the pull secrets that Pods get from their ServiceAccount.
 * The API server adds them to Pods without `imagePullSecrets`. The ServiceAccount itself waits for
 * none of them: the object that creates such a Secret might log in with this account.
 */
export function pullSecretEdges(
  { id, object }: DeclaredObject,
  {
    accounts,
    secretMakers,
  }: { readonly accounts: ObjectsByName; readonly secretMakers: ObjectsByName },
): readonly Edge[] {
  const pod = podSpecOf(object);
  if (pod === undefined || listAt(pod.spec, "imagePullSecrets").length > 0) return [];
  const found = accounts.get(keyOf(serviceAccountId(id, pod.spec))) ?? [];
  return found.flatMap(pullSecrets).flatMap(({ id: secret }) => [
    {
      on: keyOf(secret),
      reason: "its Pods pull images with this Secret of their ServiceAccount",
    },
    ...secretMakerEdges(secret.namespace, secret.name, "its Pods pull images with", secretMakers),
  ]);
}

export function secretMakerEdges(
  namespace: string,
  name: string,
  action: string,
  secretMakers: ObjectsByName,
): readonly Edge[] {
  const makers = secretMakers.get(`${namespace}/${name}`) ?? [];
  const reason = `${action} the Secret ${name}, which this creates`;
  return makers.map(({ key: on }) => ({ on, reason }));
}

export function serviceAccountBindingEdges(
  { id, object }: DeclaredObject,
  { bindings }: { readonly bindings: ObjectsByName },
): readonly Edge[] {
  const pod = podSpecOf(object);
  if (pod === undefined) return [];
  const serviceAccount = serviceAccountId(id, pod.spec);
  const reason = `its Pods run as ${serviceAccount.name}, to which this grants a role`;
  return (bindings.get(keyOf(serviceAccount)) ?? []).map(({ key: on }) => ({ on, reason }));
}

/**
 * Lists the objects that set the defaults or the placement of an object's Pods.
 * A Pod that is created before them is rejected, lacks defaults, or is placed by former labels.
 */
export function podPlacementEdges(
  object: DeclaredObject,
  {
    limitRanges,
    namespaces,
  }: { readonly limitRanges: ObjectsByName; readonly namespaces: readonly DeclaredObject[] },
): readonly Edge[] {
  const pod = podSpecOf(object.object);
  if (pod === undefined) return [];
  const selected = selectsNamespaces(pod.spec) ? namespaces : [];
  return [
    ...(limitRanges.get(object.id.namespace) ?? []).map(({ key: on }) => ({
      ...{ on, reason: "this sets defaults for its Pods" },
    })),
    ...podClassEdges(object),
    ...selected.map(({ key: on }) => ({
      on,
      reason: "its Pods are scheduled by labels of Namespaces",
    })),
  ];
}

function serviceAccountId({ namespace }: ObjectId, pod: JsonObject): ObjectId {
  return { group: "", kind: "ServiceAccount", namespace, name: serviceAccountName(pod) };
}
