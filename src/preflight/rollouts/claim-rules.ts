import { keepsDataByName } from "../../model/cluster/change-effects.ts";
import { maxOrdinals } from "../../model/cluster/persistent-volume-claims.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { at, type Json, type JsonObject, listAt, numberAt, textAt } from "../../model/json.ts";
import { annotation, creationTime, type KubeObject } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import { type ClusterFacts, knownValues } from "../cluster-facts.ts";
import { asPlanned } from "../planned-pods.ts";
import type { ClaimRule } from "../scheduling/pod-shape.ts";
import { labelsAt, selects } from "../scheduling/selectors.ts";
import type { FreeVolume, UnboundClaim } from "../scheduling/volume-assignments.ts";

type StorageFacts = Pick<ClusterFacts, "claims" | "volumes" | "storageClasses">;

/** Returns how each PersistentVolumeClaim limits the Pods that use it, by `namespace/name`. */
export function claimRules(facts: StorageFacts): ReadonlyMap<string, ClaimRule> {
  const volumes = knownValues(facts.volumes);
  const byName = new Map(volumes.map((volume) => [objectName(volume), volume]));
  return new Map([
    ...volumes.flatMap(otherNamespaceRule),
    ...knownValues(facts.claims).map((claim): readonly [string, ClaimRule] => {
      const volume = byName.get(textAt(claim, "spec", "volumeName") ?? "");
      const exclusive = listAt(claim, "spec", "accessModes").includes("ReadWriteOncePod");
      const nodeTerms = volume === undefined ? [] : volumeNodeTerms(volume);
      const open = toUnboundClaim(claim, facts);
      const driver = volume === undefined ? open?.driver : csiDriver(volume);
      return [claimKey(claim), { exclusive, nodeTerms, open, driver }];
    }),
  ]);
}

/**
 * Returns the rule for a claim in a namespace that qvs doesn't read.
 * The volume names the claim that is bound to it, so its CSI driver is known.
 */
function otherNamespaceRule(volume: KubeObject): readonly (readonly [string, ClaimRule])[] {
  const key = boundClaimKey(volume);
  const driver = csiDriver(volume);
  if (key === undefined || driver === undefined) return [];
  return [[key, { exclusive: false, nodeTerms: [], driver }]];
}

/** Returns the function that describes the ephemeral claim of a Pod. */
export function ephemeralClaims(
  facts: StorageFacts,
): (template: Json, namespace: string, volume: string) => UnboundClaim {
  return (template, namespace, volume) => {
    // The claim has no name, because its Pod doesn't exist yet. Therefore no volume is reserved for
    // it.
    const metadata = { namespace };
    const spec = (at(template, "spec") ?? {}) as JsonObject;
    const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec };
    return { ...buildUnboundClaim(claim, facts), key: volume, isEphemeral: true };
  };
}

/** Lists the claims that StatefulSets will create for Pods that they never had. */
export function pendingClaims(
  { changes }: Plan,
  present: readonly KubeObject[],
): readonly KubeObject[] {
  return changes.flatMap((change) => statefulSetClaims(change, present).made);
}

/**
 * Reports whether a StatefulSet with claim templates is created or replaced.
 * Such a change decides again which claims the StatefulSet uses.
 */
export function startsWithClaims(change: Change): boolean {
  const { action, id } = change;
  const isCreated = action === "create" || action === "replace";
  const isSet = id.group === "apps" && id.kind === "StatefulSet";
  if (!isCreated || !isSet) return false;
  return (
    keepsDataByName(asPlanned(change)) ||
    (change.live !== undefined && keepsDataByName(change.live))
  );
}

/** Splits the claims of the planned StatefulSet into existing ones and ones that it will create. */
export function statefulSetClaims(
  change: Change,
  known: readonly KubeObject[],
): { readonly present: readonly KubeObject[]; readonly made: readonly KubeObject[] } {
  if (change.id.group !== "apps" || change.id.kind !== "StatefulSet")
    return { present: [], made: [] };
  const existing = new Set(known.map(claimKey));
  const { name, namespace } = change.id;
  const spec = at(asPlanned(change), "spec");
  const start = numberAt(spec, "ordinals", "start") ?? 0;
  const length = Math.min(numberAt(spec, "replicas") ?? 1, maxOrdinals);
  const ordinals = Array.from({ length }, (_, index) => start + index);
  const all = listAt(spec, "volumeClaimTemplates").flatMap((template) =>
    ordinals.map((ordinal) => ({
      ...{ apiVersion: "v1", kind: "PersistentVolumeClaim" },
      metadata: { name: `${objectName(template)}-${name}-${ordinal}`, namespace },
      spec: at(template, "spec") ?? {},
    })),
  );
  return {
    present: all.filter((claim) => existing.has(claimKey(claim))),
    made: all.filter((claim) => !existing.has(claimKey(claim))),
  };
}

