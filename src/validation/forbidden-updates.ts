import type { FailureCause } from "../model/cluster/api-failure.ts";
import { parseQuantity } from "../model/cluster/quantity.ts";
import type { ServerVersion } from "../model/cluster/server-version.ts";
import { hasBehavior } from "../model/cluster/version-facts.ts";
import {
  at,
  isList,
  isObject,
  type Json,
  listAt,
  numberAt,
  sameJson,
  textAt,
} from "../model/json.ts";
import { kindKey } from "../model/kinds.ts";
import { idOf, type KubeObject } from "../model/object.ts";

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

/**
 * The fields of built-in kinds that the API server never changes (`Validate…Update` in
 * pkg/apis of Kubernetes 1.32 to 1.37). They matter where no dry run is possible.
 */
const rules: readonly ImmutableRule[] = [
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
    appliesTo: (_, next) => (textAt(next, "spec", "volumeAttributesClassName") ?? "") === "",
  },
  {
    kinds: ["/PersistentVolume"],
    paths: ["spec.nodeAffinity"],
    appliesTo: (live) => at(live, "spec", "nodeAffinity") !== undefined,
  },
  { kinds: ["/Pod"], paths: ["spec.tolerations"], appliesTo: losesToleration },
  {
    kinds: ["/PersistentVolume"],
    paths: ["csi", "hostPath", "local", "nfs", "volumeMode"].map(inSpec),
  },
  { kinds: ["/Service"], paths: ["spec.loadBalancerClass"], appliesTo: isLoadBalancer },
  { kinds: ["/ResourceQuota"], paths: ["spec.scopes", "spec.scopeSelector"] },
  {
    kinds: ["batch/Job"],
    paths: ["completionMode", "podFailurePolicy", "selector", "successPolicy"].map(inSpec),
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

/**
 * Returns the reasons why the API server rejects a change of a live object because of its former
 * values, in its own words. It knows the built-in kinds and the stored versions of a
 * CustomResourceDefinition.
 */
export function forbiddenUpdates(
  live: KubeObject,
  next: KubeObject,
  server: ServerVersion | undefined,
): readonly FailureCause[] {
  const kind = kindKey(idOf(live));
  const fields = rules
    .filter(
      ({ kinds, appliesTo }) => kinds.includes(kind) && (appliesTo?.(live, next, server) ?? true),
    )
    .flatMap(({ paths }) => paths.filter((path) => !isSameAt(live, next, path)));
  return [
    ...[...new Set(fields)].map(immutableCause),
    ...changedAddresses(live, next),
    ...shrunkClaim(live, next),
    ...lostVersions(live, next),
  ];
}

/** Returns the cause for a field that the API server calls immutable. */
export function immutableCause(field: string): FailureCause {
  return { reason: "FieldValueInvalid", field, message: "Invalid value: field is immutable" };
}

function inSpec(field: string): string {
  return `spec.${field}`;
}

/** An absent field and an empty value are the same. */
function isSameAt(live: KubeObject, next: KubeObject, path: string): boolean {
  const [before, after] = [live, next].map((each) => at(each, ...path.split(".")));
  return sameJson(emptied(before), emptied(after));
}

function emptied(value: Json | undefined): Json | undefined {
  return isAbsent(value) ? undefined : value;
}

/** Reports whether the API server reads a value like an absent one. */
export function isAbsent(value: Json | undefined): boolean {
  const isEmptyObject = isObject(value) && Object.keys(value).length === 0;
  return value === undefined || value === "" || value === false || isEmptyObject;
}

/** Reports whether a Pod loses a toleration. The API server only lets a Pod get more of them. */
function losesToleration(live: KubeObject, next: KubeObject): boolean {
  const after = listAt(next, "spec", "tolerations");
  return listAt(live, "spec", "tolerations").some(
    (toleration) => !after.some((each) => sameJson(each, toleration)),
  );
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

/**
 * Returns the changed addresses of a Service. The API server keeps an absent or empty address, and
 * it allows changes of the second address and its family
 * (`patchAllocatedValues` and `ValidateServiceClusterIPsRelatedFields`).
 */
function changedAddresses(live: KubeObject, next: KubeObject): readonly FailureCause[] {
  const isService = kindKey(idOf(live)) === "/Service";
  if (!isService || [live, next].some(isExternalName)) return [];
  const fields = ["spec.clusterIP", "spec.clusterIPs", "spec.ipFamilies"];
  return fields
    .filter((field) => {
      const [before, after] = [live, next].map((each) => firstAt(each, field));
      return before !== undefined && after !== undefined && !sameJson(before, after);
    })
    .map(immutableCause);
}

function isExternalName(service: KubeObject): boolean {
  return textAt(service, "spec", "type") === "ExternalName";
}

/** Returns a value, or the first item of a list; undefined if it is absent or empty. */
function firstAt(object: KubeObject, path: string): Json | undefined {
  const value = at(object, ...path.split("."));
  const first = isList(value) ? value[0] : value;
  return emptied(first);
}

function shrunkClaim(live: KubeObject, next: KubeObject): readonly FailureCause[] {
  if (kindKey(idOf(live)) !== "/PersistentVolumeClaim") return [];
  const path = ["spec", "resources", "requests", "storage"];
  const [before, after] = [live, next].map((each) => parseQuantity(at(each, ...path)));
  if (before === undefined || after === undefined || after >= before) return [];
  const message = "Forbidden: field can not be less than status.capacity";
  return [{ reason: "FieldValueForbidden", field: path.join("."), message }];
}

/** A CustomResourceDefinition must keep each version in which objects might be stored. */
function lostVersions(live: KubeObject, next: KubeObject): readonly FailureCause[] {
  if (kindKey(idOf(live)) !== "apiextensions.k8s.io/CustomResourceDefinition") return [];
  const kept = new Set(listAt(next, "spec", "versions").map((each) => at(each, "name")));
  return storedVersions(live)
    .filter((version) => !kept.has(version))
    .map((version) => ({
      reason: "FieldValueInvalid",
      field: "status.storedVersions",
      message: `Invalid value: missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
    }));
}

/** Lists the versions in which objects are or might be stored. */
function storedVersions(crd: KubeObject): readonly string[] {
  const stored = listAt(crd, "status", "storedVersions");
  const storing = listAt(crd, "spec", "versions").filter((each) => at(each, "storage") === true);
  const names = [...stored, ...storing.map((each) => at(each, "name") ?? null)];
  return [...new Set(names.filter((each) => typeof each === "string"))];
}
