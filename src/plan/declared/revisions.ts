import { keepOnDeleteAnnotation, revisionAnnotation } from "../../model/annotations.ts";
import type { HighestRevision, LiveObjects } from "../../model/deployments/release.ts";
import { isObject } from "../../model/json.ts";
import {
  annotation,
  idOf,
  type KubeObject,
  maxRevision,
  nameOf,
  type ObjectId,
  withMetadata,
} from "../../model/object.ts";
import {
  declarationPlaces,
  failed,
  ok,
  type Problem,
  type Result,
} from "../../model/problems/problem.ts";
import type { DeclaredObject, NumberedObject } from "./objects.ts";

/**
 * Numbers the objects that have the same `keepOnDelete` key
 * (docs/reference/annotations.md#revision).
 * An existing object keeps its number, or stays without one. A new object gets 1 + the highest
 * number of its kind, namespace and key.
 *
 * `live` must contain every object of these kinds and namespaces, whatever its owner. A live object
 * without a number counts as 0. `recorded` contains the numbers that qvs gave before. It doesn't
 * give them again, even if a user deleted the object.
 */
export function numberRevisions(
  objects: readonly DeclaredObject[],
  live: LiveObjects,
  recorded: readonly HighestRevision[] = [],
): Result<readonly NumberedObject[]> {
  const highest = highestRevisions(objects, live, recorded);
  // Several new objects of one series are numbered by their key. The result doesn't depend on the
  // order of the input.
  const numbers = new Map<string, string | undefined>();
  for (const { key, id, object } of objects.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const series = revisionSeries(id, object);
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
  const all = objects.map((object) => withRevision(object, numbers.get(object.key)));
  const problems = revisionLimitProblems(all, live);
  return problems.length > 0 ? failed(problems) : ok(all);
}

/** Returns the highest number so far of every series that is declared or recorded, sorted. */
export function revisionsSoFar(
  objects: readonly DeclaredObject[],
  live: LiveObjects,
  recorded: readonly HighestRevision[],
): readonly HighestRevision[] {
  const declared = objects.flatMap(({ id, object }) => revisionSeries(id, object) ?? []);
  const known = new Set([...declared, ...recorded.map(seriesKey)]);
  const highest = highestRevisions(objects, live, recorded);
  return [...known].toSorted().map((series) => {
    const [group, kind, namespace, key] = JSON.parse(series) as [string, string, string, string];
    return { group, kind, namespace, key, revision: highest.get(series) ?? 0 };
  });
}

function highestRevisions(
  objects: readonly DeclaredObject[],
  live: LiveObjects,
  recorded: readonly HighestRevision[],
): Map<string, number> {
  const highest = new Map<string, number>();
  const count = (series: string | undefined, revision: number) => {
    if (series !== undefined) highest.set(series, Math.max(highest.get(series) ?? 0, revision));
  };
  for (const one of recorded) count(seriesKey(one), one.revision);
  for (const object of live.values())
    count(revisionSeries(idOf(object), object), revisionNumber(object));
  // An object that changes its `keepOnDelete` key keeps its number.
  for (const { key, id, object } of objects) {
    const existing = live.get(key);
    if (existing !== undefined) count(revisionSeries(id, object), revisionNumber(existing));
  }
  return highest;
}

/** Returns the number of an object in its series; 0 for an object without a number. */
export function revisionNumber(object: KubeObject): number {
  return Number(/^\d{1,9}$/.exec(annotation(object, revisionAnnotation) ?? "")?.[0] ?? 0);
}

/**
 * Returns the errors for new objects whose number would exceed the limit.
 * qvs couldn't read such a number again, and the object would count as the oldest.
 */
function revisionLimitProblems(
  objects: readonly DeclaredObject[],
  live: LiveObjects,
): readonly Problem[] {
  return objects
    .filter(({ key }) => !live.has(key))
    .filter(({ object }) => Number(annotation(object, revisionAnnotation) ?? 0) > maxRevision)
    .map((desired) => ({
      code: "revision-limit",
      subjects: [nameOf(desired.id)],
      what: `${nameOf(desired.id)} can't get a revision number`,
      why: `The highest number, ${maxRevision}, is already used for its key in the annotation ${keepOnDeleteAnnotation}`,
      fix: "Give the object another key",
      otherwise: [
        `find out who wrote that number to the annotation ${revisionAnnotation} of an object or to a release`,
      ],
      where: declarationPlaces(desired),
    }));
}

/** Returns the series of an object as a string: its kind, namespace and `keepOnDelete` key. */
export function revisionSeries(id: Omit<ObjectId, "name">, object: KubeObject): string | undefined {
  const key = annotation(object, keepOnDeleteAnnotation);
  return key === undefined ? undefined : seriesKey({ ...id, key });
}

function seriesKey({ group, kind, namespace, key }: Omit<HighestRevision, "revision">): string {
  return JSON.stringify([group, kind, namespace, key]);
}

function withRevision(desired: DeclaredObject, revision: string | undefined): NumberedObject {
  if (revision === undefined) return { ...desired, revision };
  const { annotations: given } = desired.object.metadata;
  const annotations = { ...(isObject(given) ? given : {}), [revisionAnnotation]: revision };
  return { ...desired, revision, object: withMetadata(desired.object, { annotations }) };
}
