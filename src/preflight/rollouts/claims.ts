import { keepsDataByName } from "../../model/cluster/change-effects.ts";
import { maxOrdinals } from "../../model/cluster/persistent-volume-claims.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { at, type Json, type JsonObject, listAt, numberAt, textAt } from "../../model/json.ts";
import { annotation, type KubeObject } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan.ts";
import { type ClusterFacts, knownOf } from "../facts.ts";
import { asPlanned } from "../planned-pods.ts";
import type { ClaimRule } from "../scheduling/pod-shape.ts";
import { labelsAt, selects } from "../scheduling/selectors.ts";
import type { FreeVolume, OpenClaim } from "../scheduling/volumes.ts";

type StorageFacts = Pick<ClusterFacts, "claims" | "volumes" | "storageClasses">;

/** Returns how each PersistentVolumeClaim limits the Pods that use it, by `namespace/name`. */
export function claimRules(facts: StorageFacts): ReadonlyMap<string, ClaimRule> {
  const volumes = knownOf(facts.volumes);
  const byName = new Map(volumes.map((volume) => [nameOf(volume), volume]));
  return new Map([
    ...volumes.flatMap(ruleOfOthers),
    ...knownOf(facts.claims).map((claim): readonly [string, ClaimRule] => {
      const volume = byName.get(textAt(claim, "spec", "volumeName") ?? "");
      const exclusive = listAt(claim, "spec", "accessModes").includes("ReadWriteOncePod");
      const nodeTerms = volume === undefined ? [] : nodeTermsOf(volume);
      const open = openClaim(claim, facts);
      const driver = volume === undefined ? open?.driver : driverOf(volume);
      return [keyOf(claim), { exclusive, nodeTerms, open, driver }];
    }),
  ]);
}

/**
 * Returns the rule for a claim in a namespace that qvs doesn't read.
 * The volume names the claim that is bound to it, so its CSI driver is known.
 */
function ruleOfOthers(volume: KubeObject): readonly (readonly [string, ClaimRule])[] {
  const key = keyOfRef(volume);
  const driver = driverOf(volume);
  if (key === undefined || driver === undefined) return [];
  return [[key, { exclusive: false, nodeTerms: [], driver }]];
}

/** Returns the function that describes the ephemeral claim of a Pod. */
export function ephemeralClaims(
  facts: StorageFacts,
): (template: Json, namespace: string, volume: string) => OpenClaim {
  return (template, namespace, volume) => {
    // The claim has no name, because its Pod doesn't exist yet. Therefore no volume is reserved for
    // it.
    const metadata = { namespace };
    const spec = (at(template, "spec") ?? {}) as JsonObject;
    const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec };
    return { ...unboundClaim(claim, facts), key: volume, isOfPod: true };
  };
}

/** Lists the claims that StatefulSets will create for Pods that they never had. */
export function claimsToCome(
  { changes }: Plan,
  present: readonly KubeObject[],
): readonly KubeObject[] {
  return changes.flatMap((change) => claimsOfSet(change, present).made);
}

/**
 * Reports whether a StatefulSet with claim templates is created or replaced.
 * Such a change decides again which claims the StatefulSet uses.
 */
export function beginsWithClaims(change: Change): boolean {
  const { action, id } = change;
  const isMade = action === "create" || action === "replace";
  const isSet = id.group === "apps" && id.kind === "StatefulSet";
  if (!isMade || !isSet) return false;
  return (
    keepsDataByName(asPlanned(change)) ||
    (change.live !== undefined && keepsDataByName(change.live))
  );
}

/** Splits the claims of the planned StatefulSet into existing ones and ones that it will create. */
export function claimsOfSet(
  change: Change,
  known: readonly KubeObject[],
): { readonly present: readonly KubeObject[]; readonly made: readonly KubeObject[] } {
  if (change.id.group !== "apps" || change.id.kind !== "StatefulSet")
    return { present: [], made: [] };
  const isThere = new Set(known.map(keyOf));
  const { name, namespace } = change.id;
  const spec = at(asPlanned(change), "spec");
  const start = numberAt(spec, "ordinals", "start") ?? 0;
  const length = Math.min(numberAt(spec, "replicas") ?? 1, maxOrdinals);
  const ordinals = Array.from({ length }, (_, index) => start + index);
  const all = listAt(spec, "volumeClaimTemplates").flatMap((template) =>
    ordinals.map((ordinal) => ({
      ...{ apiVersion: "v1", kind: "PersistentVolumeClaim" },
      metadata: { name: `${nameOf(template)}-${name}-${ordinal}`, namespace },
      spec: at(template, "spec") ?? {},
    })),
  );
  return {
    present: all.filter((claim) => isThere.has(keyOf(claim))),
    made: all.filter((claim) => !isThere.has(keyOf(claim))),
  };
}

/**
 * Describes a claim without a volume; undefined if the claim has one.
 * A claim with immediate binding can get any suitable volume, wherever it is.
 * The simulation treats it like a claim that waits for its Pod and gives it a volume where the Pod
 * runs.
 */
function openClaim(claim: KubeObject, facts: StorageFacts): OpenClaim | undefined {
  return textAt(claim, "spec", "volumeName") === undefined ? unboundClaim(claim, facts) : undefined;
}

/**
 * The volumes for a claim that the control plane binds before a Pod uses it.
 * It can only be bound to one of these volumes.
 */
