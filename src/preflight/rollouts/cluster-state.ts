import { at, type Json, type JsonObject, listAt, numberAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import { type ClusterFacts, type Fact, knownOf } from "../facts.ts";
import { asPlanned } from "../planned-pods.ts";
import { type SchedulingNode, schedulingNode } from "../scheduling/node.ts";
import {
  type ClaimRule,
  type PodShape,
  type Surroundings,
  shapeOf,
} from "../scheduling/pod-shape.ts";
import { type Labels, labelsAt } from "../scheduling/selectors.ts";

/** What a simulation starts from. */
export interface ClusterState {
  readonly nodes: readonly SchedulingNode[];
  readonly pods: readonly LivePod[];
  readonly replicaSets: readonly KubeObject[];
  /** A Pod of a changed template as the server would store it, by the key of its change. */
  readonly samples: ReadonlyMap<string, KubeObject>;
  /** The shape of Pods that a template makes. */
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
  /** uid of the object that made it: a ReplicaSet, say. */
  readonly controller: string | undefined;
  /** undefined while it waits for a place. */
  readonly node: SchedulingNode | undefined;
}

/** What of these kinds the plan writes counts as it will be: what rolls out is begun after what it needs. */
export function withPlanned(facts: ClusterFacts, plan: Plan): ClusterFacts {
  const planned = (fact: Fact<readonly KubeObject[]>, kind: string) =>
    fact.known ? { ...fact, value: plannedOver(fact.value, plan, kind) } : fact;
  return {
    ...facts,
    namespaces: planned(facts.namespaces, "Namespace"),
    priorityClasses: planned(facts.priorityClasses, "PriorityClass"),
    claims: planned(facts.claims, "PersistentVolumeClaim"),
    volumes: planned(facts.volumes, "PersistentVolume"),
  };
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

export function clusterState(facts: ClusterFacts): ClusterState {
  const nodes = knownOf(facts.nodes).map(schedulingNode);
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const around = { namespaces: namespacesOf(facts), claims: claimsOf(facts) };
  const shape = rememberedShapes(around);
  const pods = knownOf(facts.pods)
    .filter(isRunning)
    .flatMap((object): readonly LivePod[] => {
      const spec = (at(object, "spec") ?? {}) as JsonObject;
      const name = textAt(spec, "nodeName");
      const node = name === undefined ? undefined : byName.get(name);
      // One on a node that is gone takes nothing from the others.
      if (name !== undefined && node === undefined) return [];
      const { nodeName: _, ...unplaced } = spec;
      const template = {
        namespace: textAt(object, "metadata", "namespace") ?? "",
        labels: labelsAt(at(object, "metadata", "labels")),
        spec: unplaced,
      };
      return [{ object, shape: shape(template), controller: controllerOf(object), node }];
    });
  const priority = priorityOf(facts);
  return {
    nodes,
    pods,
    replicaSets: knownOf(facts.replicaSets),
    samples: new Map(
      [...facts.samplePods].flatMap(([key, answer]) => (answer.ok ? [[key, answer.value]] : [])),
    ),
    shape: (template) =>
      shape({ ...template, spec: { ...priority(template.spec), ...template.spec } }),
  };
}

/** uid of the controller among the owners. */
export function controllerOf(object: KubeObject): string | undefined {
  const owner = listAt(object, "metadata", "ownerReferences").find(
    (each) => at(each, "controller") === true,
  );
  return textAt(owner, "uid");
}

/** What has ended, or is about to, leaves its place. */
function isRunning(pod: KubeObject): boolean {
  if (textAt(pod, "metadata", "deletionTimestamp") !== undefined) return false;
  return !["Succeeded", "Failed"].includes(textAt(pod, "status", "phase") ?? "");
}

/** Pods of one version are alike: their terms are asked about once. */
function rememberedShapes(around: Surroundings): (pod: PodTemplate) => PodShape {
  const shapes = new Map<string, PodShape>();
  return (pod) => {
    const { namespace, labels, spec } = pod;
    const { affinity, topologySpreadConstraints, nodeSelector, tolerations, priority } = spec;
    const rules = [affinity, topologySpreadConstraints, nodeSelector, tolerations, priority];
    const { containers, initContainers, volumes, overhead, resources, hostNetwork } = spec;
    const needs = [containers, initContainers, volumes, overhead, resources, hostNetwork];
    const key = JSON.stringify([namespace, labels, rules, needs.map(withoutMounts)]);
    const found = shapes.get(key) ?? shapeOf(pod, around);
    shapes.set(key, found);
    return found;
  };
}

/** Every Pod has a volume of its own name for its token. */
function withoutMounts(value: Json | undefined): Json | undefined {
  if (!Array.isArray(value)) return value;
  return value.map((each: Json) => {
    if (at(each, "projected") !== undefined) return null;
    const { resources, ports, restartPolicy, persistentVolumeClaim } = each as JsonObject;
    return { resources, ports, restartPolicy, persistentVolumeClaim } as JsonObject;
  });
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

function claimsOf({ claims, volumes }: ClusterFacts): ReadonlyMap<string, ClaimRule> {
  const byName = new Map(
    knownOf(volumes).map((volume) => [textAt(volume, "metadata", "name"), volume]),
  );
  return new Map(
    knownOf(claims).map((claim) => {
      const key = `${textAt(claim, "metadata", "namespace")}/${textAt(claim, "metadata", "name")}`;
      const volume = byName.get(textAt(claim, "spec", "volumeName"));
      const exclusive = listAt(claim, "spec", "accessModes").includes("ReadWriteOncePod");
      return [key, { exclusive, nodeTerms: volume === undefined ? [] : nodeTermsOf(volume) }];
    }),
  );
}

/** Where a volume can be used: as it says itself, and as its labels say on clouds, where `__` is between several zones. */
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

/** A node without any of these labels is taken to be in all zones. */
const nowhere = {
  matchExpressions: topologyLabels.map((key) => ({ key, operator: "DoesNotExist" })),
};

/** What admission would write into a Pod from its PriorityClass. */
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
