import { controllerUid } from "../../model/cluster/owned-objects.ts";
import { ephemeralClaimTemplate } from "../../model/cluster/persistent-volume-claims.ts";
import { isFinishedPod } from "../../model/cluster/pods.ts";
import { at, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { withCountedRequests } from "../scheduling/pod-requests.ts";
import { createPodShape, type PodShape, type Surroundings } from "../scheduling/pod-shape.ts";
import { type Labels, labelsAt } from "../scheduling/selectors.ts";

export interface PodTemplate {
  readonly namespace: string;
  readonly labels: Labels;
  readonly spec: JsonObject;
}

/** The facts about a live Pod that follow from the Pod alone. */
export interface PodFacts {
  readonly object: KubeObject;
  /** The uid of the object that created the Pod; undefined if no controller counts the Pod. */
  readonly controller: string | undefined;
  readonly nodeName: string | undefined;
  readonly template: PodTemplate;
  /** Equal for Pods of the same shape. */
  readonly shapeKey: string;
  /** The shape; undefined if it depends on other objects, such as claims. */
  readonly shape: PodShape | undefined;
}

/**
 * The facts by Pod. The previews of a run share the Pods of a cluster, which can be thousands, and
 * each preview needs the facts about all of them.
 */
const known = new WeakMap<KubeObject, PodFacts | "uses no node">();

/** Returns the facts about the Pods that use nodes or wait for one. */
export function livePodFacts(pods: readonly KubeObject[]): readonly PodFacts[] {
  return pods.flatMap((pod) => {
    const facts = known.get(pod) ?? readPod(pod);
    known.set(pod, facts);
    return facts === "uses no node" ? [] : [facts];
  });
}

function readPod(object: KubeObject): PodFacts | "uses no node" {
  if (!usesNode(object)) return "uses no node";
  const { nodeName, ...unplaced } = withCountedRequests(object);
  const template = {
    namespace: textAt(object, "metadata", "namespace") ?? "",
    labels: labelsAt(at(object, "metadata", "labels")),
    spec: { ...unplaced, volumes: podVolumes(object) },
  };
  return {
    object,
    // Controllers don't count a terminating Pod, but it uses its node until it ends.
    controller: isTerminating(object) ? undefined : controllerUid(object),
    nodeName: typeof nodeName === "string" ? nodeName : undefined,
    template,
    shapeKey: shapeKey(template),
    shape: dependsOnOthers(template.spec) ? undefined : createPodShape(template, noSurroundings),
  };
}

const noSurroundings: Surroundings = {
  namespaces: new Map(),
  claims: new Map(),
  ephemeralClaim: () => {
    throw new Error("a Pod without claims has no ephemeral claim");
  },
};

/** Reports whether the shape depends on claims, or on the Pods and namespaces around it. */
function dependsOnOthers({ affinity, topologySpreadConstraints, volumes }: JsonObject): boolean {
  return (
    at(affinity, "podAffinity") !== undefined ||
    at(affinity, "podAntiAffinity") !== undefined ||
    topologySpreadConstraints !== undefined ||
    listAt({ volumes: volumes ?? [] }, "volumes").some(
      (volume) => at(volume, "persistentVolumeClaim") !== undefined,
    )
  );
}

/**
 * Returns the volumes of a Pod.
 * The ephemeral claims of a live Pod have names, so they are treated like other claims.
 */
function podVolumes(pod: KubeObject): readonly Json[] {
  return listAt(pod, "spec", "volumes").map((volume) => {
    if (ephemeralClaimTemplate(volume) === undefined) return volume;
    const name = textAt(volume, "name") ?? "";
    const podName = textAt(pod, "metadata", "name") ?? "";
    return { name, persistentVolumeClaim: { claimName: `${podName}-${name}` } };
  });
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

/**
 * Returns a text that is equal for Pods of the same shape. Pods of one version are alike, so their
 * terms are evaluated once.
 */
export function shapeKey({ namespace, labels, spec }: PodTemplate): string {
  const { affinity, topologySpreadConstraints, nodeSelector, tolerations, priority } = spec;
  const { nodeName, preemptionPolicy } = spec;
  const places = [affinity, topologySpreadConstraints, nodeSelector, tolerations, nodeName];
  const rules = [...places, priority, preemptionPolicy];
  const { containers, initContainers, volumes, overhead, resources, hostNetwork } = spec;
  const needs = [containers, initContainers, volumes, overhead, resources, hostNetwork];
  return JSON.stringify([namespace, labels, rules, needs.map(withoutPodSpecificFields)]);
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
