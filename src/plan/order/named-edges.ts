import { namedClasses } from "../../model/cluster/pod-placement.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { type Reference, referencesOf } from "../../model/cluster/references.ts";
import { keyOf, type ObjectId } from "../../model/object.ts";
import type { Edge } from "../../model/plan.ts";
import type { DeclaredObject } from "../declared/objects.ts";

/* What objects name in fields of their own kinds, where the order matters (docs/reference/deployment.md#implicit-dependencies). */

const roles = ["rbac.authorization.k8s.io/Role", "rbac.authorization.k8s.io/ClusterRole"];

/** The token controller deletes the Secret at once, without a word, while there is no such account. */
export function whoseTokenItHolds(object: DeclaredObject): readonly Edge[] {
  const accounts = isOf(object, "/Secret") ? named(object, "/ServiceAccount") : [];
  return to(accounts, "it holds a token of this account");
}

export function itsRole(object: DeclaredObject): readonly Edge[] {
  return to(named(object, ...roles), "it grants this role");
}

export function whatItBinds(object: DeclaredObject): readonly Edge[] {
  return [...itsRole(object), ...to(boundAccounts(object), "it grants a role to this account")];
}

/** The accounts that a binding gives a role. */
export function boundAccounts(object: DeclaredObject): readonly Reference[] {
  const isBinding = isOf(
    object,
    "rbac.authorization.k8s.io/RoleBinding",
    "rbac.authorization.k8s.io/ClusterRoleBinding",
  );
  return isBinding ? named(object, "/ServiceAccount") : [];
}

/** The Secrets that an account gives its Pods. */
export function pullSecretsOf(object: Named): readonly Reference[] {
  return isOf(object, "/ServiceAccount") ? named(object, "/Secret") : [];
}

export function itsStorageClass(object: DeclaredObject): readonly Edge[] {
  return to(named(object, "storage.k8s.io/StorageClass"), "it asks for this storage class");
}

export function itsClasses({ object }: DeclaredObject): readonly Edge[] {
  const pod = podSpecOf(object);
  const classes = pod === undefined ? [] : namedClasses(pod.spec);
  return classes.flatMap((each) =>
    to([{ id: { ...each, namespace: "" } }], `its Pods are of this ${each.kind}`),
  );
}

/** Argo Rollouts finds a Rollout invalid whose Services it has not seen yet. */
export function whatItSwitches(object: DeclaredObject): readonly Edge[] {
  const services = isOf(object, "argoproj.io/Rollout") ? named(object, "/Service") : [];
  return to(services, "it directs this Service to its Pods");
}

/** Argo Rollouts finds a Rollout invalid whose template it has not seen yet. */
export function whoseTemplateItHas({ object }: DeclaredObject): readonly Edge[] {
  const templates = referencesOf(object).filter(({ path }) => path.includes("workloadRef"));
  return to(templates, "its Pods are made from the template of this");
}

/** HTTPRoute, GRPCRoute and the other routes of the Gateway API. */
export function itsGateways({ object }: DeclaredObject): readonly Edge[] {
  const parents = referencesOf(object).filter(({ path }) => path.includes("parentRefs"));
  return parents.flatMap((parent) => to([parent], `it is attached to this ${parent.id.kind}`));
}

/** KEDA refuses to scale what it can't find; a HorizontalPodAutoscaler tries again. */
export function whatItScales(object: DeclaredObject): readonly Edge[] {
  const targets = isOf(object, "autoscaling/HorizontalPodAutoscaler")
    ? []
    : referencesOf(object.object).filter(({ path }) => path.includes("scaleTargetRef"));
  return to(targets, "it scales this");
}

/** An operator reports a store or an issuer that it can't find as a failure, and may try again only minutes later. */
export function whatMakesItsSecret({ object }: DeclaredObject): readonly Edge[] {
  const stores = referencesOf(object).filter(({ path }) =>
    path.some((step) => storeFields.has(step)),
  );
  return stores.flatMap((store) => to([store], `it uses this ${store.id.kind}`));
}

const storeFields: ReadonlySet<string> = new Set([
  ...["secretStoreRef", "secretStoreRefs", "storeRef", "issuerRef"],
]);

type Named = Pick<DeclaredObject, "id" | "object">;

function isOf({ id }: Named, ...kinds: readonly string[]): boolean {
  return kinds.includes(`${id.group}/${id.kind}`);
}

function named({ object }: Named, ...kinds: readonly string[]): readonly Reference[] {
  return referencesOf(object).filter(({ id }) => kinds.includes(`${id.group}/${id.kind}`));
}

function to(targets: readonly { readonly id: ObjectId }[], reason: string): readonly Edge[] {
  return targets.map(({ id }) => ({ on: keyOf(id), reason }));
}