/**
 * Describes a claim without a volume; undefined if the claim has one.
 * A claim with immediate binding can get any suitable volume, wherever it is.
 * The simulation treats it like a claim that waits for its Pod and gives it a volume where the Pod
 * runs.
 */
function toUnboundClaim(claim: KubeObject, facts: StorageFacts): UnboundClaim | undefined {
  return textAt(claim, "spec", "volumeName") === undefined
    ? buildUnboundClaim(claim, facts)
    : undefined;
}

/**
 * The volumes for a claim that the control plane binds before a Pod uses it.
 * It can only be bound to one of these volumes.
 */
export interface BindableVolumes {
  /** Empty if the claim has no class. */
  readonly storageClass: string;
  /** Free volumes that match the claim. */
  readonly volumes: readonly FreeVolume[];
}

/**
 * Returns the volumes that a claim can be bound to before a Pod uses it.
 * The result is undefined if the claim has a volume, if a provisioner creates one, or if the claim
 * waits for its first Pod.
 * It is also undefined for a storage class that no StorageClass and no volume has.
 */
export function findBindableVolumes(
  claim: KubeObject,
  facts: StorageFacts,
): BindableVolumes | undefined {
  const open = toUnboundClaim(claim, facts);
  if (open === undefined || open.driver !== undefined) return undefined;
  const { name, found } = findStorageClass(claim, facts);
  if (textAt(found, "volumeBindingMode") === "WaitForFirstConsumer") return undefined;
  const isKnown =
    name === "" ||
    found !== undefined ||
    knownValues(facts.volumes).some(
      (volume) => textAt(volume, "spec", "storageClassName") === name,
    );
  return isKnown ? { storageClass: name, volumes: open.volumes } : undefined;
}

function findStorageClass(claim: KubeObject, facts: StorageFacts) {
  const classes = knownValues(facts.storageClasses);
  const name = textAt(claim, "spec", "storageClassName") ?? defaultStorageClass(classes) ?? "";
  return { name, found: classes.find((each) => objectName(each) === name) };
}

function buildUnboundClaim(claim: KubeObject, facts: StorageFacts): UnboundClaim {
  const { name, found } = findStorageClass(claim, facts);
  const isProvisioned = found !== undefined && textAt(found, "provisioner") !== noProvisioner;
  return {
    key: claimKey(claim),
    volumes: freeVolumes(claim, name, knownValues(facts.volumes)),
    creationTerms: isProvisioned ? allowedNodeTerms(found) : [],
    isEphemeral: false,
    driver: isProvisioned ? textAt(found, "provisioner") : undefined,
  };
}

/** Reports whether no provisioner can create a volume for the claim, so that one must exist. */
export function needsExistingVolume(claim: Json, facts: StorageFacts): boolean {
  return toUnboundClaim(claim as KubeObject, facts)?.creationTerms.length === 0;
}

const noProvisioner = "kubernetes.io/no-provisioner";

/**
 * Returns the name of the class for claims that name none.
 * If several classes are marked as default, it is the newest one.
 */
export function defaultStorageClass(classes: readonly KubeObject[]): string | undefined {
  const [newest] = classes
    .filter((each) => annotation(each, "storageclass.kubernetes.io/is-default-class") === "true")
    .toSorted((a, b) => (creationTime(a) < creationTime(b) ? 1 : -1));
  return newest === undefined ? undefined : objectName(newest);
}

/**
 * Converts `allowedTopologies` into node selector terms.
 * The two formats use different field names.
 */
function allowedNodeTerms(storageClass: KubeObject): UnboundClaim["creationTerms"] {
  const allowed = listAt(storageClass, "allowedTopologies");
  if (allowed.length === 0) return "everywhere";
  return allowed.map((each) => ({
    matchExpressions: listAt(each, "matchLabelExpressions").map((expression) => ({
      ...{ key: textAt(expression, "key") ?? "", operator: "In" },
      values: listAt(expression, "values"),
    })),
  }));
}

