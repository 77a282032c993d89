import {
  isDefaultClass,
  requiredDefaultClasses,
} from "../../model/cluster/fields/object-defaults.ts";
import { type ObjectReference, objectReferences } from "../../model/cluster/object-references.ts";
import {
  podClasses,
  podReferences,
  podSpecOf,
  selectsNamespaces,
  serviceAccountName,
} from "../../model/cluster/pods.ts";
import { hasDefault } from "../../model/governors.ts";
import { fieldOf, type JsonObject, listAt, textAt } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { keyOf, type ObjectId } from "../../model/object.ts";
import type { Edge } from "../../model/plan/plan.ts";
import type { DeclaredObject } from "../declared/objects.ts";

/**
 * Returns the classes that can be the default of an object that names none.
 * The object gets the default class when it is created, and keeps it. A class that loses its
 * annotation is the default until then. For PriorityClasses, qvs doesn't check that for each Pod
 * template.
 */
export function defaultClassEdges(
  { object }: DeclaredObject,
  classes: ObjectsByName,
): readonly Edge[] {
  return requiredDefaultClasses(object).flatMap((kind) =>
    (classes.get(kind) ?? [])
      .filter(({ id, object: each }) => id.kind !== "PriorityClass" || isDefaultClass(id, each))
      .map(({ key: on, id }) => ({
        ...{ on, reason: `it names no ${id.kind} and gets the default`, unrecorded: true },
      })),
  );
}

/** Returns the `group/Kind` of a class that can be the default; empty for other objects. */
export function classKinds({ id }: DeclaredObject): readonly string[] {
  return hasDefault(id) ? [kindKey(id)] : [];
}

/**
 * Lists the Secrets that a well-known operator creates from this object, as `namespace/name`.
 * Objects that read such a Secret wait for this object
 * (docs/reference/deployment.md#implicit-dependencies).
 */
export function operatorSecrets({ id, object }: DeclaredObject): readonly string[] {
  const names: Readonly<Record<string, string | undefined>> = {
    "external-secrets.io/ExternalSecret": textAt(object, "spec", "target", "name") ?? id.name,
    "cert-manager.io/Certificate": textAt(object, "spec", "secretName"),
    // The controller of SealedSecrets ignores any other name.
    "bitnami.com/SealedSecret": id.name,
  };
  const name = fieldOf(names, kindKey(id));
  return name === undefined ? [] : [`${id.namespace}/${name}`];
}

/*
 * The dependencies that objects name in fields of their own kinds, if the order matters.
 * See docs/reference/deployment.md#implicit-dependencies.
 */

const roles = ["rbac.authorization.k8s.io/Role", "rbac.authorization.k8s.io/ClusterRole"];

/**
 * Returns the ServiceAccount of a token Secret.
 * While the account doesn't exist, the token controller immediately deletes the Secret, without a
 * message.
 */
export function tokenEdges(object: DeclaredObject): readonly Edge[] {
  const serviceAccounts = isOfKind(object, "/Secret")
    ? namedReferences(object, "/ServiceAccount")
    : [];
  return toEdges(serviceAccounts, "it contains a token of this ServiceAccount");
}

export function roleEdges(object: DeclaredObject): readonly Edge[] {
  return toEdges(namedReferences(object, ...roles), "it grants this role");
}

export function bindingEdges(object: DeclaredObject): readonly Edge[] {
  return [
    ...roleEdges(object),
    ...toEdges(boundServiceAccounts(object), "it grants a role to this ServiceAccount"),
  ];
}

/** Lists the ServiceAccounts that a binding gives a role. */
export function boundServiceAccounts(object: DeclaredObject): readonly ObjectReference[] {
  const isBinding = isOfKind(
    object,
    "rbac.authorization.k8s.io/RoleBinding",
    "rbac.authorization.k8s.io/ClusterRoleBinding",
  );
  return isBinding ? namedReferences(object, "/ServiceAccount") : [];
}

/** Lists the Secrets that a ServiceAccount gives its Pods. */
export function pullSecrets(object: IdentifiedObject): readonly ObjectReference[] {
  return isOfKind(object, "/ServiceAccount") ? namedReferences(object, "/Secret") : [];
}

export function storageClassEdges(object: DeclaredObject): readonly Edge[] {
  return toEdges(
    namedReferences(object, "storage.k8s.io/StorageClass"),
    "it uses this StorageClass",
  );
}

export function podClassEdges({ object }: DeclaredObject): readonly Edge[] {
  const pod = podSpecOf(object);
  const classes = pod === undefined ? [] : podClasses(pod.spec);
  return classes.flatMap((each) =>
    toEdges([{ id: { ...each, namespace: "" } }], `its Pods use this ${each.kind}`),
  );
}

/**
 * Lists the Services of a Rollout.
 * Argo Rollouts reports a Rollout as invalid if it hasn't seen the Services yet.
 */
export function rolloutServiceEdges(object: DeclaredObject): readonly Edge[] {
  const services = isOfKind(object, "argoproj.io/Rollout")
    ? namedReferences(object, "/Service")
    : [];
  return toEdges(services, "it directs this Service to its Pods");
}

/**
 * Returns the object whose Pod template a Rollout uses.
 * Argo Rollouts reports a Rollout as invalid if it hasn't seen the template yet.
 */
export function workloadRefEdges({ object }: DeclaredObject): readonly Edge[] {
  const templates = objectReferences(object).filter(({ path }) => path.includes("workloadRef"));
  return toEdges(templates, "it uses the Pod template of this");
}

/** Lists the parents of an HTTPRoute, a GRPCRoute or another route of the Gateway API. */
export function gatewayEdges({ object }: DeclaredObject): readonly Edge[] {
  const parents = objectReferences(object).filter(({ path }) => path.includes("parentRefs"));
  return parents.flatMap((parent) => toEdges([parent], `it is attached to this ${parent.id.kind}`));
}

/**
 * Returns the target of an autoscaler.
 * KEDA rejects a target that it can't find. A HorizontalPodAutoscaler tries again.
 */
export function scaleTargetEdges(object: DeclaredObject): readonly Edge[] {
  const targets = isOfKind(object, "autoscaling/HorizontalPodAutoscaler")
    ? []
    : objectReferences(object.object).filter(({ path }) => path.includes("scaleTargetRef"));
  return toEdges(targets, "it scales this");
}

/**
 * Lists the stores and issuers that an object uses.
 * An operator reports a missing store or issuer as a failure, and might try again only minutes
 * later.
 */
export function secretStoreEdges({ object }: DeclaredObject): readonly Edge[] {
  const stores = objectReferences(object).filter(({ path }) =>
    path.some((step) => storeFields.has(step)),
  );
  return stores.flatMap((store) => toEdges([store], `it uses this ${store.id.kind}`));
}

const storeFields: ReadonlySet<string> = new Set([
  ...["secretStoreRef", "secretStoreRefs", "storeRef", "issuerRef"],
]);

type IdentifiedObject = Pick<DeclaredObject, "id" | "object">;

function isOfKind({ id }: IdentifiedObject, ...kinds: readonly string[]): boolean {
  return kinds.includes(kindKey(id));
}

function namedReferences(
  { object }: IdentifiedObject,
  ...kinds: readonly string[]
): readonly ObjectReference[] {
  return objectReferences(object).filter(({ id }) => kinds.includes(kindKey(id)));
}

function toEdges(targets: readonly { readonly id: ObjectId }[], reason: string): readonly Edge[] {
  return targets.map(({ id }) => ({ on: keyOf(id), reason }));
}

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
