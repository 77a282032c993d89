import { replaceAnnotation } from "../../model/annotations.ts";
import { isSubset } from "../../model/cluster/fields/immutable-fields.ts";
import { at, isObject, listAt, numberAt, sameJson } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { annotation, idOf, type KubeObject } from "../../model/object.ts";
import type { StepOf } from "../../model/plan/plan.ts";
import { tryRecreation } from "./recreate.ts";
import type { StepCandidate, StepKind } from "./step.ts";

/**
 * Replaces a StatefulSet without its Pods if its manifest asks for that
 * (docs/reference/ownership.md#replacement).
 * The new StatefulSet adopts the Pods, because its selector selects them. It also adopts the
 * ControllerRevisions, so an equal Pod template has the same revision and restarts no Pod.
 */
export const orphan: StepKind<StepOf<"orphan">> = {
  detect: (candidate, soFar) =>
    allowsOrphans(candidate.object) && canAdoptPods(candidate)
      ? tryRecreation(candidate, soFar, (fields) => ({ type: "orphan", fields }))
      : undefined,
  assume: () => undefined,
  execution: () => ({ by: "delete", dependents: "orphan" }),
  describe: () => [],
  digest: () => ({ keepsPods: true }),
};

/** Reports whether the manifest asks for a replacement that keeps the Pods. */
export function allowsOrphans(object: KubeObject): boolean {
  return annotation(object, replaceAnnotation) === "orphan";
}

function canAdoptPods({ object, live, recreated }: StepCandidate): boolean {
  return (
    orphanObstacle(object, live) === undefined &&
    (recreated === undefined || undeclaredReplicas(recreated, live) === undefined)
  );
}

/**
 * Returns the live number of replicas if the new object has none; undefined otherwise.
 * The new StatefulSet would have the default of 1. Its controller would delete the other Pods and,
 * with `whenScaled: Delete`, their claims.
 */
export function undeclaredReplicas(recreated: KubeObject, live: KubeObject): number | undefined {
  const present = numberAt(live, "spec", "replicas") ?? 1;
  return present > 1 && at(recreated, "spec", "replicas") === undefined ? present : undefined;
}

/** Returns the reason why the new object wouldn't adopt the Pods; undefined if it would. */
export function orphanObstacle(object: KubeObject, live: KubeObject): string | undefined {
  if (!isStatefulSet(object)) return "Only a StatefulSet can be replaced without its Pods";
  return selectsPods(object, live)
    ? undefined
    : "The new selector doesn't select the existing Pods, so the StatefulSet wouldn't adopt them";
}

export function isStatefulSet(object: KubeObject): boolean {
  return kindKey(idOf(object)) === "apps/StatefulSet";
}

/** Reports whether the declared selector selects the Pods of the live template. */
function selectsPods(object: KubeObject, live: KubeObject): boolean {
  const [declared, present] = [object, live].map((each) => at(each, "spec", "selector"));
  const labels = at(live, "spec", "template", "metadata", "labels");
  const selected = at(declared, "matchLabels") ?? {};
  const [expressions, before] = [declared, present].map((each) => listAt(each, "matchExpressions"));
  return (
    isObject(labels) &&
    isSubset(selected, labels) &&
    (expressions?.length === 0 || sameJson(expressions, before))
  );
}
