import { at, isList, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";
import { annotation, type KubeObject, label } from "../../model/object.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";
import { type Labels, labelsAt } from "../scheduling/selectors.ts";
import type { ClusterSnapshot, LivePod } from "./cluster-snapshot.ts";
import type { DaemonPod } from "./daemon-set-controller.ts";
import type { OrdinalPod } from "./stateful-set-controller.ts";
import type { Workload } from "./workload.ts";

/** A difference between a trial and the live cluster. */
export interface Assumption {
  /** Ignores the live Pods of the workload and those of objects that are deleted later. */
  readonly alone?: boolean;
  /** Treats all live Pods of the workload as available. */
  readonly healthy?: boolean;
  /** Replaces the spec. */
  readonly spec?: JsonObject;
  readonly replicas?: number;
  /**
   * Decides which of several equal old Pods are removed first.
   * With "good", new Pods fit in their places. With "bad", they don't.
   */
  readonly luck?: "good" | "bad";
}

/** A live Pod as the simulated controllers see it. */
export interface OwnPod extends LivePod {
  readonly owner: string;
}

/** The input from which the Pods of a controller are created. */
export interface ControllerInput {
  readonly state: ClusterSnapshot;
  readonly workload: Workload;
  readonly own: readonly OwnPod[];
  readonly assumption: Assumption;
}

/** A placeholder for the hash that a controller will compute. No live Pod has this hash. */
export const newHash = "(new)";

const revisionLabel = "controller-revision-hash";

/**
 * Returns the revision hash in the labels of a Pod.
 * The API server copies a sample Pod's labels into its terms, so the simulated Pods need the same
 * labels.
 */
function revisionHash(pod: KubeObject | undefined): string | undefined {
  return pod === undefined ? undefined : label(pod, revisionLabel);
}

export function isUnready({ object, node }: LivePod, { healthy = false }: Assumption): boolean {
  if (healthy || node === undefined) return false;
  return !listAt(object, "status", "conditions").some(
    (each) => textAt(each, "type") === "Ready" && textAt(each, "status") === "True",
  );
}

export function createShape(
  template: Json | undefined,
  labels: Labels,
  { state, workload }: Pick<ControllerInput, "state" | "workload">,
  added?: JsonObject,
): PodShape {
  const spec = (at(template, "spec") ?? {}) as JsonObject;
  return state.shape({
    namespace: workload.change.id.namespace,
    labels: { ...labelsAt(at(template, "metadata", "labels")), ...labels },
    spec: added === undefined ? spec : withAntiAffinity(spec, added),
  });
}

function withAntiAffinity(spec: JsonObject, term: JsonObject): JsonObject {
  const affinity = (at(spec, "affinity") ?? {}) as JsonObject;
  const anti = (at(affinity, "podAntiAffinity") ?? {}) as JsonObject;
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const podAntiAffinity = { ...anti, [required]: [...listAt(anti, required), term] };
  return { ...spec, affinity: { ...affinity, podAntiAffinity } };
}

const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";

export function daemonPods(input: ControllerInput) {
  const { workload, own, assumption, state } = input;
  const { live, uid, hasSameTemplate, change, spec } = workload;
  const generation = live === undefined ? undefined : annotation(live, generationAnnotation);
  const pods = own
    .filter(({ controller }) => controller === uid && uid !== "")
    .map((pod): DaemonPod => {
      const isNew = hasSameTemplate && label(pod.object, generationLabel) === generation;
      return {
        ...{ shape: pod.shape, owner: pod.owner, node: pod.node, isNew },
        target: pod.node?.name ?? targetNode(pod.object),
        isBroken: isUnready(pod, assumption) && !isNew,
      };
    });
  const sample = state.samples.get(change.key);
  const running = own.find(({ object }) => label(object, generationLabel) === generation);
  const [revision, next] = hasSameTemplate
    ? [revisionHash(running?.object), generation]
    : [revisionHash(sample), sample && label(sample, generationLabel)];
  const shape = createShape(
    sample ?? at(assumption.spec ?? spec, "template"),
    { [revisionLabel]: revision ?? newHash, [generationLabel]: next ?? newHash },
    { state, workload },
  );
  return { live: pods, owner: change.key, shape };
}

/** Returns the node that a waiting Pod of a DaemonSet belongs to. */
function targetNode(pod: KubeObject): string {
  const terms = listAt(
    pod,
    ...["spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"],
    "nodeSelectorTerms",
  );
  const [field] = terms.flatMap((term) => listAt(term, "matchFields"));
  const [name] = listAt(field, "values");
  return typeof name === "string" ? name : "";
}

export function statefulPods(input: ControllerInput) {
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
        isBroken: isUnready(pod, assumption) && !isNew,
      };
    });
  // The namespace's defaults are in Pods, but not in templates.
  const sample = state.samples.get(change.key);
  const next = sample ?? at(assumption.spec ?? spec, "template");
  const newRevision = hasSameTemplate ? revision : revisionHash(sample);
  const templates = { next, before: at(live ?? null, "spec", "template") };
  const shapeOf = (ordinal: number, isNew: boolean) => {
    // All Pods have the first revision, including those below the partition.
    const isOfNext = isNew || live === undefined;
    return createShape(
      withOwnClaims(isOfNext ? templates.next : templates.before, `${name}-${ordinal}`, spec),
      {
        [revisionLabel]: (isOfNext ? newRevision : revision) ?? newHash,
        "statefulset.kubernetes.io/pod-name": `${name}-${ordinal}`,
        "apps.kubernetes.io/pod-index": String(ordinal),
      },
      { state, workload },
    );
  };
  return { live: pods, owner: change.key, shapeOf };
}

/**
 * Adds the volumes of the claim templates.
 * Each ordinal keeps its existing volumes, wherever they are.
 */
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
