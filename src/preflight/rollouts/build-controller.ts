import {
  at,
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  numberAt,
  sameJson,
  textAt,
} from "../../model/json.ts";
import { annotation, creationTime, type KubeObject, label, uidOf } from "../../model/object.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";
import { blueGreenController } from "./blue-green-controller.ts";
import { canaryController, type RolloutVersions } from "./canary-controller.ts";
import { type ClusterSnapshot, findOwned, type LivePod } from "./cluster-snapshot.ts";
import {
  type Assumption,
  type ControllerInput,
  createShape,
  daemonPods,
  isUnready,
  newHash,
  type OwnPod,
  statefulPods,
} from "./controller-input.ts";
import { daemonSetController } from "./daemon-set-controller.ts";
import { deploymentController } from "./deployment-controller.ts";
import { newGroup, type PodGroup } from "./pod-group.ts";
import type { SimulatedController } from "./simulation.ts";
import { statefulSetController } from "./stateful-set-controller.ts";
import type { Workload } from "./workload.ts";

/**
 * Creates the simulated controller of a workload, with its live Pods or with those of an
 * assumption.
 */
export function buildController(
  state: ClusterSnapshot,
  workload: Workload,
  own: readonly OwnPod[],
  assumption: Assumption,
): SimulatedController {
  const { spec = workload.spec, replicas = workload.replicas } = assumption;
  const input = { state, workload, own, assumption };
  switch (workload.kind) {
    case "Deployment": {
      const { next, others } = toVersions(input);
      return deploymentController(spec, replicas, { next, previous: others });
    }
    case "Rollout": {
      const versions = toVersions(input);
      if (at(spec, "strategy", "blueGreen") !== undefined) {
        return blueGreenController(spec, replicas, versions);
      }
      const reached = workload.hasSameTemplate ? currentStep(workload.live) : 0;
      return canaryController(spec, replicas, versions, reached);
    }
    case "StatefulSet":
      return statefulSetController(spec, replicas, {
        ...statefulPods(input),
        server: state.server,
      });
    case "DaemonSet":
      return daemonSetController(spec, daemonPods(input), state.nodes);
  }
}

function currentStep(live: KubeObject | undefined): number {
  return numberAt(live, "status", "currentStepIndex") ?? 0;
}

