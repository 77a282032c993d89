import { at, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";
import { type KubeObject, label } from "../../model/object.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";
import { type Labels, labelsAt } from "../scheduling/selectors.ts";
import type { ClusterState, LivePod } from "./cluster-state.ts";
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
export interface OwnPod extends LivePod {
  readonly owner: string;
}

/** What the Pods of a controller are made from. */
export interface Making {
  readonly state: ClusterState;
  readonly workload: Workload;
  readonly own: readonly OwnPod[];
  readonly assumption: Assumption;
}

/** Stands for the hash that a controller will compute: no live Pod has it. */
export const newHash = "(new)";

export const revisionLabel = "controller-revision-hash";

/** The server has written the labels of a Pod that it was asked about into its terms, so the next Pods are given the same ones. */
export function hashIn(pod: KubeObject | undefined): string | undefined {
  return pod === undefined ? undefined : label(pod, revisionLabel);
}

export function isBroken({ object, node }: LivePod, { healthy = false }: Assumption): boolean {
  if (healthy || node === undefined) return false;
  return !listAt(object, "status", "conditions").some(
    (each) => textAt(each, "type") === "Ready" && textAt(each, "status") === "True",
  );
}

export function shapeFrom(
  template: Json | undefined,
  labels: Labels,
  { state, workload }: Pick<Making, "state" | "workload">,
  added?: JsonObject,
): PodShape {
  const spec = (at(template, "spec") ?? {}) as JsonObject;
  return state.shape({
    namespace: workload.change.id.namespace,
    labels: { ...labelsAt(at(template, "metadata", "labels")), ...labels },
    spec: added === undefined ? spec : withTerm(spec, added),
  });
}

function withTerm(spec: JsonObject, term: JsonObject): JsonObject {
  const affinity = (at(spec, "affinity") ?? {}) as JsonObject;
  const anti = (at(affinity, "podAntiAffinity") ?? {}) as JsonObject;
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const podAntiAffinity = { ...anti, [required]: [...listAt(anti, required), term] };
  return { ...spec, affinity: { ...affinity, podAntiAffinity } };
}
