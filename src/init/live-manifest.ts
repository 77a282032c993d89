import { isBuiltInGroup } from "../model/cluster/api/built-in-groups.ts";
import {
  at,
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
  textAt,
} from "../model/json.ts";
import { kindKey } from "../model/kinds.ts";
import {
  groupOf,
  idOf,
  isKubeObject,
  type KubeObject,
  lastAppliedAnnotation,
} from "../model/object.ts";
import { removeClusterFields } from "../plan/declared/cluster-fields.ts";

/**
 * Returns a manifest from which the live object could have been created.
 * It leaves out fields that the API server or a controller wrote, and values that the API server
 * would fill in again. Fields of the last `kubectl apply` always stay.
 */
export function liveManifest(live: KubeObject): KubeObject {
  const applied = lastApplied(live);
  const own = removeClusterFields(live);
  const { ownerReferences: _, finalizers: __, ...metadata } = own.metadata;
  const allocated = serverChosenFields(own);
  const isBuiltIn = isBuiltInGroup(groupOf(live.apiVersion));
  const pruned = prune({ ...own, metadata }, applied, "", {
    isDefaulted: (path, name, value, siblings) =>
      allocated.has(`${path}.${name}`) ||
      isDefault(own.kind, path, name, value) ||
      isDefaultPullPolicy(name, value, siblings),
    // API servers before Kubernetes 1.34 write `creationTimestamp: null` into templates.
    isNoValue: (value) => isBuiltIn && value === null,
  });
  return isKubeObject(pruned) ? pruned : own;
}

interface PruneRules {
  readonly isDefaulted: (path: string, name: string, value: Json, siblings: JsonObject) => boolean;
  readonly isNoValue: (value: Json) => boolean;
}

/**
 * Removes fields that the API server filled in.
 * `path` contains no indices: `.spec.template.spec.containers`.
 */
function prune(value: Json, applied: Json | undefined, path: string, pruning: PruneRules): Json {
  if (isList(value)) {
    return value.map((item, index) =>
      prune(item, appliedItem(item, applied, index), path, pruning),
    );
  }
  if (!isObject(value)) return value;
  const fields = Object.entries(value).flatMap(([name, inner]) => {
    if (pruning.isNoValue(inner)) return [];
    const appliedValue = isObject(applied) ? fieldOf(applied, name) : undefined;
    if (appliedValue === undefined && pruning.isDefaulted(path, name, inner, value)) return [];
    const rest = prune(inner, appliedValue, `${path}.${name}`, pruning);
    // A struct with only defaults didn't exist before the API server added them.
    const isEmptied = isObject(rest) && isObject(inner) && isEmpty(rest) && !isEmpty(inner);
    return isEmptied && appliedValue === undefined ? [] : [[name, rest] as const];
  });
  return Object.fromEntries(fields);
}

/**
 * Finds the applied item for a live item.
 * It finds named items by name, because other tools can have added items.
 */
function appliedItem(item: Json, applied: Json | undefined, index: number): Json | undefined {
  if (!isList(applied)) return undefined;
  const name = textAt(item, "name");
  if (name === undefined) return applied[index];
  return applied.find((each) => textAt(each, "name") === name);
}

function isEmpty(value: JsonObject): boolean {
  return Object.keys(value).length === 0;
}

