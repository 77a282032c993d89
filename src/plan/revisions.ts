import { keepOnDeleteAnnotation, revisionAnnotation } from "../model/annotations.ts";
import { isObject } from "../model/json.ts";
import { annotation, groupOf, type KubeObject, type ObjectId } from "../model/object.ts";
import type { LiveObjects } from "../model/release.ts";
import type { DesiredObject } from "./desired.ts";

/**
 * Numbers the objects that are versioned together by their keepOnDelete key (spec §3): one that exists keeps its
 * number, a new one gets 1 + the highest of its kind, namespace and key. `live` must hold every object of these kinds
 * and namespaces, whoever made it; a live one without a number counts as 0.
 */
export function numberRevisions(
  objects: readonly DesiredObject[],
  live: LiveObjects,
): readonly DesiredObject[] {
  const highest = highestRevisions(live);
  // Several new objects of one series are numbered by their key, so the result never depends on the input's order.
  const numbers = new Map<string, string | undefined>();
  for (const { key, id, object } of objects.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const series = seriesOf(id, object);
    if (series === undefined) continue;
    const existing = live.get(key);
    if (existing !== undefined) {
      numbers.set(key, annotation(existing, revisionAnnotation));
      continue;
    }
    const next = (highest.get(series) ?? 0) + 1;
    highest.set(series, next);
    numbers.set(key, String(next));
  }
  return objects.map((object) => numbered(object, numbers.get(object.key)));
}

function highestRevisions(live: LiveObjects): Map<string, number> {
  const highest = new Map<string, number>();
  for (const object of live.values()) {
    const { kind, metadata } = object;
    const namespace = typeof metadata.namespace === "string" ? metadata.namespace : "";
    const series = seriesOf({ group: groupOf(object.apiVersion), kind, namespace }, object);
    if (series === undefined) continue;
    const number = Number(
      /^\d{1,15}$/.exec(annotation(object, revisionAnnotation) ?? "")?.[0] ?? 0,
    );
    highest.set(series, Math.max(highest.get(series) ?? 0, number));
  }
  return highest;
}

function seriesOf(id: Omit<ObjectId, "name">, object: KubeObject): string | undefined {
  const key = annotation(object, keepOnDeleteAnnotation);
  if (key === undefined) return undefined;
  return JSON.stringify([id.group, id.kind, id.namespace, key]);
}

function numbered(desired: DesiredObject, revision: string | undefined): DesiredObject {
  if (revision === undefined) return desired;
  const { metadata } = desired.object;
  const given = isObject(metadata.annotations) ? metadata.annotations : {};
  const annotations = { ...given, [revisionAnnotation]: revision };
  return { ...desired, object: { ...desired.object, metadata: { ...metadata, annotations } } };
}
