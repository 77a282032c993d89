import {
  at,
  isList,
  type Json,
  type JsonObject,
  listAt,
  numberAt,
  textAt,
} from "../../model/json.ts";
import { annotation, type KubeObject, label, uidOf } from "../../model/object.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";
import { type Labels, labelsAt } from "../scheduling/selectors.ts";
import { blueGreenController } from "./blue-green.ts";
import { canaryController, type RolloutVersions } from "./canary.ts";
import { type ClusterState, type LivePod, ownedBy } from "./cluster-state.ts";
import { type DaemonPod, daemonSetController } from "./daemon-set.ts";
import { deploymentController } from "./deployment.ts";
import { type Group, newGroup } from "./group.ts";
import type { Controller } from "./simulate.ts";
import { type OrdinalPod, statefulSetController } from "./stateful-set.ts";
import { isCompletedFrom, isMadeFrom } from "./template-of-set.ts";
import type { Workload } from "./workload.ts";

/** What is assumed in a trial that differs from what is there. */
export interface Assumption {
  /** Without the Pods that run of it, and without those of objects that are deleted later. */
  readonly alone?: boolean;
  /** All of its Pods that run are available. */
  readonly healthy?: boolean;
  /** With another spec. */
  readonly spec?: JsonObject;
  readonly replicas?: number;
  /** Of old Pods that are equal those leave first whose places are of use, or those whose places are not. */
  readonly luck?: "good" | "bad";
}

/** As the builders of controllers see it. */
interface OwnPod extends LivePod {
  readonly owner: string;
}

/** The controller of a workload with the Pods that run of it, as they are or as a trial assumes. */
export function buildController(
  state: ClusterState,
  workload: Workload,
  own: readonly OwnPod[],
  assumption: Assumption,
): Controller {
  const { spec = workload.spec, replicas = workload.replicas } = assumption;
  const input = { state, workload, own, assumption };
  switch (workload.kind) {
    case "Deployment": {
      const { next, others } = versionsOf(input);
      return deploymentController(spec, replicas, { next, previous: others });
    }
    case "Rollout": {
      const versions = versionsOf(input);
      if (at(spec, "strategy", "blueGreen") !== undefined) {
        return blueGreenController(spec, replicas, versions);
      }
      const reached = workload.hasSameTemplate ? stepOf(workload.live) : 0;
      return canaryController(spec, replicas, versions, reached);
    }
    case "StatefulSet":
      return statefulSetController(spec, replicas, statefulPods(input));
    case "DaemonSet":
      return daemonSetController(spec, daemonPods(input), state.nodes);
  }
}

interface Input {
  readonly state: ClusterState;
  readonly workload: Workload;
  readonly own: readonly OwnPod[];
  readonly assumption: Assumption;
}

function stepOf(live: KubeObject | undefined): number {
  return numberAt(live, "status", "currentStepIndex") ?? 0;
}

/** Stands for the hash that a controller will compute: no live Pod has it. */
const newHash = "(new)";

/** ReplicaSets as groups, the oldest first. */
function versionsOf(input: Input): RolloutVersions {
  const { state, workload } = input;
  const sets = input.assumption.alone === true ? [] : ownedBy(workload.uid, state.replicaSets);
  const current = sets.find((set) => isNext(set, workload));
  const stableHash = textAt(workload.live, "status", "stableRS");
  const groups = sets
    .toSorted((a, b) => (createdAt(a) < createdAt(b) ? -1 : 1))
    .map((set) => ({ set, group: groupOf(set, input) }));
  const found = groups.find(({ set }) => set === current)?.group;
  const next = found ?? newGroup(nextShape(input), workload.change.key);
  const rest = groups.filter(({ set }) => set !== current);
  const isStable = (set: KubeObject) => label(set, "rollouts-pod-template-hash") === stableHash;
  const stable = workload.kind === "Rollout" ? rest.find(({ set }) => isStable(set)) : undefined;
  const others = rest.filter((each) => each !== stable && !isEmpty(each.group));
  const { luck } = input.assumption;
  for (const { group } of rest) {
    group.luck = luck && { isGood: luck === "good", shape: next.shape };
  }
  return { next, stable: stable?.group, others: others.map(({ group }) => group) };
}

function isEmpty({ desired, pods }: Group): boolean {
  return desired === 0 && pods.length === 0;
}

