import { ephemeralClaimTemplate } from "../../model/cluster/persistent-volume-claims.ts";
import { isFinishedPod } from "../../model/cluster/pods.ts";
import { at, type Json, type JsonObject, listAt, numberAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import { type ClusterFact, type ClusterFacts, knownValues } from "../cluster-facts.ts";
import { asPlanned, keepsTemplate } from "../planned-pods.ts";
import { withCountedRequests } from "../scheduling/pod-requests.ts";
import { createPodShape, type PodShape, type Surroundings } from "../scheduling/pod-shape.ts";
import { type SchedulingNode, schedulingNode } from "../scheduling/scheduling-node.ts";
import { type Labels, labelsAt } from "../scheduling/selectors.ts";
import { claimRules, ephemeralClaims, pendingClaims } from "./claim-rules.ts";
import { admittedSamples, plannedAdmission } from "./planned-admission.ts";

/** The initial state of a simulation. */
export interface ClusterSnapshot {
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
export function withPlannedObjects(facts: ClusterFacts, plan: Plan): ClusterFacts {
  const planned = (fact: ClusterFact<readonly KubeObject[]>, kind: string) =>
    fact.known ? { ...fact, value: mergePlanned(fact.value, plan, kind) } : fact;
  return {
    ...facts,
    namespaces: planned(facts.namespaces, "Namespace"),
    priorityClasses: planned(facts.priorityClasses, "PriorityClass"),
    claims: withPendingClaims(planned(facts.claims, "PersistentVolumeClaim"), plan),
    storageClasses: planned(facts.storageClasses, "StorageClass"),
    volumes: planned(facts.volumes, "PersistentVolume"),
  };
}

function withPendingClaims(claims: ClusterFacts["claims"], plan: Plan): ClusterFacts["claims"] {
  return claims.known
    ? { known: true, value: [...claims.value, ...pendingClaims(plan, claims.value)] }
    : claims;
}

function mergePlanned(
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

export function createClusterSnapshot(facts: ClusterFacts, plan: Plan): ClusterSnapshot {
  const csiNodes = new Map(knownValues(facts.csiNodes).map((each) => [objectName(each), each]));
  const nodes = knownValues(facts.nodes).map((each) =>
    schedulingNode(each, csiNodes.get(objectName(each))),
  );
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const surroundings = {
    server: facts.server,
    namespaces: readNamespaceLabels(facts),
    claims: claimRules(facts),
    ephemeralClaim: ephemeralClaims(facts),
  };
  const shape = memoizeShapes(surroundings);
  const pods = knownValues(facts.pods)
    .filter(usesNode)
    .flatMap((object): readonly LivePod[] => {
      const spec = withCountedRequests(object);
      const name = textAt(spec, "nodeName");
      const node = name === undefined ? undefined : byName.get(name);
      // A Pod on a deleted node uses no resources of the other nodes.
      if (name !== undefined && node === undefined) return [];
      const { nodeName: _, ...unplaced } = spec;
      const template = {
        namespace: textAt(object, "metadata", "namespace") ?? "",
        labels: labelsAt(at(object, "metadata", "labels")),
        spec: { ...unplaced, volumes: podVolumes(object) },
      };
      // Controllers don't count a terminating Pod, but it uses its node until it ends.
      const controller = isTerminating(object) ? undefined : controllerUid(object);
      return [{ object, shape: shape(template), controller, node }];
    });
  const priority = createPriorityAdmission(facts);
  const admit = plannedAdmission(plan, facts);
  const oldRevisionKeys = findOldRevisionKeys(plan);
  const answers = [...facts.samplePods].flatMap(
    ([key, answer]): readonly (readonly [string, KubeObject])[] =>
      answer.ok && !oldRevisionKeys.has(key) ? [[key, answer.value]] : [],
  );
  return {
    nodes,
    pods,
    replicaSets: knownValues(facts.replicaSets),
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
function findOldRevisionKeys({ changes }: Plan): ReadonlySet<string> {
  const growing = changes.filter(
    (change) => change.id.kind === "StatefulSet" && keepsTemplate(change),
  );
  return new Set(growing.map(({ key }) => key));
}

/**
 * Returns the volumes of a Pod.
 * The ephemeral claims of a live Pod have names, so they are treated like other claims.
 */
function podVolumes(pod: KubeObject): readonly Json[] {
  return listAt(pod, "spec", "volumes").map((volume) => {
    if (ephemeralClaimTemplate(volume) === undefined) return volume;
    const name = textAt(volume, "name") ?? "";
    return { name, persistentVolumeClaim: { claimName: `${objectName(pod)}-${name}` } };
  });
}

function objectName(object: KubeObject): string {
  return textAt(object, "metadata", "name") ?? "";
}

/** Returns the uid of the owner that is the controller. */
export function controllerUid(object: KubeObject): string | undefined {
  const owner = listAt(object, "metadata", "ownerReferences").find(
    (each) => at(each, "controller") === true,
  );
  return textAt(owner, "uid");
}

/**
 * Reports whether the Pod still uses its node.
 * A Pod that has ended doesn't. A terminating Pod does only while a finalizer holds it.
 */
function usesNode(pod: KubeObject): boolean {
  if (isFinishedPod(pod)) return false;
  return (
    !isTerminating(pod) ||
    listAt(pod, "metadata", "finalizers").some((each) => each !== jobFinalizer)
  );
}

function isTerminating(pod: KubeObject): boolean {
  return textAt(pod, "metadata", "deletionTimestamp") !== undefined;
}

/** The Job controller removes this finalizer as soon as it has counted the Pod. */
const jobFinalizer = "batch.kubernetes.io/job-tracking";

/** Caches the shapes of Pods. Pods of one version are alike, so their terms are evaluated once. */
function memoizeShapes(surroundings: Surroundings): (pod: PodTemplate) => PodShape {
  const shapes = new Map<string, PodShape>();
  return (pod) => {
    const { namespace, labels, spec } = pod;
    const { affinity, topologySpreadConstraints, nodeSelector, tolerations, priority } = spec;
    const { nodeName, preemptionPolicy } = spec;
    const places = [affinity, topologySpreadConstraints, nodeSelector, tolerations, nodeName];
    const rules = [...places, priority, preemptionPolicy];
    const { containers, initContainers, volumes, overhead, resources, hostNetwork } = spec;
    const needs = [containers, initContainers, volumes, overhead, resources, hostNetwork];
    const key = JSON.stringify([namespace, labels, rules, needs.map(withoutPodSpecificFields)]);
    const found = shapes.get(key) ?? createPodShape(pod, surroundings);
    shapes.set(key, found);
    return found;
  };
}

/**
 * Drops the fields that differ between Pods of one version.
 * Each Pod has a token volume with its own name.
 */
function withoutPodSpecificFields(value: Json | undefined): Json | undefined {
  if (!Array.isArray(value)) return value;
  return value.map((each: Json) => {
    if (at(each, "projected") !== undefined) return null;
    const { resources, ports, restartPolicy, persistentVolumeClaim } = each as JsonObject;
    const claim = persistentVolumeClaim ?? ephemeralClaimKey(each);
    return { resources, ports, restartPolicy, claim } as JsonObject;
  });
}

function ephemeralClaimKey(volume: Json): Json | undefined {
  const claim = ephemeralClaimTemplate(volume);
  return claim === undefined ? undefined : [at(volume, "name") ?? "", claim];
}

function readNamespaceLabels({ namespaces }: ClusterFacts): ReadonlyMap<string, Labels> {
  return new Map(
    knownValues(namespaces).map((each) => {
      const name = textAt(each, "metadata", "name") ?? "";
      const own = labelsAt(at(each, "metadata", "labels"));
      return [name, { ...own, "kubernetes.io/metadata.name": name }];
    }),
  );
}

/** Predicts the fields that admission writes into a Pod from its PriorityClass. */
function createPriorityAdmission({
  priorityClasses,
}: ClusterFacts): (spec: JsonObject) => JsonObject {
  const classes = knownValues(priorityClasses);
  const fallback = classes.find((each) => at(each, "globalDefault") === true);
  const builtInPriorities = new Map([
    ["system-cluster-critical", 2_000_000_000],
    ["system-node-critical", 2_000_001_000],
  ]);
  return (spec) => {
    const name = textAt(spec, "priorityClassName");
    const found =
      name === undefined
        ? fallback
        : classes.find((each) => textAt(each, "metadata", "name") === name);
    const priority = numberAt(found, "value") ?? builtInPriorities.get(name ?? "") ?? 0;
    const preemptionPolicy = textAt(found, "preemptionPolicy") ?? "PreemptLowerPriority";
    return { priority, preemptionPolicy };
  };
}

export function findOwned(uid: string, objects: readonly KubeObject[]): readonly KubeObject[] {
  return uid === "" ? [] : objects.filter((object) => controllerUid(object) === uid);
}
