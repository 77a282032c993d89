import { keepOnDeleteAnnotation, revisionAnnotation } from "../../model/annotations.ts";
import { isObject } from "../../model/json.ts";
import {
  annotation,
  highestNumber,
  idOf,
  type KubeObject,
  nameOf,
  type ObjectId,
  withMetadata,
} from "../../model/object.ts";
import { declaredAt, failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import type { HighestRevision, LiveObjects } from "../../model/release.ts";
import type { DeclaredObject, NumberedObject } from "./objects.ts";

/**
 * Numbers the objects that are versioned together by their keepOnDelete key (docs/reference/annotations.md#revision): one that
 * exists keeps its number, or stays without one; a new one gets 1 + the highest of its kind, namespace and key. `live` must hold
 * every object of these kinds and namespaces, whoever made it; a live one without a number counts as 0. `recorded` are the
 * numbers that were given before, so that none is given again after its object was deleted by hand.
 */
export function numberRevisions(
  objects: readonly DeclaredObject[],
  live: LiveObjects,
  recorded: readonly HighestRevision[] = [],
): Result<readonly NumberedObject[]> {
  const highest = highestRevisions(objects, live, recorded);
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
  const all = objects.map((object) => numbered(object, numbers.get(object.key)));
  const problems = problemsOfNumbers(all, live);
  return problems.length > 0 ? failed(problems) : ok(all);
}

/** The highest number so far of every series that is declared or was recorded before, sorted. */
export function revisionsSoFar(
  objects: readonly DeclaredObject[],
  live: LiveObjects,
  recorded: readonly HighestRevision[],
): readonly HighestRevision[] {
  const declared = objects.flatMap(({ id, object }) => seriesOf(id, object) ?? []);
  const known = new Set([...declared, ...recorded.map(textOf)]);
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
  for (const one of recorded) count(textOf(one), one.revision);
  for (const object of live.values()) count(seriesOf(idOf(object), object), revisionNumber(object));
  // One that changes its key takes its number along.
  for (const { key, id, object } of objects) {
    const existing = live.get(key);
    if (existing !== undefined) count(seriesOf(id, object), revisionNumber(existing));
  }
  return highest;
}

/** The number of an object of a series; 0 without one, and for what is none. */
export function revisionNumber(object: KubeObject): number {
  return Number(/^\d{1,9}$/.exec(annotation(object, revisionAnnotation) ?? "")?.[0] ?? 0);
}

/** New objects that would get a number beyond all: it could not be read again, and they would count as the oldest. */
function problemsOfNumbers(
  objects: readonly DeclaredObject[],
  live: LiveObjects,
): readonly Problem[] {
  return objects
    .filter(({ key }) => !live.has(key))
    .filter(({ object }) => Number(annotation(object, revisionAnnotation) ?? 0) > highestNumber)
    .map((desired) => ({
      code: "revision-limit",
      subjects: [nameOf(desired.id)],
      what: `${nameOf(desired.id)} can't get a revision number: ${highestNumber} is already used for its key in the annotation ${keepOnDeleteAnnotation}`,
      fix: `Give it another key, or find out who has put that number into the annotation ${revisionAnnotation} of an object or into a release`,
      where: declaredAt(desired),
    }));
}

/** What is versioned together: a kind, a namespace and a keepOnDelete key, as one text. */
export function seriesOf(id: Omit<ObjectId, "name">, object: KubeObject): string | undefined {
  const key = annotation(object, keepOnDeleteAnnotation);
  return key === undefined ? undefined : textOf({ ...id, key });
}

function textOf({ group, kind, namespace, key }: Omit<HighestRevision, "revision">): string {
  return JSON.stringify([group, kind, namespace, key]);
}

function numbered(desired: DeclaredObject, revision: string | undefined): NumberedObject {
  if (revision === undefined) return { ...desired, revision };
  const { annotations: given } = desired.object.metadata;
  const annotations = { ...(isObject(given) ? given : {}), [revisionAnnotation]: revision };
  return { ...desired, revision, object: withMetadata(desired.object, { annotations }) };
}
