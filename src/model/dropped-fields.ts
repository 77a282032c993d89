import {
  differencesOf,
  type FieldDifference,
  type FieldStep,
  valueAtPath,
  withFieldAt,
} from "./fields/field-differences.ts";
import { isList, isObject, type Json } from "./json.ts";
import type { KubeObject } from "./object.ts";
import type { Change } from "./plan.ts";

/**
 * Returns the declared fields that the API server's answer to a dry-run lacks: of a feature that is
 * off the server accepts a field and stores nothing. A field that is empty, zero or false is left
 * out of many answers and means the same there. Secrets are not compared, since `stringData` is
 * never answered, nor are objects of which only a part can be shown.
 */
export function droppedFields({
  certainty,
  predicted,
  shows,
  desired,
}: Change): readonly FieldDifference[] {
  const isAnswered = certainty.by === "server" && predicted !== undefined && shows === undefined;
  if (!isAnswered || desired.kind === "Secret") return [];
  const [declared, stored] = [declaredContent(desired), declaredContent(predicted)];
  return differencesOf(declared, stored).filter(
    ({ path, before, after }) =>
      (after ?? null) === null && !isNothing(before) && hasSamePlaces(path, declared, stored),
  );
}

/** Returns a form of the declared object without the fields that the server drops from it. */
export function withoutDroppedFields(declared: KubeObject, change: Change): KubeObject {
  return droppedFields(change).reduce(
    (object, { path }) => withFieldAt(object, path, undefined) as KubeObject,
    declared,
  );
}

/** Leaves out what the server keeps for itself. */
export function declaredContent(object: KubeObject): Json {
  const { status: _status, metadata, ...content } = object;
  const { labels = {}, annotations = {} } = metadata;
  return { ...content, metadata: { labels, annotations } };
}

function isNothing(value: Json | undefined): boolean {
  if (isList(value)) return value.every(isNothing);
  if (isObject(value)) return Object.values(value).every(isNothing);
  return value === undefined || value === null || !value;
}

/**
 * Items without a name or a key are found by their places. Where the server stores more or fewer of
 * them, another item can be at the same place.
 */
function hasSamePlaces(path: readonly FieldStep[], declared: Json, stored: Json): boolean {
  return path.every((step, index) => {
    if (typeof step !== "number") return true;
    const lists = [declared, stored].map((side) => valueAtPath(side, path.slice(0, index)));
    const [one, other] = lists.map((list) => (isList(list) ? list.length : -1));
    return one === other;
  });
}
