/**
 * Reports whether Kubernetes itself defines an API group: a group without a dot, or a listed one.
 * A suffix isn't enough, because other projects also define kinds in `k8s.io`.
 */
export function isBuiltInGroup(group: string): boolean {
  return !group.includes(".") || builtInGroups.has(group);
}

/**
 * Reports whether an API group has a name that Kubernetes doesn't reserve for itself.
 * Projects of Kubernetes also use reserved names for CustomResourceDefinitions. Such a group, like
 * `gateway.networking.k8s.io`, is neither custom nor built in.
 */
export function isCustomGroup(group: string): boolean {
  return group.includes(".") && !group.endsWith(".k8s.io");
}

const builtInGroups: ReadonlySet<string> = new Set([
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "certificates.k8s.io",
  "coordination.k8s.io",
  "discovery.k8s.io",
  "events.k8s.io",
  "flowcontrol.apiserver.k8s.io",
  "lifecycle.k8s.io",
  "networking.k8s.io",
  "node.k8s.io",
  "rbac.authorization.k8s.io",
  "resource.k8s.io",
  "scheduling.k8s.io",
  "storage.k8s.io",
  "storagemigration.k8s.io",
]);
