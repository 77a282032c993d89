import type { ServerVersion } from "../../model/cluster/api/server-version.ts";
import { controllerUid } from "../../model/cluster/owned-objects.ts";
import { at, type JsonObject, numberAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { type ClusterFact, type ClusterFacts, knownValues } from "../cluster-facts.ts";
import { asPlanned, keepsTemplate } from "../planned-pods.ts";
import { createPodShape, type PodShape, type Surroundings } from "../scheduling/pod-shape.ts";
import { type SchedulingNode, schedulingNode } from "../scheduling/scheduling-node.ts";
import { type Labels, labelsAt } from "../scheduling/selectors.ts";
import { claimRules, ephemeralClaims, pendingClaims } from "./claim-rules.ts";
import { livePodFacts, type PodFacts, type PodTemplate, shapeKey } from "./live-pods.ts";
import { admittedSamples, plannedAdmission } from "./planned-admission.ts";

/** The initial state of a simulation. */
export interface ClusterSnapshot {
  /** The version of the cluster; undefined if it can't be read. */
  readonly server?: ServerVersion | undefined;
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
  if (planned.length === 0) return live;
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
  const shapes = createShapes(surroundings);
  const pods = livePodFacts(knownValues(facts.pods)).flatMap((pod): readonly LivePod[] => {
    const { object, controller, nodeName } = pod;
    const node = nodeName === undefined ? undefined : byName.get(nodeName);
    // A Pod on a deleted node uses no resources of the other nodes.
    if (nodeName !== undefined && node === undefined) return [];
    return [{ object, shape: shapes.ofPod(pod), controller, node }];
  });
  const priority = createPriorityAdmission(facts);
  const admit = plannedAdmission(plan, facts);
  const oldRevisionKeys = findOldRevisionKeys(plan);
  const answers = [...facts.samplePods].flatMap(
    ([key, answer]): readonly (readonly [string, KubeObject])[] =>
      answer.ok && !oldRevisionKeys.has(key) ? [[key, answer.value]] : [],
  );
  return {
    server: facts.server,
    nodes,
    pods,
    replicaSets: knownValues(facts.replicaSets),
    samples: admittedSamples(new Map(answers), plan, admit),
    shape: ({ spec, ...template }) => {
      const admitted = admit({ spec, declared: spec, namespace: template.namespace });
      return shapes.ofTemplate({ ...template, spec: { ...priority(spec), ...admitted } });
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

function objectName(object: KubeObject): string {
  return textAt(object, "metadata", "name") ?? "";
}

interface Shapes {
  ofTemplate(pod: PodTemplate): PodShape;
  ofPod(pod: PodFacts): PodShape;
}

/** Caches the shapes of Pods, so that equal Pods share one. */
function createShapes(surroundings: Surroundings): Shapes {
  const shapes = new Map<string, PodShape>();
  const remember = (key: string, make: () => PodShape): PodShape => {
    const found = shapes.get(key) ?? make();
    shapes.set(key, found);
    return found;
  };
  return {
    ofTemplate: (pod) => remember(shapeKey(pod), () => createPodShape(pod, surroundings)),
    ofPod: ({ template, shapeKey: key, shape }) =>
      remember(key, () => shape ?? createPodShape(template, surroundings)),
  };
}

/** The labels by list of Namespaces, which the previews of a run share. */
const knownLabels = new WeakMap<readonly KubeObject[], ReadonlyMap<string, Labels>>();

function readNamespaceLabels({ namespaces }: ClusterFacts): ReadonlyMap<string, Labels> {
  const list = knownValues(namespaces);
  const labels = knownLabels.get(list) ?? new Map(list.map(namespaceLabels));
  knownLabels.set(list, labels);
  return labels;
}

function namespaceLabels(namespace: KubeObject): readonly [string, Labels] {
  const name = objectName(namespace);
  const own = labelsAt(at(namespace, "metadata", "labels"));
  return [name, { ...own, "kubernetes.io/metadata.name": name }];
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
