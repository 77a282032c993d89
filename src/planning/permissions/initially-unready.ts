import { computeStatus } from "../../apply/readiness/status/compute-status.ts";
import { declaresSuspension } from "../../model/cluster/suspension.ts";
import type { ObjectId } from "../../model/object.ts";
import type { DeploymentObject } from "./permit.ts";

/** Reports whether the object isn't ready at once when qvs writes it. */
export function isInitiallyUnready({ object }: Pick<DeploymentObject, "object">): boolean {
  const facts = { now: new Date(0), baseline: undefined, binding: "unknown" } as const;
  return (
    object !== undefined &&
    computeStatus(object, { ...facts, suspends: declaresSuspension(object) }).state === "waiting"
  );
}

/** Reports whether an object of this kind can exist without being ready. */
export function canBeUnready({ group, kind }: ObjectId): boolean {
  return !alwaysReadyKinds.has(`${group}/${kind}`);
}

/**
 * Kinds whose objects are always ready.
 * test/rbac/kinds.system.test.ts compares them with the discovery of a real control plane.
 */
const alwaysReadyKinds: ReadonlySet<string> = new Set([
  "/ConfigMap",
  "/Secret",
  "/ServiceAccount",
  "networking.k8s.io/IngressClass",
  "networking.k8s.io/NetworkPolicy",
  "rbac.authorization.k8s.io/ClusterRole",
  "rbac.authorization.k8s.io/ClusterRoleBinding",
  "rbac.authorization.k8s.io/Role",
  "rbac.authorization.k8s.io/RoleBinding",
  "scheduling.k8s.io/PriorityClass",
  "storage.k8s.io/StorageClass",
]);
