import { selectsNamespaces } from "../../model/cluster/pod-placement.ts";
import { podReferences, podSpecOf, serviceAccountName } from "../../model/cluster/pods.ts";
import { type JsonObject, listAt } from "../../model/json.ts";
import { keyOf, type ObjectId } from "../../model/object.ts";
import type { Edge } from "../../model/plan.ts";
import type { DeclaredObject } from "../declared/objects.ts";
import { itsClasses, pullSecretsOf } from "./named-edges.ts";

/** Objects by a name under which other objects know them. */
export type Found = ReadonlyMap<string, readonly DeclaredObject[]>;

/* The dependencies of objects with a Pod template. */

export function whatItsPodsRead(
  { id, object }: DeclaredObject,
  { secretMakers }: { readonly secretMakers: Found },
): readonly Edge[] {
  const pod = podSpecOf(object);
  if (pod === undefined) return [];
  return podReferences(pod.spec).flatMap(({ kind, name }) => {
    const on = keyOf({ group: "", kind, namespace: id.namespace, name });
    const named = { on, reason: `its Pods use this ${kind}` };
    return kind === "Secret"
      ? [named, ...makersOf(id.namespace, name, "its Pods use", secretMakers)]
      : [named];
  });
}

/**
 * Lists the pull secrets that Pods get from their ServiceAccount.
 * The API server adds them to Pods without `imagePullSecrets`. The ServiceAccount itself waits for
 * none of them: the object that creates such a Secret might log in with this account.
 */
export function whatItsAccountGives(
  { id, object }: DeclaredObject,
  { accounts, secretMakers }: { readonly accounts: Found; readonly secretMakers: Found },
): readonly Edge[] {
  const pod = podSpecOf(object);
  if (pod === undefined || listAt(pod.spec, "imagePullSecrets").length > 0) return [];
  const found = accounts.get(keyOf(accountOf(id, pod.spec))) ?? [];
  return found.flatMap(pullSecretsOf).flatMap(({ id: secret }) => [
    {
      on: keyOf(secret),
      reason: "its Pods pull images with this Secret of their ServiceAccount",
    },
    ...makersOf(secret.namespace, secret.name, "its Pods pull images with", secretMakers),
  ]);
}

function makersOf(
  namespace: string,
  name: string,
  does: string,
  secretMakers: Found,
): readonly Edge[] {
  const makers = secretMakers.get(`${namespace}/${name}`) ?? [];
  const reason = `${does} the Secret ${name}, which this creates`;
  return makers.map(({ key: on }) => ({ on, reason }));
}

export function whatItsAccountMayDo(
  { id, object }: DeclaredObject,
  { bindings }: { readonly bindings: Found },
): readonly Edge[] {
  const pod = podSpecOf(object);
  if (pod === undefined) return [];
  const account = accountOf(id, pod.spec);
  const reason = `its Pods run as ${account.name}, to which this grants a role`;
  return (bindings.get(keyOf(account)) ?? []).map(({ key: on }) => ({ on, reason }));
}

/**
 * Lists the objects that set the defaults or the placement of an object's Pods.
 * A Pod that is created before them is rejected, lacks defaults, or is placed by former labels.
 */
export function whatPlacesItsPods(
  object: DeclaredObject,
  {
    limitRanges,
    namespaces,
  }: { readonly limitRanges: Found; readonly namespaces: readonly DeclaredObject[] },
): readonly Edge[] {
  const pod = podSpecOf(object.object);
  if (pod === undefined) return [];
  const selected = selectsNamespaces(pod.spec) ? namespaces : [];
  return [
    ...(limitRanges.get(object.id.namespace) ?? []).map(({ key: on }) => ({
      ...{ on, reason: "this sets defaults for its Pods" },
    })),
    ...itsClasses(object),
    ...selected.map(({ key: on }) => ({
      on,
      reason: "its Pods are scheduled by labels of Namespaces",
    })),
  ];
}

function accountOf({ namespace }: ObjectId, pod: JsonObject): ObjectId {
  return { group: "", kind: "ServiceAccount", namespace, name: serviceAccountName(pod) };
}
