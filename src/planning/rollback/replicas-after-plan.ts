import { boundedReplicas, readScaler, type Scaler } from "../../model/cluster/scalers.ts";
import type { UpstreamChange } from "../../model/deployments/other-deployments.ts";
import { isObject, listAt, numberAt, objectAt } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf, nameOf, withMetadata } from "../../model/object.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { RollbackObstacle } from "../../model/plan/predictions.ts";
import { hasSubject, type Problem } from "../../model/problems/problem.ts";
import { blockerObstacle } from "./rollback-obstacles.ts";

/**
 * The number of replicas that the declared scalers set after a plan: the nearest one within their
 * bounds, which is certain, or another possible one.
 */
export type ScaledReplicas = "within bounds" | "another number";

/** Returns an object as its scaler leaves it; the same object if the scaler keeps the number. */
type ScaleObject = (object: KubeObject) => KubeObject;

/**
 * Returns a function that sets the replicas that a scaler of the plan sets before a rollback. The
 * scaler owns the number then, so that the rollback finds the same conflict as on a real cluster.
 */
export function scaleObjects({ changes }: Plan, scaling: ScaledReplicas): ScaleObject {
  const scalers = new Map<string, Scaler>();
  for (const { desired } of changes) {
    const scaler = readScaler(desired);
    if (scaler === undefined) continue;
    const target = keyOf(scaler.target);
    // Of several scalers of an object, the first counts.
    if (!scalers.has(target)) scalers.set(target, scaler);
  }
  return (object) => {
    const replicas = numberAt(object, "spec", "replicas");
    const scaler = replicas === undefined ? undefined : scalers.get(keyOf(idOf(object)));
    if (replicas === undefined || scaler === undefined) return object;
    const next = scaledReplicas(scaler, replicas, scaling);
    return next === replicas ? object : withReplicas(object, next);
  };
}

/** Returns the objects that only their scalers change after a plan, by key. */
export function scaledObjects(
  { changes, deployment }: Plan,
  scale: ScaleObject,
): ReadonlyMap<string, UpstreamChange> {
  const scaled = changes.filter(({ action, live }) => {
    const isSame = action === "unchanged" && live !== undefined;
    return isSame && scale(live) !== live;
  });
  return new Map(
    scaled.map((change) => [change.key, { ...change, predicted: change.live, deployment }]),
  );
}

function scaledReplicas(scaler: Scaler, replicas: number, scaling: ScaledReplicas): number {
  const nearest = boundedReplicas(scaler, replicas);
  // After a scale to zero, Kubernetes records no owner, so that no number is certain.
  const isCertain = scaler.enforcesBounds && !scaler.scalesToZero;
  if (scaling === "within bounds") return isCertain ? nearest : replicas;
  if (nearest === 0) return nearest;
  const others = [nearest + 1, nearest - 1].filter((each) => each > 0);
  return others.find((each) => boundedReplicas(scaler, each) === each) ?? nearest;
}

/** Records the number as the horizontal Pod autoscaler writes it, which KEDA also uses. */
function withReplicas(object: KubeObject, replicas: number): KubeObject {
  const owners = listAt(object, "metadata", "managedFields").map((entry) => {
    const spec = objectAt(entry, "fieldsV1", "f:spec");
    if (!isObject(entry) || spec["f:replicas"] === undefined) return entry;
    const { "f:replicas": _, ...others } = spec;
    return { ...entry, fieldsV1: { ...objectAt(entry, "fieldsV1"), "f:spec": others } };
  });
  const scaled = {
    ...{ manager: "kube-controller-manager", operation: "Update", subresource: "scale" },
    ...{ apiVersion: object.apiVersion, fieldsType: "FieldsV1" },
    fieldsV1: { "f:spec": { "f:replicas": {} } },
  };
  const spec = { ...objectAt(object, "spec"), replicas };
  return withMetadata({ ...object, spec }, { managedFields: [...owners, scaled] });
}

/** Reports whether a rollback deletes a scaler of an object that it keeps. */
export function deletesScaler({ changes, deletions }: Plan): boolean {
  const kept = new Set(changes.map(({ key }) => key));
  return deletions.some(({ live }) => {
    const scaler = readScaler(live);
    return scaler !== undefined && kept.has(keyOf(scaler.target));
  });
}

/**
 * Returns the notes about conflicts that block a rollback only if a scaler sets another number
 * before it. `blockers` are those of a rollback in that case.
 */
export function conflictsAfterScaling(
  blockers: readonly Problem[],
  known: readonly Problem[],
  plan: Plan,
): readonly RollbackObstacle[] {
  const reported = new Set(known.map(({ what }) => what));
  return plan.changes.flatMap(({ id }) => {
    const conflict = blockers.find(
      (each) =>
        each.code === "field-conflict" && hasSubject(each, nameOf(id)) && !reported.has(each.what),
    );
    if (conflict === undefined) return [];
    const { object } = blockerObstacle(conflict, plan);
    const inputs = (conflict.inputs ?? []).join(", ");
    return [
      {
        object,
        what: `${nameOf(id)} needs ${inputs} if its autoscaler has set another number of replicas by then`,
        why: "The rollback deletes the autoscaler, which owns spec.replicas then, and the current release declares the field",
        fix: "Remove spec.replicas from the manifest in a deployment before the autoscaler, or roll back with this input",
      },
    ];
  });
}