export interface AwaitedVolumes {
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
export function awaitedVolumes(claim: KubeObject, facts: StorageFacts): AwaitedVolumes | undefined {
  const open = openClaim(claim, facts);
  if (open === undefined || open.driver !== undefined) return undefined;
  const { name, found } = classOf(claim, facts);
  if (textAt(found, "volumeBindingMode") === "WaitForFirstConsumer") return undefined;
  const isKnown =
    name === "" ||
    found !== undefined ||
    knownOf(facts.volumes).some((volume) => textAt(volume, "spec", "storageClassName") === name);
  return isKnown ? { storageClass: name, volumes: open.volumes } : undefined;
}

function classOf(claim: KubeObject, facts: StorageFacts) {
  const classes = knownOf(facts.storageClasses);
  const name = textAt(claim, "spec", "storageClassName") ?? defaultClass(classes) ?? "";
  return { name, found: classes.find((each) => nameOf(each) === name) };
}

function unboundClaim(claim: KubeObject, facts: StorageFacts): OpenClaim {
  const { name, found } = classOf(claim, facts);
  const isMade = found !== undefined && textAt(found, "provisioner") !== noProvisioner;
  return {
    key: keyOf(claim),
    volumes: freeVolumes(claim, name, knownOf(facts.volumes)),
    madeOn: isMade ? allowedNodes(found) : [],
    isOfPod: false,
    driver: isMade ? textAt(found, "provisioner") : undefined,
  };
}

/** Reports whether no provisioner can create a volume for the claim, so that one must exist. */
export function needsVolume(claim: Json, facts: StorageFacts): boolean {
  return openClaim(claim as KubeObject, facts)?.madeOn.length === 0;
}

const noProvisioner = "kubernetes.io/no-provisioner";

/**
 * Returns the name of the class for claims that name none.
 * If several classes are marked as default, it is the newest one.
 */
export function defaultClass(classes: readonly KubeObject[]): string | undefined {
  const createdAt = (each: KubeObject) => textAt(each, "metadata", "creationTimestamp") ?? "";
  const [newest] = classes
    .filter((each) => annotation(each, "storageclass.kubernetes.io/is-default-class") === "true")
    .toSorted((a, b) => (createdAt(a) < createdAt(b) ? 1 : -1));
  return newest === undefined ? undefined : nameOf(newest);
}

/**
 * Converts `allowedTopologies` into node selector terms.
 * The two formats use different field names.
 */
function allowedNodes(storageClass: KubeObject): OpenClaim["madeOn"] {
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
  const isReserved = (volume: KubeObject) => keyOfRef(volume) === keyOf(claim);
  const reserved = volumes.filter(isReserved);
  const others = volumes.filter((volume) => isFree(volume) && suits(volume, claim, storageClass));
  return (reserved.length > 0 ? reserved : others)
    .toSorted((a, b) => sizeOf(a) - sizeOf(b) || (nameOf(a) < nameOf(b) ? -1 : 1))
    .map((volume) => ({ name: nameOf(volume), nodeTerms: nodeTermsOf(volume) }));
}

function driverOf(volume: KubeObject): string | undefined {
  return textAt(volume, "spec", "csi", "driver");
}

/** Reports whether the volume is available. A volume of this plan has no phase yet. */
function isFree(volume: KubeObject): boolean {
  const phase = textAt(volume, "status", "phase") ?? "Available";
  return (
    at(volume, "spec", "claimRef") === undefined &&
    textAt(volume, "metadata", "deletionTimestamp") === undefined &&
    (phase === "Available" || phase === "Pending")
  );
}

function suits(volume: KubeObject, claim: KubeObject, storageClass: string): boolean {
  const offered = listAt(volume, "spec", "accessModes");
  const selector = at(claim, "spec", "selector");
  const same = (field: string, fallback: string) =>
    (textAt(volume, "spec", field) ?? fallback) === (textAt(claim, "spec", field) ?? fallback);
  return (
    (textAt(volume, "spec", "storageClassName") ?? "") === storageClass &&
    sizeOf(volume) >= (parseQuantity(at(claim, "spec", "resources", "requests", "storage")) ?? 0) &&
    listAt(claim, "spec", "accessModes").every((mode) => offered.includes(mode)) &&
    same("volumeMode", "Filesystem") &&
    same("volumeAttributesClassName", "") &&
    (selector === undefined || selects(selector, labelsAt(at(volume, "metadata", "labels"))))
  );
}

function sizeOf(volume: KubeObject): number {
  return parseQuantity(at(volume, "spec", "capacity", "storage")) ?? 0;
}

function nameOf(object: Json | KubeObject | undefined): string {
  return textAt(object as Json, "metadata", "name") ?? "";
}

function keyOf(claim: KubeObject): string {
  return `${textAt(claim, "metadata", "namespace")}/${nameOf(claim)}`;
}

function keyOfRef(volume: KubeObject): string | undefined {
  const ref = at(volume, "spec", "claimRef");
  return ref === undefined ? undefined : `${textAt(ref, "namespace")}/${textAt(ref, "name")}`;
}

/**
 * Returns the node terms of a volume: its own node affinity and the topology labels of cloud
 * providers.
 * A label value separates several zones with `__`.
 */
function nodeTermsOf(volume: KubeObject): readonly (readonly Json[])[] {
  const required = listAt(volume, "spec", "nodeAffinity", "required", "nodeSelectorTerms");
  const labels = Object.entries(labelsAt(at(volume, "metadata", "labels")));
  const places = labels
    .filter(([key]) => topologyLabels.includes(key))
    .map(([key, value]) => ({ key, operator: "In", values: value.split("__") }));
  return [
    ...(required.length === 0 ? [] : [required]),
    ...(places.length === 0 ? [] : [[{ matchExpressions: places }, nowhere]]),
  ];
}

const topologyLabels = ["topology", "failure-domain.beta"].flatMap((prefix) =>
  ["zone", "region"].map((name) => `${prefix}.kubernetes.io/${name}`),
);

/** A node without topology labels counts as a member of every zone. */
const nowhere = {
  matchExpressions: topologyLabels.map((key) => ({ key, operator: "DoesNotExist" })),
};
