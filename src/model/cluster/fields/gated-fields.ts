import { kindKey } from "../../kinds.ts";
import { idOf, type KubeObject } from "../../object.ts";
import { formatServerVersion, type ServerVersion } from "../api/server-version.ts";
import { podSpecOf } from "../pods.ts";

/**
 * A field that the API server drops without an error while its feature gate is off. The field of
 * an object that already uses it stays.
 */
export interface GatedField {
  /** The steps from the spec to the field; `*` stands for each item of a list or of a map. */
  readonly path: readonly string[];
  readonly gate: string;
  /** The first minor version with the field, if older supported ones reject it. */
  readonly added?: number;
  /** The first minor version whose gate is on by default; undefined if no known one is. */
  readonly since?: number;
  /** The first minor version that drops the field, if older supported ones store it. */
  readonly droppedSince?: number;
  /** The value that the API server stores instead; by default, none. */
  readonly stored?: string;
  /** The value that the API server keeps although the gate is off. */
  readonly kept?: string;
}

const containerLists = ["containers", "initContainers", "ephemeralContainers"];

type Gate = Omit<GatedField, "path">;

function field(path: string, gate: Gate): GatedField {
  return { ...gate, path: path.split(".") };
}

function containerField(path: string, gate: Gate): readonly GatedField[] {
  return containerLists.map((list) => field(`${list}.*.${path}`, gate));
}

const probes = ["livenessProbe", "readinessProbe", "startupProbe"];
const hooks = ["lifecycle.postStart", "lifecycle.preStop"];

const claims: Gate = { gate: "DynamicResourceAllocation", since: 34 };
const restarts: Gate = { gate: "ContainerRestartRules", since: 35 };
const tolerance: Gate = { gate: "HPAConfigurableTolerance", added: 33, since: 35 };
const attributes: Gate = { gate: "VolumeAttributesClass", since: 34 };
const fileUsers: Gate = { gate: "AtomicWriteVolumeUserFields", added: 37 };
const http2: Gate = { gate: "H2CContainerProbe", added: 37 };
const taints: Gate = { gate: "DRADeviceTaints", added: 34, since: 36 };
const capacity: Gate = { gate: "DRAConsumableCapacity", added: 34, since: 36 };
const partitions: Gate = { gate: "DRAPartitionableDevices", added: 34, since: 36 };
const bindings: Gate = { gate: "DRADeviceBindingConditions", added: 34, since: 36 };
const allocatable: Gate = { gate: "DRANodeAllocatableResources" };
const listAttributes: Gate = { gate: "DRAListTypeAttributes", added: 36 };

/**
 * Returns the fields of a ResourceClaim's spec, from pkg/api/resourceclaimspec/util.go. The spec of
 * a template contains them below `prefix`. Only 1.34 and newer versions serve the kinds by default.
 */
function claimFields(prefix: string): readonly GatedField[] {
  const requests = ["exactly", "firstAvailable.*"].map(
    (request) => `${prefix}devices.requests.*.${request}`,
  );
  return [
    ...requests.flatMap((request) => [
      // Kubernetes 1.34 stores them although its gate is off.
      field(`${request}.tolerations`, { ...taints, droppedSince: 35 }),
      field(`${request}.capacity`, capacity),
      field(`${request}.derivedAttributes`, { gate: "DRADerivedAttributes", added: 37 }),
    ]),
    field(`${prefix}devices.constraints.*.distinctAttribute`, capacity),
  ];
}

/**
 * The fields of Pods and Pod templates, from `dropDisabledFields` in pkg/api/pod/util.go. The
 * versions are those of the gates in pkg/features/kube_features.go.
 */
export const gatedPodFields: readonly GatedField[] = [
  field("hostUsers", { gate: "UserNamespacesSupport", since: 33 }),
  field("securityContext.supplementalGroupsPolicy", {
    gate: "SupplementalGroupsPolicy",
    since: 33,
  }),
  field("securityContext.seLinuxChangePolicy", { gate: "SELinuxChangePolicy", since: 33 }),
  ...containerField("resizePolicy", { gate: "InPlacePodVerticalScaling", since: 33 }),
  ...containerField("securityContext.procMount", {
    gate: "ProcMountType",
    since: 33,
    stored: "Default",
  }),
  field("resources", { gate: "PodLevelResources", since: 34 }),
  field("resourceClaims", claims),
  ...containerField("resources.claims", claims),
  field("hostnameOverride", { gate: "HostnameOverride", added: 34, since: 35 }),
  field("volumes.*.image", { gate: "ImageVolume", since: 35 }),
  field("containers.*.restartPolicy", restarts),
  field("initContainers.*.restartPolicy", { ...restarts, kept: "Always" }),
  ...containerField("restartPolicyRules", { ...restarts, added: 34 }),
  ...containerField("env.*.valueFrom.fileKeyRef", { gate: "EnvFiles", added: 34, since: 35 }),
  field("volumes.*.projected.sources.*.clusterTrustBundle", {
    gate: "ClusterTrustBundleProjection",
    since: 37,
  }),
  field("volumes.*.projected.sources.*.podCertificate", {
    gate: "PodCertificateRequest",
    added: 34,
    since: 37,
  }),
  ...containerField("lifecycle.stopSignal", { gate: "ContainerStopSignals", added: 33 }),
  ...containerField("volumeMounts.*.bindMountOptions", {
    gate: "VolumeBindMountOptions",
    added: 37,
  }),
  ...probes.flatMap((probe) => [
    ...containerField(`${probe}.grpc.mode`, { gate: "GRPCContainerProbeTLS", added: 37 }),
    ...containerField(`${probe}.httpGet.protocol`, http2),
  ]),
  ...hooks.flatMap((hook) => containerField(`${hook}.httpGet.protocol`, http2)),
  field("volumes.*.emptyDir.mode", { gate: "EmptyDirVolumeMode", added: 37 }),
  field("volumes.*.projected.defaultUser", fileUsers),
  ...["secret", "configMap", "downwardAPI"].flatMap((source) => [
    field(`volumes.*.${source}.defaultUser`, fileUsers),
    field(`volumes.*.${source}.items.*.user`, fileUsers),
    field(`volumes.*.projected.sources.*.${source}.items.*.user`, fileUsers),
  ]),
  ...["serviceAccountToken", "clusterTrustBundle", "podCertificate"].map((source) =>
    field(`volumes.*.projected.sources.*.${source}.user`, fileUsers),
  ),
  field("schedulingGroup", { gate: "GenericWorkload", added: 36 }),
  field("evictionResponders", { gate: "EvictionRequestAPI", added: 37 }),
];