function isNext(set: KubeObject, { kind, live, spec, hasSameTemplate }: Workload): boolean {
  if (kind === "Deployment") return isMadeFrom(set, spec.template);
  // Going back is a rollout to Pods that there may still be.
  if (!hasSameTemplate) return isCompletedFrom(set, spec.template);
  return label(set, "rollouts-pod-template-hash") === textAt(live, "status", "currentPodHash");
}

function createdAt(object: KubeObject): string {
  return textAt(object, "metadata", "creationTimestamp") ?? "";
}

function groupOf(set: KubeObject, { state, workload, own, assumption }: Input): Group {
  const uid = uidOf(set);
  const mine = own.filter(({ controller }) => controller === uid);
  const template = at(set, "spec", "template");
  const shape = mine[0]?.shape ?? shapeFrom(template, {}, { state, workload });
  const pods = mine.map((pod) => ({
    ...{ shape: pod.shape, owner: pod.owner, node: pod.node },
    isBroken: isBroken(pod, assumption) && !isNext(set, workload),
    cost: deletionCost(pod),
  }));
  return {
    shape,
    owner: workload.change.key,
    desired: numberAt(set, "spec", "replicas") ?? 0,
    pods,
    scaledFor: scaledFor(set),
  };
}

function deletionCost({ object }: LivePod): number {
  const cost = Number(annotation(object, "controller.kubernetes.io/pod-deletion-cost"));
  return Number.isInteger(cost) ? cost : 0;
}

function scaledFor(set: KubeObject): Group["scaledFor"] {
  const [replicas, most] = ["desired", "max"].map((name) =>
    annotation(set, `deployment.kubernetes.io/${name}-replicas`),
  );
  if (replicas === undefined || most === undefined) return undefined;
  return { replicas: Number(replicas), most: Number(most) };
}

function isBroken({ object, node }: LivePod, { healthy = false }: Assumption): boolean {
  if (healthy || node === undefined) return false;
  return !listAt(object, "status", "conditions").some(
    (each) => textAt(each, "type") === "Ready" && textAt(each, "status") === "True",
  );
}

/** Of the Pods to come. Argo Rollouts adds a term that no manifest shows. */
function nextShape(input: Input): PodShape {
  const { workload, assumption, state } = input;
  const { spec = workload.spec } = assumption;
  const isRollout = workload.kind === "Rollout";
  const hash = isRollout ? "rollouts-pod-template-hash" : "pod-template-hash";
  const template = (at(spec, "template") ?? null) as Json;
  const added = isRollout ? injectedTerm(workload) : undefined;
  const sample = state.samples.get(workload.change.key);
  if (sample !== undefined) return shapeFrom(sample, {}, input, added);
  return shapeFrom(template, { [hash]: newHash }, input, added);
}

function shapeFrom(
  template: Json | undefined,
  labels: Labels,
  { state, workload }: Pick<Input, "state" | "workload">,
  added?: JsonObject,
): PodShape {
  const spec = (at(template, "spec") ?? {}) as JsonObject;
  return state.shape({
    namespace: workload.change.id.namespace,
    labels: { ...labelsAt(at(template, "metadata", "labels")), ...labels },
    spec: added === undefined ? spec : withTerm(spec, added),
  });
}

function injectedTerm({ live, spec, change }: Workload): JsonObject | undefined {
  const strategy = at(spec, "strategy", "canary") ?? at(spec, "strategy", "blueGreen");
  const required = at(strategy, "antiAffinity", "requiredDuringSchedulingIgnoredDuringExecution");
  const stable = textAt(live, "status", "stableRS");
  if (required === undefined || stable === undefined || stable === "") return undefined;
  const key = "rollouts-pod-template-hash";
  return {
    labelSelector: { matchExpressions: [{ key, operator: "In", values: [stable] }] },
    namespaces: [change.id.namespace],
    topologyKey: "kubernetes.io/hostname",
  };
}

function withTerm(spec: JsonObject, term: JsonObject): JsonObject {
  const affinity = (at(spec, "affinity") ?? {}) as JsonObject;
  const anti = (at(affinity, "podAntiAffinity") ?? {}) as JsonObject;
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const podAntiAffinity = { ...anti, [required]: [...listAt(anti, required), term] };
  return { ...spec, affinity: { ...affinity, podAntiAffinity } };
}