function lastApplied(live: KubeObject): Json | undefined {
  const text = textAt(live, "metadata", "annotations", lastAppliedAnnotation);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Lists the fields whose values the API server chose for this object alone.
 * The `None` of a headless Service is the user's choice.
 */
function serverChosenFields(object: KubeObject): ReadonlySet<string> {
  switch (kindKey(idOf(object))) {
    case "/Service": {
      const isHeadless = at(object, "spec", "clusterIP") === "None";
      return new Set([
        ...(isHeadless ? [] : [".spec.clusterIP"]),
        ...[".spec.clusterIPs", ".spec.ipFamilies", ".spec.ipFamilyPolicy"],
        ...[".spec.ports.nodePort", ".spec.healthCheckNodePort"],
      ]);
    }
    case "/PersistentVolumeClaim":
      return new Set([".spec.volumeName"]);
    case "batch/Job":
      return new Set([
        ...[".spec.selector", ".metadata.labels.controller-uid", ".metadata.labels.job-name"],
        ...[".spec.template.metadata.labels.controller-uid"],
        ...[".spec.template.metadata.labels.job-name"],
        ...[".spec.template.metadata.labels.batch.kubernetes.io/controller-uid"],
        ...[".spec.template.metadata.labels.batch.kubernetes.io/job-name"],
      ]);
    case "apps/DaemonSet":
      return new Set([".metadata.annotations.deprecated.daemonset.template.generation"]);
    case "/Namespace":
      return new Set([".metadata.labels.kubernetes.io/metadata.name", ".spec.finalizers"]);
    case "/ServiceAccount":
      return new Set([".secrets"]);
    default:
      return new Set();
  }
}

/**
 * Reports whether a field has the API server's default.
 * The defaults are from k8s.io/kubernetes/pkg/apis, `SetDefaults_…`. The end of the path selects
 * the default.
 */
function isDefault(kind: string, path: string, name: string, value: Json): boolean {
  const place = `${kind}${path}.${name}`;
  return defaults.some(([end, expected]) => end.test(place) && sameJson(value, expected));
}

/**
 * Reports whether a pull policy is the default.
 * The default is `Always` for an image without a tag or with the tag `latest`.
 */
function isDefaultPullPolicy(name: string, value: Json, container: JsonObject): boolean {
  const image = textAt(container, "image");
  if (name !== "imagePullPolicy" || image === undefined) return false;
  const [, tag = "latest"] = /:([^/:@]+)(?:@.*)?$/.exec(image) ?? [];
  return value === (tag === "latest" && !image.includes("@") ? "Always" : "IfNotPresent");
}

/**
 * Patterns of the paths that have defaults.
 * Fields within an atomic struct such as `fieldRef` aren't included: the whole struct must stay the
 * same.
 */
const pod = "(?:template|jobTemplate)\\.spec";
const container = `${pod}\\.(?:init|ephemeral)?[cC]ontainers`;
const probe = `${container}\\.(?:liveness|readiness|startup)Probe`;
const volume = `${pod}\\.volumes`;

const defaults: readonly (readonly [RegExp, Json])[] = (
  [
    [`${pod}\\.dnsPolicy`, "ClusterFirst"],
    [`(?:Deployment|StatefulSet|DaemonSet).*${pod}\\.restartPolicy`, "Always"],
    [`${pod}\\.schedulerName`, "default-scheduler"],
    [`${pod}\\.securityContext`, {}],
    [`${pod}\\.terminationGracePeriodSeconds`, 30],
    [`${container}\\.resources`, {}],
    [`${container}\\.terminationMessagePath`, "/dev/termination-log"],
    [`${container}\\.terminationMessagePolicy`, "File"],
    [`${container}\\.ports\\.protocol`, "TCP"],
    [`${probe}\\.failureThreshold`, 3],
    [`${probe}\\.periodSeconds`, 10],
    [`${probe}\\.successThreshold`, 1],
    [`${probe}\\.timeoutSeconds`, 1],
    [`${container}\\..*\\.httpGet\\.scheme`, "HTTP"],
    [`${volume}\\.(?:configMap|secret|projected|downwardAPI)\\.defaultMode`, 420],
    ["Deployment\\.spec\\.progressDeadlineSeconds", 600],
    ["(?:Deployment|StatefulSet|DaemonSet)\\.spec\\.revisionHistoryLimit", 10],
    [
      "Deployment\\.spec\\.strategy",
      { type: "RollingUpdate", rollingUpdate: deploymentRollingUpdate() },
    ],
    [
      "DaemonSet\\.spec\\.updateStrategy",
      { type: "RollingUpdate", rollingUpdate: daemonSetRollingUpdate() },
    ],
    [
      "StatefulSet\\.spec\\.updateStrategy",
      { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    ],
    ["StatefulSet\\.spec\\.podManagementPolicy", "OrderedReady"],
    [
      "StatefulSet\\.spec\\.persistentVolumeClaimRetentionPolicy",
      { whenDeleted: "Retain", whenScaled: "Retain" },
    ],
    ["Service\\.spec\\.internalTrafficPolicy", "Cluster"],
    ["Service\\.spec\\.externalTrafficPolicy", "Cluster"],
    ["Service\\.spec\\.allocateLoadBalancerNodePorts", true],
    ["Service\\.spec\\.sessionAffinity", "None"],
    ["Service\\.spec\\.type", "ClusterIP"],
    ["Service\\.spec\\.ports\\.protocol", "TCP"],
    ["PersistentVolumeClaim\\.spec\\.volumeMode", "Filesystem"],
    ["CronJob\\.spec\\.concurrencyPolicy", "Allow"],
    ["CronJob\\.spec\\.suspend", false],
    ["CronJob\\.spec\\.successfulJobsHistoryLimit", 3],
    ["CronJob\\.spec\\.failedJobsHistoryLimit", 1],
    ["Job\\.spec\\.completionMode", "NonIndexed"],
    ["Job\\.spec\\.suspend", false],
    ["Job\\.spec\\.podReplacementPolicy", "TerminatingOrFailed"],
  ] as const
).map(([end, value]) => [new RegExp(`${end}$`), value]);

function deploymentRollingUpdate(): JsonObject {
  return { maxSurge: "25%", maxUnavailable: "25%" };
}

function daemonSetRollingUpdate(): JsonObject {
  return { maxSurge: 0, maxUnavailable: 1 };
}
