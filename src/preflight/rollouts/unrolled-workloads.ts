import { idleReason } from "../../model/cluster/jobs.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { at, type JsonObject, sameJson } from "../../model/json.ts";
import { runsPodsWithoutRollout } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan.ts";
import { addsPods, asPlanned } from "../planned-pods.ts";
import { type Labels, labelsAt } from "../scheduling/selectors.ts";

/**
 * A change whose object creates Pods without a gradual rollout.
 * At least one new Pod needs a place.
 */
export interface UnrolledWorkload {
  readonly change: Change;
  /** The spec of one Pod as its template declares it. */
  readonly pod: JsonObject;
  readonly labels: Labels;
  /** True if the deployment waits for Pods of the object. */
  readonly isAwaited: boolean;
}

/** Lists the changes that create new Pods without a rollout. */
export function unrolledWorkloads({ changes }: Plan): readonly UnrolledWorkload[] {
  return changes.flatMap((change): readonly UnrolledWorkload[] => {
    const object = asPlanned(change);
    const found = podSpecOf(object);
    const { id } = change;
    if (found === undefined || !runsPodsWithoutRollout(id) || isIdle(object)) return [];
    if (!hasNewPods(change, found.path)) return [];
    const labels = labelsAt(at(object, ...found.path.slice(0, -1), "metadata", "labels"));
    return [{ change, pod: found.spec, labels, isAwaited: id.kind !== "CronJob" }];
  });
}

/** Reports whether the object is suspended or has no replicas. */
function isIdle(object: KubeObject): boolean {
  return idleReason(object) !== undefined || at(object, "spec", "replicas") === 0;
}

/**
 * Reports whether the change creates new Pods.
 * Existing objects already have their Pods. An update creates Pods only if it adds or resumes some,
 * or if it changes a CronJob's template.
 */
function hasNewPods(change: Change, path: readonly string[]): boolean {
  const { action, live, id } = change;
  if (action !== "update") return action !== "unchanged";
  if (addsPods(change)) return true;
  return id.kind === "CronJob" && !sameJson(at(live, ...path), at(asPlanned(change), ...path));
}