function statefulPods(input: Input) {
  const { workload, own, assumption, state } = input;
  const { live, uid, hasSameTemplate, change, spec } = workload;
  const revision = textAt(live, "status", "updateRevision");
  const name = change.id.name;
  const pods = own
    .filter(({ controller }) => controller === uid && uid !== "")
    .map((pod): OrdinalPod => {
      const isNew = hasSameTemplate && label(pod.object, revisionLabel) === revision;
      const text = textAt(pod.object, "metadata", "name") ?? "";
      return {
        ...{ shape: pod.shape, owner: pod.owner, node: pod.node },
        ordinal: Number(text.slice(text.lastIndexOf("-") + 1)),
        isNew,
        isBroken: isBroken(pod, assumption) && !isNew,
      };
    });
  // Defaults of the namespace are in Pods, not in templates.
  const sample = state.samples.get(change.key);
  const next = sample ?? at(assumption.spec ?? spec, "template");
  const newRevision = hasSameTemplate ? revision : hashIn(sample);
  const templates = { next, before: at(live ?? null, "spec", "template") };
  const shapeOf = (ordinal: number, isNew: boolean) =>
    shapeFrom(
      withOwnClaims(isNew ? templates.next : templates.before, `${name}-${ordinal}`, spec),
      {
        [revisionLabel]: (isNew ? newRevision : revision) ?? newHash,
        "statefulset.kubernetes.io/pod-name": `${name}-${ordinal}`,
        "apps.kubernetes.io/pod-index": String(ordinal),
      },
      { state, workload },
    );
  return { live: pods, owner: change.key, shapeOf };
}

/** Each ordinal finds the volumes again that it had, wherever they are. */
function withOwnClaims(
  template: Json | undefined,
  pod: string,
  { volumeClaimTemplates }: JsonObject,
) {
  const spec = (at(template, "spec") ?? {}) as JsonObject;
  const names = (isList(volumeClaimTemplates) ? volumeClaimTemplates : []).flatMap(
    (claim) => textAt(claim, "metadata", "name") ?? [],
  );
  const others = listAt(spec, "volumes").filter(
    (volume) => !names.includes(textAt(volume, "name") ?? ""),
  );
  const own = names.map((name) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${pod}` },
  }));
  const metadata = at(template, "metadata") ?? {};
  return { metadata, spec: { ...spec, volumes: [...others, ...own] } };
}

const revisionLabel = "controller-revision-hash";

/** The server has written the labels of a Pod that it was asked about into its terms, so the next Pods are given the same ones. */
function hashIn(pod: KubeObject | undefined): string | undefined {
  return pod === undefined ? undefined : label(pod, revisionLabel);
}

const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";

function daemonPods(input: Input) {
  const { workload, own, assumption, state } = input;
  const { live, uid, hasSameTemplate, change, spec } = workload;
  const generation = live === undefined ? undefined : annotation(live, generationAnnotation);
  const pods = own
    .filter(({ controller }) => controller === uid && uid !== "")
    .map((pod): DaemonPod => {
      const isNew = hasSameTemplate && label(pod.object, generationLabel) === generation;
      return {
        ...{ shape: pod.shape, owner: pod.owner, node: pod.node, isNew },
        target: pod.node?.name ?? targetOf(pod.object),
        isBroken: isBroken(pod, assumption) && !isNew,
      };
    });
  const sample = state.samples.get(change.key);
  const running = own.find(({ object }) => label(object, generationLabel) === generation);
  const [revision, next] = hasSameTemplate
    ? [hashIn(running?.object), generation]
    : [hashIn(sample), sample && label(sample, generationLabel)];
  const shape = shapeFrom(
    sample ?? at(assumption.spec ?? spec, "template"),
    { [revisionLabel]: revision ?? newHash, [generationLabel]: next ?? newHash },
    { state, workload },
  );
  return { live: pods, owner: change.key, shape };
}

/** The node that a waiting Pod of a DaemonSet is for. */
function targetOf(pod: KubeObject): string {
  const terms = listAt(
    pod,
    ...["spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"],
    "nodeSelectorTerms",
  );
  const [field] = terms.flatMap((term) => listAt(term, "matchFields"));
  const [name] = listAt(field, "values");
  return typeof name === "string" ? name : "";
}
