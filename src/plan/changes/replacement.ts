import { keepOnDeleteAnnotation, replaceAnnotation } from "../../model/annotations.ts";
import { annotation, type KubeObject } from "../../model/object.ts";
import type { LiveObjects } from "../../model/release.ts";
import type { DesiredObject } from "../declared/desired.ts";
import type { DryRunFailure, Predictions } from "../prediction.ts";
import { underFreeName } from "./under-free-name.ts";

/** How the API server words that a field can't be changed any more; it has no reason code for it. */
const immutableWords: readonly RegExp[] = [
  /field is immutable/i,
  /immutable (after|once)/i,
  /may not (be changed|change once set)/i,
  /cannot (be changed|change roleRef)/i,
  /updates to \w+ spec for fields other than/i,
  /pod updates may not change fields other than/i,
];

/** These take more with them than themselves, or hold data. */
const neverReplaced: ReadonlySet<string> = new Set([
  "Namespace",
  "CustomResourceDefinition",
  "PersistentVolumeClaim",
]);

export function isImmutable({ message }: DryRunFailure["causes"][number]): boolean {
  return immutableWords.some((words) => words.test(message));
}

/** Whether an object may be replaced where that is asked for. */
export function isReplaceable(object: KubeObject, live: KubeObject): boolean {
  const isKept = [object, live].some(
    (each) => annotation(each, keepOnDeleteAnnotation) !== undefined,
  );
  return !neverReplaced.has(object.kind) && !isKept;
}

export function asksToBeReplaced(object: KubeObject): boolean {
  return annotation(object, replaceAnnotation) === "true";
}

/**
 * The objects that can only be had by making them anew (deploy.md §2), under a name that is free: the server says so whether it
 * would accept them. Immutability must be all that is wrong.
 */
export function objectsToReplace(
  objects: readonly DesiredObject[],
  live: LiveObjects,
  predictions: Predictions,
): readonly DesiredObject[] {
  return objects.flatMap((desired) => {
    const prediction = predictions.get(desired.key);
    const existing = live.get(desired.key);
    if (existing === undefined || prediction === undefined || prediction.ok) return [];
    const { reason, causes } = prediction.failure;
    const onlyImmutable = reason === "invalid" && causes.length > 0 && causes.every(isImmutable);
    const isWanted = asksToBeReplaced(desired.object) && isReplaceable(desired.object, existing);
    return onlyImmutable && isWanted ? [underFreeName({ ...desired, ...asMadeAnew(desired) })] : [];
  });
}

/** What is sent when the object is made anew. */
export function asMadeAnew(desired: DesiredObject): Pick<DesiredObject, "object" | "late"> {
  const { object, late } = desired.ignoring?.anew ?? desired;
  return { object, late };
}
