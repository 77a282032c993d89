import { ephemeralClaimTemplate } from "../../model/cluster/persistent-volume-claims.ts";
import { at, type Json, type JsonObject, listAt, numberAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import { type ClusterFacts, type Fact, knownOf } from "../facts.ts";
import { asPlanned, keepsTemplate } from "../planned-pods.ts";
import { type SchedulingNode, schedulingNode } from "../scheduling/node.ts";
import { type PodShape, type Surroundings, shapeOf } from "../scheduling/pod-shape.ts";
import { withHeldRequests } from "../scheduling/resized.ts";
import { type Labels, labelsAt } from "../scheduling/selectors.ts";
import { admittedSamples, plannedAdmission } from "./admission.ts";
import { claimRules, claimsToCome, ephemeralClaims } from "./claims.ts";

/** The initial state of a simulation. */
export interface ClusterState {
  readonly nodes: readonly SchedulingNode[];
  readonly pods: readonly LivePod[];
  readonly replicaSets: readonly KubeObject[];
  /**
   * A Pod of a changed template as the API server would store it.
   * The key is that of the change.
   */
  readonly samples: ReadonlyMap<string, KubeObject>;
  /** Returns the shape of the Pods of a template. */
  readonly shape: (pod: PodTemplate) => PodShape;
}

interface PodTemplate {
  readonly namespace: string;
  readonly labels: Labels;
  readonly spec: JsonObject;
}

export interface LivePod {
  readonly object: KubeObject;
  readonly shape: PodShape;
  /** The uid of the object that created the Pod, such as a ReplicaSet. */
  readonly controller: string | undefined;
  /** Undefined while the Pod waits for a node. */
  readonly node: SchedulingNode | undefined;
}

/**
 * Returns the facts with the planned objects of these kinds.
 * A rollout starts after the objects that it needs.
 */
export function withPlanned(facts: ClusterFacts, plan: Plan): ClusterFacts {
  const planned = (fact: Fact<readonly KubeObject[]>, kind: string) =>
    fact.known ? { ...fact, value: plannedOver(fact.value, plan, kind) } : fact;
  return {
    ...facts,
    namespaces: planned(facts.namespaces, "Namespace"),
    priorityClasses: planned(facts.priorityClasses, "PriorityClass"),
    claims: withClaimsToCome(planned(facts.claims, "PersistentVolumeClaim"), plan),
    storageClasses: planned(facts.storageClasses, "StorageClass"),
    volumes: planned(facts.volumes, "PersistentVolume"),
  };
}

function withClaimsToCome(claims: ClusterFacts["claims"], plan: Plan): ClusterFacts["claims"] {
  return claims.known
    ? { known: true, value: [...claims.value, ...claimsToCome(plan, claims.value)] }
    : claims;
}

function plannedOver(
  live: readonly KubeObject[],
  { changes }: Plan,
  kind: string,
): readonly KubeObject[] {
  const planned = changes
    .filter(({ id, action }) => id.kind === kind && action !== "unchanged")
    .map(asPlanned);
  const named = [...live, ...planned].map((object) => {
    const namespace = textAt(object, "metadata", "namespace") ?? "";
    return [`${namespace}/${textAt(object, "metadata", "name")}`, object] as const;
  });
  return [...new Map(named).values()];
}

export function clusterState(facts: ClusterFacts, plan: Plan): ClusterState {
  const csiNodes = new Map(knownOf(facts.csiNodes).map((each) => [nameOf(each), each]));
  const nodes = knownOf(facts.nodes).map((each) =>
    schedulingNode(each, csiNodes.get(nameOf(each))),
  );
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const around = {
    namespaces: namespacesOf(facts),
    claims: claimRules(facts),
    ephemeralClaim: ephemeralClaims(facts),
  };
  const shape = rememberedShapes(around);
  const pods = knownOf(facts.pods)
    .filter(isRunning)
    .flatMap((object): readonly LivePod[] => {
      const spec = withHeldRequests(object);
      const name = textAt(spec, "nodeName");
      const node = name === undefined ? undefined : byName.get(name);
      // A Pod on a deleted node uses no resources of the other nodes.
      if (name !== undefined && node === undefined) return [];
      const { nodeName: _, ...unplaced } = spec;
      const template = {
        namespace: textAt(object, "metadata", "namespace") ?? "",
        labels: labelsAt(at(object, "metadata", "labels")),
        spec: { ...unplaced, volumes: volumesOf(object) },
      };
      // Controllers don't count a terminating Pod, but it uses its node until it ends.
      const controller = isLeaving(object) ? undefined : controllerOf(object);
      return [{ object, shape: shape(template), controller, node }];
    });
  const priority = priorityOf(facts);
  const admit = plannedAdmission(plan, facts);
  const ofOldRevisions = keysWithOldRevision(plan);
  const answers = [...facts.samplePods].flatMap(
    ([key, answer]): readonly (readonly [string, KubeObject])[] =>
      answer.ok && !ofOldRevisions.has(key) ? [[key, answer.value]] : [],
  );
  return {
    nodes,
    pods,
    replicaSets: knownOf(facts.replicaSets),
    samples: admittedSamples(new Map(answers), plan, admit),
    shape: ({ spec, ...template }) => {
      const admitted = admit({ spec, declared: spec, namespace: template.namespace });
      return shape({ ...template, spec: { ...priority(spec), ...admitted } });
    },
  };
}

/**
 * Returns the keys of StatefulSets that scale up without a new template.
 * The API server writes a revision into the sample's terms that differs from the revision of the
 * Pods.
 */
function keysWithOldRevision({ changes }: Plan): ReadonlySet<string> {
  const growing = changes.filter(
    (change) => change.id.kind === "StatefulSet" && keepsTemplate(change),
  );
  return new Set(growing.map(({ key }) => key));
}

/**
 * Returns the volumes of a Pod.
 * The ephemeral claims of a live Pod have names, so they are treated like other claims.
 */
function volumesOf(pod: KubeObject): readonly Json[] {
  return listAt(pod, "spec", "volumes").map((volume) => {
    if (ephemeralClaimTemplate(volume) === undefined) return volume;
    const name = textAt(volume, "name") ?? "";
    return { name, persistentVolumeClaim: { claimName: `${nameOf(pod)}-${name}` } };
  });
}

function nameOf(object: KubeObject): string {
  return textAt(object, "metadata", "name") ?? "";
}

/** Returns the uid of the owner that is the controller. */
export function controllerOf(object: KubeObject): string | undefined {
  const owner = listAt(object, "metadata", "ownerReferences").find(
    (each) => at(each, "controller") === true,
  );
  return textAt(owner, "uid");
}

/**
 * Reports whether the Pod still uses its node.
 * A Pod that has ended doesn't. A terminating Pod does only while a finalizer holds it.
 */
function isRunning(pod: KubeObject): boolean {
  if (["Succeeded", "Failed"].includes(textAt(pod, "status", "phase") ?? "")) return false;
  return !isLeaving(pod) || listAt(pod, "metadata", "finalizers").some((each) => each !== ofJobs);
}

function isLeaving(pod: KubeObject): boolean {
  return textAt(pod, "metadata", "deletionTimestamp") !== undefined;
}

/** The Job controller removes this finalizer as soon as it has counted the Pod. */
const ofJobs = "batch.kubernetes.io/job-tracking";

/** Caches the shapes of Pods. Pods of one version are alike, so their terms are evaluated once. */
function rememberedShapes(around: Surroundings): (pod: PodTemplate) => PodShape {
  const shapes = new Map<string, PodShape>();
  return (pod) => {
    const { namespace, labels, spec } = pod;
    const { affinity, topologySpreadConstraints, nodeSelector, tolerations, priority } = spec;
    const { nodeName, preemptionPolicy } = spec;
    const places = [affinity, topologySpreadConstraints, nodeSelector, tolerations, nodeName];
    const rules = [...places, priority, preemptionPolicy];
    const { containers, initContainers, volumes, overhead, resources, hostNetwork } = spec;
    const needs = [containers, initContainers, volumes, overhead, resources, hostNetwork];
    const key = JSON.stringify([namespace, labels, rules, needs.map(withoutMounts)]);
    const found = shapes.get(key) ?? shapeOf(pod, around);
    shapes.set(key, found);
    return found;
  };
}

/**
 * Drops the fields that differ between Pods of one version.
 * Each Pod has a token volume with its own name.
 */
function withoutMounts(value: Json | undefined): Json | undefined {
  if (!Array.isArray(value)) return value;
  return value.map((each: Json) => {
    if (at(each, "projected") !== undefined) return null;
    const { resources, ports, restartPolicy, persistentVolumeClaim } = each as JsonObject;
    const claim = persistentVolumeClaim ?? ephemeralOf(each);
    return { resources, ports, restartPolicy, claim } as JsonObject;
  });
}

function ephemeralOf(volume: Json): Json | undefined {
  const claim = ephemeralClaimTemplate(volume);
  return claim === undefined ? undefined : [at(volume, "name") ?? "", claim];
}

function namespacesOf({ namespaces }: ClusterFacts): ReadonlyMap<string, Labels> {
  return new Map(
    knownOf(namespaces).map((each) => {
      const name = textAt(each, "metadata", "name") ?? "";
      const own = labelsAt(at(each, "metadata", "labels"));
      return [name, { ...own, "kubernetes.io/metadata.name": name }];
    }),
  );
}

/** Predicts the fields that admission writes into a Pod from its PriorityClass. */
function priorityOf({ priorityClasses }: ClusterFacts): (spec: JsonObject) => JsonObject {
  const classes = knownOf(priorityClasses);
  const fallback = classes.find((each) => at(each, "globalDefault") === true);
  const builtIn = new Map([
    ["system-cluster-critical", 2_000_000_000],
    ["system-node-critical", 2_000_001_000],
  ]);
  return (spec) => {
    const name = textAt(spec, "priorityClassName");
    const found =
      name === undefined
        ? fallback
        : classes.find((each) => textAt(each, "metadata", "name") === name);
    const priority = numberAt(found, "value") ?? builtIn.get(name ?? "") ?? 0;
    const preemptionPolicy = textAt(found, "preemptionPolicy") ?? "PreemptLowerPriority";
    return { priority, preemptionPolicy };
  };
}

export function ownedBy(uid: string, objects: readonly KubeObject[]): readonly KubeObject[] {
  return uid === "" ? [] : objects.filter((object) => controllerOf(object) === uid);
}
