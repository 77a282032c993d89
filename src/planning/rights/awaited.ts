import { statusOf } from "../../apply/readiness/status/status-of.ts";
import { suspends } from "../../model/cluster/suspension.ts";
import type { ObjectId } from "../../model/object.ts";
import type { OwnObject } from "./rights-to.ts";

/** Whether it takes a while until it is ready, once it is written. */
export function isAwaited({ object }: Pick<OwnObject, "object">): boolean {
  const facts = { now: new Date(0), before: undefined, binding: "unknown" } as const;
  return (
    object !== undefined &&
    statusOf(object, { ...facts, suspends: suspends(object) }).state === "waiting"
  );
}

/** Whether an object of this kind can be there and not be ready. */
export function mayBeAwaited({ group, kind }: ObjectId): boolean {
  return !withoutStatus.has(`${group}/${kind}`);
}

/** Held against the discovery of a real control plane by test/rbac/kinds.system.test.ts. */
const withoutStatus: ReadonlySet<string> = new Set([
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
