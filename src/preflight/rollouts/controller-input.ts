import { at, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";
import { type KubeObject, label } from "../../model/object.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";
import { type Labels, labelsAt } from "../scheduling/selectors.ts";
import type { ClusterSnapshot, LivePod } from "./cluster-snapshot.ts";
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

export const revisionLabel = "controller-revision-hash";

/**
 * Returns the revision hash in the labels of a Pod.
 * The API server copies a sample Pod's labels into its terms, so the simulated Pods need the same
 * labels.
 */
export function revisionHash(pod: KubeObject | undefined): string | undefined {
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
