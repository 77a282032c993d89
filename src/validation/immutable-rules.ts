import { hasBehavior, type ServerVersion } from "../model/cluster/api/server-version.ts";
import { at, isObject, listAt, numberAt, sameJson, textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";

/** Fields that can't change in live objects of some kinds. */
interface ImmutableRule {
  /** The kinds, as `group/Kind`. */
  readonly kinds: readonly string[];
  /** The paths that can't change, e.g. `spec.selector`. */
  readonly paths: readonly string[];
  /** Reports whether the rule is in effect for this live object; by default, always. */
  readonly appliesTo?: (
    live: KubeObject,
    next: KubeObject,
    server: ServerVersion | undefined,
  ) => boolean;
}

const volumeSources = [
  ...["awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "fc"],
  ...["flexVolume", "flocker", "gcePersistentDisk", "glusterfs", "hostPath", "iscsi", "local"],
  ...["nfs", "photonPersistentDisk", "portworxVolume", "quobyte", "rbd", "scaleIO"],
  ...["storageos", "vsphereVolume"],
];

/**
 * The fields of built-in kinds that the API server never changes (`Validate…Update` in
 * pkg/apis of Kubernetes 1.32 to 1.37). They matter where no dry run is possible.
 */
export const immutableRules: readonly ImmutableRule[] = [
  {
    kinds: ["apps/DaemonSet", "apps/Deployment", "apps/ReplicaSet", "apps/StatefulSet"],
    paths: ["spec.selector"],
  },
  {
    kinds: ["apps/StatefulSet"],
    paths: ["spec.podManagementPolicy", "spec.serviceName", "spec.volumeClaimTemplates"],
  },
  {
    kinds: ["apps/StatefulSet"],
    paths: ["spec.revisionHistoryLimit"],
    appliesTo: (_live, _next, server) => !hasBehavior("statefulSetsChangeHistoryLimit", server),
  },
  {
    kinds: ["/ConfigMap", "/Secret"],
    paths: ["data", "binaryData", "immutable"],
    appliesTo: (live) => live.immutable === true,
  },
  { kinds: ["/Secret"], paths: ["type"] },
  {
    kinds: ["/PersistentVolumeClaim"],
    paths: [
      ...["accessModes", "dataSource", "dataSourceRef", "selector"],
      ...["storageClassName", "volumeMode", "volumeName"],
    ].map(inSpec),
  },
  {
    kinds: ["/PersistentVolumeClaim"],
    paths: ["spec.volumeAttributesClassName"],
    appliesTo: (live, next, server) => isUnbound(live) || losesClass(live, next, server),
  },
  {
    kinds: ["/PersistentVolume"],
    paths: ["spec.volumeAttributesClassName"],
    appliesTo: (_, next) => at(next, "spec", "volumeAttributesClassName") === undefined,
  },
  {
    kinds: ["/PersistentVolume"],
    paths: ["spec.nodeAffinity"],
    appliesTo: (live) => at(live, "spec", "nodeAffinity") !== undefined,
  },
  { kinds: ["/Pod"], paths: ["spec.tolerations"], appliesTo: losesToleration },
  {
    kinds: ["/PersistentVolume"],
    paths: [...volumeSources, "volumeMode"].map(inSpec),
  },
  {
    kinds: ["/PersistentVolume"],
    paths: ["spec.csi"],
    appliesTo: (live, next) => !addsExpandSecret(live, next),
  },
  { kinds: ["/Service"], paths: ["spec.loadBalancerClass"], appliesTo: isLoadBalancer },
  {
    kinds: ["/Service"],
    paths: ["spec.healthCheckNodePort"],
    appliesTo: (live, next) => [live, next].every(hasCheckPort),
  },
  { kinds: ["apps/ControllerRevision"], paths: ["data"] },
  { kinds: ["/ResourceQuota"], paths: ["spec.scopes", "spec.scopeSelector"] },
  {
    kinds: ["batch/Job"],
    paths: [
      ...["backoffLimitPerIndex", "completionMode", "managedBy"],
      ...["podFailurePolicy", "selector", "successPolicy"],
    ].map(inSpec),
  },
  {
    kinds: ["batch/Job"],
    paths: ["spec.template"],
    appliesTo: (live, _, server) => !canChangePods(live, server),
  },
  { kinds: ["batch/Job"], paths: ["spec.completions"], appliesTo: (_, next) => !isElastic(next) },
  {
    kinds: [
      "rbac.authorization.k8s.io/RoleBinding",
      "rbac.authorization.k8s.io/ClusterRoleBinding",
    ],
    paths: ["roleRef"],
  },
  {
    kinds: ["storage.k8s.io/StorageClass"],
    paths: ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"],
  },
  { kinds: ["storage.k8s.io/VolumeAttributesClass"], paths: ["driverName", "parameters"] },
  { kinds: ["storage.k8s.io/CSIStorageCapacity"], paths: ["nodeTopology", "storageClassName"] },
  {
    kinds: ["storage.k8s.io/CSIDriver"],
    paths: ["attachRequired", "volumeLifecycleModes"].map(inSpec),
  },
  {
    kinds: [
      "certificates.k8s.io/PodCertificateRequest",
      "resource.k8s.io/ResourceClaim",
      "resource.k8s.io/ResourceClaimTemplate",
      "storage.k8s.io/VolumeAttachment",
      "storagemigration.k8s.io/StorageVersionMigration",
    ],
    paths: ["spec"],
  },
  {
    kinds: ["resource.k8s.io/ResourceSlice"],
    paths: ["driver", "nodeName", "pool.name"].map(inSpec),
  },
  { kinds: ["certificates.k8s.io/ClusterTrustBundle"], paths: ["spec.signerName"] },
  { kinds: ["networking.k8s.io/IPAddress"], paths: ["spec.parentRef"] },
  {
    kinds: ["networking.k8s.io/ServiceCIDR"],
    paths: ["spec.cidrs"],
    appliesTo: (live, next, server) => !addsRange(live, next, server),
  },
  { kinds: ["scheduling.k8s.io/PriorityClass"], paths: ["value", "preemptionPolicy"] },
  { kinds: ["networking.k8s.io/IngressClass"], paths: ["spec.controller"] },
  { kinds: ["node.k8s.io/RuntimeClass"], paths: ["handler"] },
  { kinds: ["discovery.k8s.io/EndpointSlice"], paths: ["addressType"] },
  {
    // Only this API compares them (`ValidateEventUpdate`); v1 changes the same objects.
    kinds: ["events.k8s.io/Event"],
    paths: [
      ...["action", "eventTime", "note", "reason", "regarding", "related", "type"],
      ...["reportingController", "reportingInstance", "deprecatedCount", "deprecatedSource"],
      ...["deprecatedFirstTimestamp", "deprecatedLastTimestamp"],
    ],
  },
  {
    kinds: ["apiextensions.k8s.io/CustomResourceDefinition"],
    paths: ["spec.group", "spec.scope", "spec.names.kind", "spec.names.plural"],
  },
];

function inSpec(field: string): string {
  return `spec.${field}`;
}

/** Reports whether a Pod loses a toleration. The API server only lets a Pod get more of them. */
function losesToleration(live: KubeObject, next: KubeObject): boolean {
  const after = listAt(next, "spec", "tolerations");
  return listAt(live, "spec", "tolerations").some(
    (toleration) => !after.some((each) => sameJson(each, toleration)),
  );
}

/** Reports whether a volume only gets the Secret that its driver needs in order to grow it. */
function addsExpandSecret(live: KubeObject, next: KubeObject): boolean {
  const [before, after] = [live, next].map((each) => at(each, "spec", "csi"));
  if (!isObject(before) || !isObject(after)) return false;
  const { controllerExpandSecretRef: former } = before;
  const { controllerExpandSecretRef: added, ...others } = after;
  return former === undefined && added !== undefined && sameJson(before, others);
}

function isLoadBalancer(live: KubeObject, next: KubeObject): boolean {
  return [live, next].every((each) => textAt(each, "spec", "type") === "LoadBalancer");
}

/**
 * Reports whether the template of a Job can still change: it is suspended, and has never run or,
 * in newer versions, runs no Pods any longer.
 */
function canChangePods(job: KubeObject, server: ServerVersion | undefined): boolean {
  if (at(job, "spec", "suspend") !== true) return false;
  const hasNeverRun = at(job, "status", "startTime") === undefined;
  if (!hasBehavior("suspendedJobsChangePods", server)) return hasNeverRun;
  const isSuspended = listAt(job, "status", "conditions").some(
    (each) => textAt(each, "type") === "Suspended" && textAt(each, "status") === "True",
  );
  return (hasNeverRun || isSuspended) && (numberAt(job, "status", "active") ?? 0) === 0;
}

/** Reports whether a Job can change its completions together with its parallelism. */
function isElastic(job: KubeObject): boolean {
  const isSame = sameJson(at(job, "spec", "completions"), at(job, "spec", "parallelism"));
  return isSame && textAt(job, "spec", "completionMode") === "Indexed";
}

/** Reports whether a claim has no volume yet. All fields of its spec are immutable then. */
function isUnbound(claim: KubeObject): boolean {
  return (textAt(claim, "status", "phase") ?? "Bound") !== "Bound";
}

/** Reports whether a claim loses an attributes class that the API server keeps. */
function losesClass(
  live: KubeObject,
  next: KubeObject,
  server: ServerVersion | undefined,
): boolean {
  if ((textAt(next, "spec", "volumeAttributesClassName") ?? "") !== "") return false;
  const isApplied = at(live, "status", "currentVolumeAttributesClassName") !== undefined;
  return isApplied || !hasBehavior("claimsLoseUnusedClasses", server);
}

function hasCheckPort(service: KubeObject): boolean {
  return (numberAt(service, "spec", "healthCheckNodePort") ?? 0) !== 0;
}

/** Reports whether a range for the other family of addresses is added to the only one. */
function addsRange(live: KubeObject, next: KubeObject, server: ServerVersion | undefined): boolean {
  const [before, after] = [live, next].map((each) => listAt(each, "spec", "cidrs"));
  const isAdded = before?.length === 1 && after?.length === 2 && before[0] === after[0];
  return isAdded && hasBehavior("rangesBecomeDualStack", server);
}