/** The fields of other kinds by `kindKey`, from the strategies in pkg/registry. */
export const gatedFieldsByKind: ReadonlyMap<string, readonly GatedField[]> = new Map([
  [
    "apps/StatefulSet",
    [
      field("updateStrategy.rollingUpdate.maxUnavailable", {
        gate: "MaxUnavailableStatefulSet",
        since: 37,
      }),
    ],
  ],
  [
    "autoscaling/HorizontalPodAutoscaler",
    [
      field("behavior.scaleUp.tolerance", tolerance),
      field("behavior.scaleDown.tolerance", tolerance),
    ],
  ],
  ["/PersistentVolumeClaim", [field("volumeAttributesClassName", attributes)]],
  ["/PersistentVolume", [field("volumeAttributesClassName", attributes)]],
  [
    "storage.k8s.io/CSIDriver",
    [
      field("nodeAllocatableUpdatePeriodSeconds", {
        gate: "MutableCSINodeAllocatableCount",
        added: 33,
        since: 35,
      }),
      field("serviceAccountTokenInSecrets", {
        gate: "CSIServiceAccountTokenSecrets",
        added: 35,
        since: 35,
      }),
      field("preventPodSchedulingIfMissing", { gate: "VolumeLimitScaling", added: 36, since: 37 }),
    ],
  ],
  [
    "resource.k8s.io/DeviceClass",
    [field("extendedResourceName", { gate: "DRAExtendedResource", added: 34, since: 36 })],
  ],
  ["resource.k8s.io/ResourceClaim", claimFields("")],
  ["resource.k8s.io/ResourceClaimTemplate", claimFields("spec.")],
  [
    "resource.k8s.io/ResourceSlice",
    [
      field("devices.*.taints", taints),
      field("sharedCounters", partitions),
      field("perDeviceNodeSelection", partitions),
      ...["consumesCounters", "nodeName", "nodeSelector", "allNodes"].map((name) =>
        field(`devices.*.${name}`, partitions),
      ),
      ...["bindsToNode", "bindingConditions", "bindingFailureConditions"].map((name) =>
        field(`devices.*.${name}`, bindings),
      ),
      field("devices.*.allowMultipleAllocations", capacity),
      field("devices.*.capacity.*.requestPolicy", capacity),
      ...["ints", "bools", "strings", "versions"].map((name) =>
        field(`devices.*.attributes.*.${name}`, listAttributes),
      ),
      field("devices.*.nodeAllocatableResourceMappings", { ...allocatable, added: 36 }),
      field("devices.*.nodeAllocatableResources", { ...allocatable, added: 37 }),
      field("devices.*.consumesCounters.*.compatibilityGroups", {
        gate: "DRADeviceCompatibilityGroups",
        added: 37,
      }),
      field("partitionTypeAttribute", { gate: "DRAPartitionableDevicesType", added: 37 }),
      field("skipNodeOperations", { gate: "DRAOptionalNodeOperations", added: 37 }),
    ],
  ],
]);

/**
 * Describes the versions that have a field; undefined for fields that qvs doesn't know as new. The
 * path is the API server's, such as `spec.containers[name="web"].restartPolicyRules`.
 */
export function fieldVersions(
  object: KubeObject,
  path: string,
  server: ServerVersion | undefined,
): string | undefined {
  const [first = "", ...rest] = path.split("[");
  const steps = first + rest.map((part) => part.slice(part.indexOf("]") + 1)).join("");
  const pods = podSpecOf(object)?.path.join(".");
  const places = [
    { prefix: "spec", fields: gatedFieldsByKind.get(kindKey(idOf(object))) ?? [] },
    { prefix: pods, fields: pods === undefined ? [] : gatedPodFields },
  ];
  const found = places.flatMap(({ prefix, fields }) =>
    fields.filter((field) => `${prefix}.${plainPath(field.path)}` === steps),
  );
  const added = found[0]?.added;
  if (added === undefined) return undefined;
  const since = `since Kubernetes 1.${added}`;
  return server === undefined ? since : `${since}; this server is ${formatServerVersion(server)}`;
}

function plainPath(path: readonly string[]): string {
  return path.filter((step) => step !== "*").join(".");
}