/** Converts the ReplicaSets of a workload into groups, oldest first. */
function toVersions(input: ControllerInput): RolloutVersions {
  const { state, workload } = input;
  const sets = input.assumption.alone === true ? [] : findOwned(workload.uid, state.replicaSets);
  const current = sets.find((set) => isNextVersion(set, workload));
  const stableHash = textAt(workload.live, "status", "stableRS");
  const groups = sets
    .toSorted((a, b) => (creationTime(a) < creationTime(b) ? -1 : 1))
    .map((set) => ({ set, group: toPodGroup(set, input) }));
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

function isEmpty({ desired, pods }: PodGroup): boolean {
  return desired === 0 && pods.length === 0;
}

function isNextVersion(set: KubeObject, { kind, live, spec, hasSameTemplate }: Workload): boolean {
  if (kind === "Deployment") return hasTemplate(set, spec.template);
  // A return to an earlier template can reuse a ReplicaSet that still has Pods.
  if (!hasSameTemplate) return hasDefaultedTemplate(set, spec.template);
  return label(set, "rollouts-pod-template-hash") === textAt(live, "status", "currentPodHash");
}

function toPodGroup(
  set: KubeObject,
  { state, workload, own, assumption }: ControllerInput,
): PodGroup {
  const uid = uidOf(set);
  const mine = own.filter(({ controller }) => controller === uid);
  const template = at(set, "spec", "template");
  const shape = mine[0]?.shape ?? createShape(template, {}, { state, workload });
  const pods = mine.map((pod) => ({
    ...{ shape: pod.shape, owner: pod.owner, node: pod.node },
    isBroken: isUnready(pod, assumption) && !isNextVersion(set, workload),
    cost: deletionCost(pod),
  }));
  return {
    shape,
    owner: workload.change.key,
    desired: numberAt(set, "spec", "replicas") ?? 0,
    pods,
    scaledSize: readScaledSize(set),
  };
}

function deletionCost({ object }: LivePod): number {
  const cost = Number(annotation(object, "controller.kubernetes.io/pod-deletion-cost"));
  return Number.isInteger(cost) ? cost : 0;
}

function readScaledSize(set: KubeObject): PodGroup["scaledSize"] {
  const [replicas, most] = ["desired", "max"].map((name) =>
    annotation(set, `deployment.kubernetes.io/${name}-replicas`),
  );
  if (replicas === undefined || most === undefined) return undefined;
  return { replicas: Number(replicas), most: Number(most) };
}

/**
 * Returns the shape of the new Pods.
 * Argo Rollouts adds an anti-affinity term that isn't in the manifest.
 */
function nextShape(input: ControllerInput): PodShape {
  const { workload, assumption, state } = input;
  const { spec = workload.spec } = assumption;
  const isRollout = workload.kind === "Rollout";
  const hash = isRollout ? "rollouts-pod-template-hash" : "pod-template-hash";
  const template = (at(spec, "template") ?? null) as Json;
  const added = isRollout ? injectedTerm(workload) : undefined;
  const sample = state.samples.get(workload.change.key);
  if (sample !== undefined) return createShape(sample, {}, input, added);
  return createShape(template, { [hash]: newHash }, input, added);
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

/** Labels that controllers write into the templates of their ReplicaSets. */
const hashLabels = ["pod-template-hash", "rollouts-pod-template-hash"];

/**
 * Reports whether a ReplicaSet creates Pods of this template.
 * The template must contain the API server's defaults.
 */
function hasTemplate(replicaSet: KubeObject, template: Json | undefined): boolean {
  return sameJson(withoutHash(at(replicaSet, "spec", "template")), withoutHash(template));
}

/**
 * Reports whether a ReplicaSet creates Pods of a template without defaults, as in a custom
 * resource.
 * The ReplicaSet's template has the API server's defaults in addition.
 */
function hasDefaultedTemplate(replicaSet: KubeObject, template: Json | undefined): boolean {
  return equalsExceptDefaults(
    withoutHash(template),
    withoutHash(at(replicaSet, "spec", "template")),
  );
}

function withoutHash(template: Json | undefined): JsonObject {
  const given = isObject(template) ? template : {};
  const metadata = (at(given, "metadata") ?? {}) as JsonObject;
  const { creationTimestamp: _, labels = {}, ...rest } = metadata;
  const own = Object.entries(labels ?? {}).filter(([name]) => !hashLabels.includes(name));
  return { ...given, metadata: { ...rest, labels: Object.fromEntries(own) } };
}

function equalsExceptDefaults(declared: Json, stored: Json): boolean {
  if (isObject(declared) && isObject(stored)) {
    return (
      Object.entries(declared).every(([name, value]) =>
        equalsExceptDefaults(value, fieldOf(stored, name) ?? null),
      ) &&
      Object.entries(stored).every(
        ([name, value]) => Object.hasOwn(declared, name) || isDefault(name, value, stored),
      )
    );
  }
  if (!isList(declared) || !isList(stored)) return sameJson(declared, stored);
  return (
    declared.length === stored.length &&
    declared.every((item, index) => equalsExceptDefaults(item, stored[index] ?? null))
  );
}

/**
 * Defaults that the API server writes into a template
 * (k8s.io/kubernetes/pkg/apis/core/v1/defaults.go).
 */
const defaults: Readonly<Record<string, readonly Json[]>> = {
  restartPolicy: ["Always"],
  dnsPolicy: ["ClusterFirst"],
  schedulerName: ["default-scheduler"],
  securityContext: [{}],
  terminationGracePeriodSeconds: [30],
  terminationMessagePath: ["/dev/termination-log"],
  terminationMessagePolicy: ["File"],
  imagePullPolicy: ["Always", "IfNotPresent"],
  resources: [{}],
  protocol: ["TCP"],
  timeoutSeconds: [1],
  periodSeconds: [10],
  successThreshold: [1],
  failureThreshold: [3],
  scheme: ["HTTP"],
  path: ["/"],
  apiVersion: ["v1"],
  defaultMode: [420],
  expirationSeconds: [3600],
  emptyDir: [{}],
  type: [""],
};

function isDefault(name: string, value: Json, stored: JsonObject): boolean {
  // These fields get the value of another field.
  if (name === "serviceAccount") return value === stored.serviceAccountName;
  if (name === "hostPort") return value === stored.containerPort;
  return (fieldOf(defaults, name) ?? []).some((each) => sameJson(each, value));
}
