import { replaceAnnotation } from "../../model/annotations.ts";
import { isSubset } from "../../model/cluster/fields/immutable-fields.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { type IgnoredPath, parsePath } from "../../model/fields/field-path.ts";
import { at, isObject, listAt } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { annotation, idOf, type KubeObject } from "../../model/object.ts";

/**
 * A field that keeps its live value because the API server never lets it return to a former one.
 */
export interface OneWayField {
  readonly path: IgnoredPath;
}

interface OneWayRule {
  /** The kinds, as `group/Kind`. */
  readonly kinds: readonly string[];
  readonly paths: readonly string[];
  /**
   * Reports whether the live value has to stay; by default, if it differs from the recorded one.
   */
  readonly stays?: (recorded: KubeObject, live: KubeObject, path: readonly string[]) => boolean;
}

const claimKind = "/PersistentVolumeClaim";

/**
 * The fields that only grow or can't change once they are set, and that a release doesn't need
 * restored.
 * See docs/concepts/releases.md#one-way-fields. Fields that decide about content or permissions
 * aren't included. Examples are the data of an immutable ConfigMap, `roleRef`, the type of a Secret
 * and the access modes of a PersistentVolumeClaim. A rollback must restore those.
 */
const oneWayRules: readonly OneWayRule[] = [
  { kinds: [claimKind], paths: ["spec.resources.requests.storage"], stays: isLarger },
  {
    kinds: [claimKind],
    paths: ["dataSource", "dataSourceRef", "selector"].map(specPath),
  },
  { kinds: [claimKind], paths: ["storageClassName", "volumeMode", "volumeName"].map(specPath) },
  { kinds: ["apps/StatefulSet"], paths: ["spec.volumeClaimTemplates"] },
  { kinds: ["apps/StatefulSet"], paths: ["podManagementPolicy", "serviceName"].map(specPath) },
  {
    kinds: ["apps/DaemonSet", "apps/Deployment", "apps/ReplicaSet", "apps/StatefulSet"],
    paths: ["spec.selector"],
    stays: selectsItsPods,
  },
  { kinds: ["/ConfigMap", "/Secret"], paths: ["immutable"], stays: isImmutable },
  {
    kinds: ["/Service"],
    paths: ["clusterIP", "clusterIPs", "ipFamilies"].map(specPath),
    stays: hasOtherAddresses,
  },
  {
    kinds: ["batch/Job"],
    paths: ["template", "completions", "completionMode", "podFailurePolicy"].map(specPath),
    stays: isCompletedJob,
  },
  {
    kinds: ["storage.k8s.io/StorageClass"],
    paths: ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"],
  },
  {
    kinds: ["/PersistentVolume"],
    paths: ["awsElasticBlockStore", "azureDisk", "csi", "gcePersistentDisk"].map(specPath),
  },
  {
    kinds: ["/PersistentVolume"],
    paths: ["hostPath", "local", "nfs", "nodeAffinity", "volumeMode"].map(specPath),
  },
  { kinds: ["scheduling.k8s.io/PriorityClass"], paths: ["value", "preemptionPolicy"] },
  { kinds: ["networking.k8s.io/IngressClass"], paths: ["spec.controller"] },
];

/**
 * Returns the fields that a rollback leaves at their live values.
 * An object that its record lets qvs recreate has none, because the new object gets all recorded
 * values. Claims are an exception.
 */
export function findOneWayFields(recorded: KubeObject, live: KubeObject): readonly OneWayField[] {
  const kind = kindKey(idOf(live));
  if (kind !== claimKind && annotation(recorded, replaceAnnotation) === "true") return [];
  return oneWayRules
    .filter(({ kinds }) => kinds.includes(kind))
    .flatMap(({ paths, stays = hasOtherValue }) =>
      paths
        .filter((path) => stays(recorded, live, path.split(".")))
        .map((text) => ({ path: { text, steps: parsePath(text) } })),
    );
}

function specPath(field: string): string {
  return `spec.${field}`;
}

function hasOtherValue(recorded: KubeObject, live: KubeObject, path: readonly string[]): boolean {
  const [wanted, present] = [at(recorded, ...path), at(live, ...path)];
  return wanted !== undefined && present !== undefined && !isSubset(wanted, present);
}

function isLarger(recorded: KubeObject, live: KubeObject, path: readonly string[]): boolean {
  const [wanted, present] = [at(recorded, ...path), at(live, ...path)].map(parseQuantity);
  return wanted !== undefined && present !== undefined && present > wanted;
}

function isImmutable(recorded: KubeObject, live: KubeObject): boolean {
  return at(live, "immutable") === true && at(recorded, "immutable") !== true;
}

/** Reports whether the addresses differ. An ExternalName Service has none. */
function hasOtherAddresses(
  recorded: KubeObject,
  live: KubeObject,
  path: readonly string[],
): boolean {
  const isExternal = [recorded, live].some((each) => at(each, "spec", "type") === "ExternalName");
  return !isExternal && hasOtherValue(recorded, live, path);
}

/**
 * Reports whether a completed Job differs from the recorded one.
 * A rollback doesn't run the earlier Job again, because the later one has done the work.
 */
function isCompletedJob(recorded: KubeObject, live: KubeObject, path: readonly string[]): boolean {
  const isComplete = listAt(live, "status", "conditions").some(
    (each) => at(each, "type") === "Complete" && at(each, "status") === "True",
  );
  return isComplete && hasOtherValue(recorded, live, path);
}

/**
 * Reports whether the live selector differs and selects the recorded Pods. Otherwise, it can't
 * stay.
 */
function selectsItsPods(recorded: KubeObject, live: KubeObject, path: readonly string[]): boolean {
  const labels = at(recorded, "spec", "template", "metadata", "labels");
  const selector = at(live, ...path, "matchLabels");
  const byExpressions = listAt(live, ...path, "matchExpressions").length > 0;
  const selects = isObject(selector) && isObject(labels) && !byExpressions;
  return selects && isSubset(selector, labels) && hasOtherValue(recorded, live, path);
}
