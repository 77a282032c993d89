import { at, fieldOf, isObject, type Json, numberAt, textAt } from "../json.ts";
import { annotation, groupOf, idOf, type KubeObject, type ObjectId } from "../object.ts";

/** An object through which a controller sets the replicas of another object. */
export interface Scaler {
  readonly target: ObjectId;
  /**
   * The declared bounds; `most` is undefined if the object declares no maximum in a known field.
   */
  readonly minReplicas: number;
  readonly maxReplicas: number | undefined;
  /** True if its controller also scales to zero and back, so that zero is its decision. */
  readonly scalesToZero: boolean;
  /** True if its controller is known to correct a number outside of the bounds at once. */
  readonly enforcesBounds: boolean;
}

/**
 * Reads an object of any kind as a scaler: its `spec.scaleTargetRef` names the target
 * (docs/reference/ownership.md#controller-owned-fields). KEDA defaults the kind to Deployment.
 */
export function readScaler(object: KubeObject): Scaler | undefined {
  const reference = at(object, "spec", "scaleTargetRef");
  const name = textAt(reference, "name") ?? "";
  if (!isObject(reference) || name === "") return undefined;
  const { apiVersion, kind } = scaleTarget(reference);
  const { namespace } = idOf(object);
  const least = firstNumber(object, ["minReplicaCount", "minReplicas"]);
  return {
    target: { group: groupOf(apiVersion), kind, namespace, name },
    minReplicas: least ?? (isHpa(object) ? 1 : 0),
    maxReplicas: firstNumber(object, ["maxReplicaCount", "maxReplicas"]),
    scalesToZero: scalesToZero(object, least),
    enforcesBounds: isHpa(object) || (isScaledObject(object) && !isPaused(object)),
  };
}

/**
 * Returns the number of replicas within the bounds of a scaler. A scaler leaves an object with 0
 * replicas alone.
 */
export function boundedReplicas({ minReplicas, maxReplicas }: Scaler, replicas: number): number {
  if (replicas === 0) return replicas;
  return Math.min(
    Math.max(replicas, minReplicas),
    Math.max(maxReplicas ?? Number.POSITIVE_INFINITY, minReplicas),
  );
}

/** Returns the version and kind that a `scaleTargetRef` names, with KEDA's defaults. */
export function scaleTarget(reference: Json | undefined): {
  readonly apiVersion: string;
  readonly kind: string;
} {
  const named = isObject(reference) ? reference : {};
  return {
    apiVersion: textAt(named, "apiVersion") ?? "apps/v1",
    kind: textAt(named, "kind") ?? "Deployment",
  };
}

/**
 * Reports whether a scaler can scale its target to zero.
 * A `0` in `idleReplicaCount` or in the annotation that pauses KEDA overrides the lower bound.
 */
function scalesToZero(object: KubeObject, least: number | undefined): boolean {
  const idle = firstNumber(object, ["idleReplicaCount"]);
  const paused = annotation(object, "autoscaling.keda.sh/paused-replicas");
  if (idle === 0 || paused === "0") return true;
  return isHpa(object) ? least === 0 : (least ?? 0) === 0;
}

/**
 * Reports whether a scaler is a HorizontalPodAutoscaler.
 * It keeps at least one replica unless it declares zero.
 */
function isHpa({ apiVersion, kind }: KubeObject): boolean {
  return groupOf(apiVersion) === "autoscaling" && kind === "HorizontalPodAutoscaler";
}

function isScaledObject({ apiVersion, kind }: KubeObject): boolean {
  return groupOf(apiVersion) === "keda.sh" && kind === "ScaledObject";
}

function isPaused({ metadata: { annotations } }: KubeObject): boolean {
  const names = isObject(annotations) ? Object.keys(annotations) : [];
  return names.some((name) => name.startsWith("autoscaling.keda.sh/paused"));
}

function firstNumber(object: KubeObject, fields: readonly string[]): number | undefined {
  const spec = fieldOf(object, "spec");
  return fields.map((field) => numberAt(spec, field)).find((value) => value !== undefined);
}