/**
 * Lists the volumes that the claim can be bound to.
 * A volume that is reserved for this claim excludes all others. Otherwise the smallest volume is
 * first.
 */
function freeVolumes(
  claim: KubeObject,
  storageClass: string,
  volumes: readonly KubeObject[],
): readonly FreeVolume[] {
  const isReserved = (volume: KubeObject) => boundClaimKey(volume) === claimKey(claim);
  const reserved = volumes.filter(isReserved);
  const others = volumes.filter(
    (volume) => isAvailableVolume(volume) && matchesClaim(volume, claim, storageClass),
  );
  return (reserved.length > 0 ? reserved : others)
    .toSorted((a, b) => volumeSize(a) - volumeSize(b) || (objectName(a) < objectName(b) ? -1 : 1))
    .map((volume) => ({ name: objectName(volume), nodeTerms: volumeNodeTerms(volume) }));
}

function csiDriver(volume: KubeObject): string | undefined {
  return textAt(volume, "spec", "csi", "driver");
}

/** Reports whether the volume is available. A volume of this plan has no phase yet. */
function isAvailableVolume(volume: KubeObject): boolean {
  const phase = textAt(volume, "status", "phase") ?? "Available";
  return (
    at(volume, "spec", "claimRef") === undefined &&
    textAt(volume, "metadata", "deletionTimestamp") === undefined &&
    (phase === "Available" || phase === "Pending")
  );
}

function matchesClaim(volume: KubeObject, claim: KubeObject, storageClass: string): boolean {
  const offered = listAt(volume, "spec", "accessModes");
  const selector = at(claim, "spec", "selector");
  const same = (field: string, fallback: string) =>
    (textAt(volume, "spec", field) ?? fallback) === (textAt(claim, "spec", field) ?? fallback);
  return (
    (textAt(volume, "spec", "storageClassName") ?? "") === storageClass &&
    volumeSize(volume) >=
      (parseQuantity(at(claim, "spec", "resources", "requests", "storage")) ?? 0) &&
    listAt(claim, "spec", "accessModes").every((mode) => offered.includes(mode)) &&
    same("volumeMode", "Filesystem") &&
    same("volumeAttributesClassName", "") &&
    (selector === undefined || selects(selector, labelsAt(at(volume, "metadata", "labels"))))
  );
}

function volumeSize(volume: KubeObject): number {
  return parseQuantity(at(volume, "spec", "capacity", "storage")) ?? 0;
}

function objectName(object: Json | KubeObject | undefined): string {
  return textAt(object as Json, "metadata", "name") ?? "";
}

function claimKey(claim: KubeObject): string {
  return `${textAt(claim, "metadata", "namespace")}/${objectName(claim)}`;
}

function boundClaimKey(volume: KubeObject): string | undefined {
  const ref = at(volume, "spec", "claimRef");
  return ref === undefined ? undefined : `${textAt(ref, "namespace")}/${textAt(ref, "name")}`;
}

/**
 * Returns the node terms of a volume: its own node affinity and the topology labels of cloud
 * providers.
 * A label value separates several zones with `__`.
 */
function volumeNodeTerms(volume: KubeObject): readonly (readonly Json[])[] {
  const required = listAt(volume, "spec", "nodeAffinity", "required", "nodeSelectorTerms");
  const labels = Object.entries(labelsAt(at(volume, "metadata", "labels")));
  const places = labels
    .filter(([key]) => topologyLabels.includes(key))
    .map(([key, value]) => ({ key, operator: "In", values: value.split("__") }));
  return [
    ...(required.length === 0 ? [] : [required]),
    ...(places.length === 0 ? [] : [[{ matchExpressions: places }, withoutTopology]]),
  ];
}

const topologyLabels = ["topology", "failure-domain.beta"].flatMap((prefix) =>
  ["zone", "region"].map((name) => `${prefix}.kubernetes.io/${name}`),
);

/** A node without topology labels counts as a member of every zone. */
const withoutTopology = {
  matchExpressions: topologyLabels.map((key) => ({ key, operator: "DoesNotExist" })),
};
