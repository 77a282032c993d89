import { whyIdle } from "../../model/cluster/idle-job.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { at, type JsonObject, sameJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan.ts";
import { asPlanned, makesMorePods } from "../planned-pods.ts";
import { type Labels, labelsAt } from "../scheduling/selectors.ts";

/** Something new whose Pods nothing replaces step by step: at least one of them needs a place. */
export interface PodMaker {
  readonly change: Change;
  /** The spec of one Pod, as its template declares it. */
  readonly pod: JsonObject;
  readonly labels: Labels;
  /** Whether the deployment waits for Pods of it. */
  readonly isAwaited: boolean;
}

/** Kinds that roll nothing out. */
export const unrolledKinds: ReadonlySet<string> = new Set([
  ...["/Pod", "/ReplicationController", "apps/ReplicaSet", "batch/CronJob", "batch/Job"],
]);

/** What of the plan makes its first Pods, but for what is rolled out. */
export function podMakersOf({ changes }: Plan): readonly PodMaker[] {
  return changes.flatMap((change): readonly PodMaker[] => {
    const object = asPlanned(change);
    const found = podSpecOf(object);
    const { id } = change;
    if (found === undefined || !unrolledKinds.has(`${id.group}/${id.kind}`) || isIdle(object))
      return [];
    if (!hasNewPods(change, found.path)) return [];
    const labels = labelsAt(at(object, ...found.path.slice(0, -1), "metadata", "labels"));
    return [{ change, pod: found.spec, labels, isAwaited: id.kind !== "CronJob" }];
  });
}

/** What is suspended, or is to have no Pods. */
function isIdle(object: KubeObject): boolean {
  return whyIdle(object) !== undefined || at(object, "spec", "replicas") === 0;
}

/** Of what is there already the Pods are, too, but for those that were held back, and that a CronJob is still to make by another template. */
function hasNewPods(change: Change, path: readonly string[]): boolean {
  const { action, live, id } = change;
  if (action !== "update") return action !== "unchanged";
  if (makesMorePods(change)) return true;
  return id.kind === "CronJob" && !sameJson(at(live, ...path), at(asPlanned(change), ...path));
}
