/** Groups of Kubernetes itself have no dot, or end as these do; others may define kinds in `k8s.io`, too. */
export function isBuiltIn(group: string): boolean {
  return !group.includes(".") || builtInGroups.has(group);
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
  "networking.k8s.io",
  "node.k8s.io",
  "rbac.authorization.k8s.io",
  "resource.k8s.io",
  "scheduling.k8s.io",
  "storage.k8s.io",
  "storagemigration.k8s.io",
]);
