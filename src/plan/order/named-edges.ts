import { type ObjectReference, objectReferences } from "../../model/cluster/object-references.ts";
import { podClasses } from "../../model/cluster/pod-placement.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { keyOf, type ObjectId } from "../../model/object.ts";
import type { Edge } from "../../model/plan.ts";
import type { DeclaredObject } from "../declared/objects.ts";

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
export function whoseTokenItHolds(object: DeclaredObject): readonly Edge[] {
  const accounts = isOf(object, "/Secret") ? named(object, "/ServiceAccount") : [];
  return to(accounts, "it contains a token of this ServiceAccount");
}

export function itsRole(object: DeclaredObject): readonly Edge[] {
  return to(named(object, ...roles), "it grants this role");
}

export function whatItBinds(object: DeclaredObject): readonly Edge[] {
  return [
    ...itsRole(object),
    ...to(boundAccounts(object), "it grants a role to this ServiceAccount"),
  ];
}

/** Lists the ServiceAccounts that a binding gives a role. */
export function boundAccounts(object: DeclaredObject): readonly ObjectReference[] {
  const isBinding = isOf(
    object,
    "rbac.authorization.k8s.io/RoleBinding",
    "rbac.authorization.k8s.io/ClusterRoleBinding",
  );
  return isBinding ? named(object, "/ServiceAccount") : [];
}

/** Lists the Secrets that a ServiceAccount gives its Pods. */
export function pullSecretsOf(object: Named): readonly ObjectReference[] {
  return isOf(object, "/ServiceAccount") ? named(object, "/Secret") : [];
}

export function itsStorageClass(object: DeclaredObject): readonly Edge[] {
  return to(named(object, "storage.k8s.io/StorageClass"), "it uses this StorageClass");
}

export function itsClasses({ object }: DeclaredObject): readonly Edge[] {
  const pod = podSpecOf(object);
  const classes = pod === undefined ? [] : podClasses(pod.spec);
  return classes.flatMap((each) =>
    to([{ id: { ...each, namespace: "" } }], `its Pods use this ${each.kind}`),
  );
}

/**
 * Lists the Services of a Rollout.
 * Argo Rollouts reports a Rollout as invalid if it hasn't seen the Services yet.
 */
export function whatItSwitches(object: DeclaredObject): readonly Edge[] {
  const services = isOf(object, "argoproj.io/Rollout") ? named(object, "/Service") : [];
  return to(services, "it directs this Service to its Pods");
}

/**
 * Returns the object whose Pod template a Rollout uses.
 * Argo Rollouts reports a Rollout as invalid if it hasn't seen the template yet.
 */
export function whoseTemplateItHas({ object }: DeclaredObject): readonly Edge[] {
  const templates = objectReferences(object).filter(({ path }) => path.includes("workloadRef"));
  return to(templates, "it uses the Pod template of this");
}

/** Lists the parents of an HTTPRoute, a GRPCRoute or another route of the Gateway API. */
export function itsGateways({ object }: DeclaredObject): readonly Edge[] {
  const parents = objectReferences(object).filter(({ path }) => path.includes("parentRefs"));
  return parents.flatMap((parent) => to([parent], `it is attached to this ${parent.id.kind}`));
}

/**
 * Returns the target of an autoscaler.
 * KEDA rejects a target that it can't find. A HorizontalPodAutoscaler tries again.
 */
export function whatItScales(object: DeclaredObject): readonly Edge[] {
  const targets = isOf(object, "autoscaling/HorizontalPodAutoscaler")
    ? []
    : objectReferences(object.object).filter(({ path }) => path.includes("scaleTargetRef"));
  return to(targets, "it scales this");
}

/**
 * Lists the stores and issuers that an object uses.
 * An operator reports a missing store or issuer as a failure, and might try again only minutes
 * later.
 */
export function whatMakesItsSecret({ object }: DeclaredObject): readonly Edge[] {
  const stores = objectReferences(object).filter(({ path }) =>
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

function named({ object }: Named, ...kinds: readonly string[]): readonly ObjectReference[] {
  return objectReferences(object).filter(({ id }) => kinds.includes(`${id.group}/${id.kind}`));
}

function to(targets: readonly { readonly id: ObjectId }[], reason: string): readonly Edge[] {
  return targets.map(({ id }) => ({ on: keyOf(id), reason }));
}
