/** An operator's kind, with a status of each outcome, as its controller writes it. */
export interface Operator {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly ready: object;
  readonly degraded: object;
}

const condition = (type: string, status: string, reason = "Reason") => ({
  ...{ type, status, reason, message: "m", lastTransitionTime: "2026-01-01T00:00:00Z" },
});

/** Kinds of ten operators. The last one has no health rule. */
export const operators: readonly Operator[] = [
  {
    ...{ group: "postgresql.cnpg.io", version: "v1", kind: "Cluster" },
    ready: {
      phase: "Cluster in healthy state",
      conditions: [condition("Ready", "True", "ClusterIsReady")],
    },
    degraded: {
      phase: "Cluster cannot proceed to reconciliation due to an unknown plugin being required",
      conditions: [condition("Ready", "False", "ClusterIsNotReady")],
    },
  },
  {
    ...{ group: "kafka.strimzi.io", version: "v1beta2", kind: "Kafka" },
    ready: { observedGeneration: 1, conditions: [condition("Ready", "True")] },
    degraded: {
      observedGeneration: 1,
      conditions: [condition("NotReady", "True", "InvalidResourceException")],
    },
  },
  {
    ...{ group: "rabbitmq.com", version: "v1beta1", kind: "RabbitmqCluster" },
    ready: {
      observedGeneration: 1,
      conditions: [
        condition("AllReplicasReady", "True"),
        condition("ClusterAvailable", "True"),
        condition("NoWarnings", "True"),
        condition("ReconcileSuccess", "True", "Success"),
      ],
    },
    degraded: {
      observedGeneration: 1,
      conditions: [
        condition("AllReplicasReady", "False", "NotAllPodsReady"),
        condition("ClusterAvailable", "False", "NoEndpointsAvailable"),
        condition("ReconcileSuccess", "False", "Error"),
      ],
    },
  },
  {
    ...{ group: "pkg.crossplane.io", version: "v1", kind: "Provider" },
    ready: {
      conditions: [
        condition("Installed", "True", "ActivePackageRevision"),
        condition("Healthy", "True", "HealthyPackageRevision"),
      ],
    },
    degraded: {
      conditions: [
        condition("Installed", "True", "ActivePackageRevision"),
        condition("Healthy", "False", "UnhealthyPackageRevision"),
      ],
    },
  },
  {
    ...{ group: "k8s.mariadb.com", version: "v1alpha1", kind: "MariaDB" },
    ready: { conditions: [condition("Ready", "True", "StatefulSetReady")] },
    degraded: { conditions: [condition("Ready", "False", "Failed")] },
  },
  {
    ...{ group: "minio.min.io", version: "v2", kind: "Tenant" },
    ready: { currentState: "Initialized", healthStatus: "green" },
    degraded: { currentState: "Statefulset not controlled by operator", healthStatus: "red" },
  },
  {
    ...{ group: "elasticsearch.k8s.elastic.co", version: "v1", kind: "Elasticsearch" },
    ready: { health: "green", phase: "Ready", observedGeneration: 1 },
    degraded: { health: "red", phase: "Invalid", observedGeneration: 1 },
  },
  {
    ...{ group: "velero.io", version: "v1", kind: "BackupStorageLocation" },
    ready: { phase: "Available" },
    degraded: { phase: "Unavailable", message: "no bucket" },
  },
  {
    ...{ group: "monitoring.coreos.com", version: "v1", kind: "Prometheus" },
    ready: { conditions: [condition("Available", "True"), condition("Reconciled", "True")] },
    degraded: {
      conditions: [
        condition("Available", "False", "SomePodsNotReady"),
        condition("Reconciled", "True"),
      ],
    },
  },
  {
    ...{ group: "acme-health.example", version: "v1", kind: "Gadget" },
    ready: { phase: "Ready" },
    degraded: { phase: "Failed", message: "no disk" },
  },
];

/** Returns a CustomResourceDefinition with a status that accepts any field. */
export function definitionOf({ group, version, kind }: Operator): string {
  const plural = `${kind.toLowerCase()}s`;
  return JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: "Namespaced" },
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        {
          ...{ name: version, served: true, storage: true, subresources: { status: {} } },
          schema: {
            openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      ],
    },
  });
}
