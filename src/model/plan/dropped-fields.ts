import { isCustomGroup } from "../cluster/api/built-in-groups.ts";
import {
  type FieldDifference,
  type FieldStep,
  fieldDifferences,
  setField,
  valueAtPath,
} from "../fields/field-differences.ts";
import { isList, isObject, type Json } from "../json.ts";
import { isCoreObject } from "../kinds.ts";
import { groupOf, type KubeObject } from "../object.ts";
import type { Change } from "./plan.ts";

/**
 * Returns the declared fields that the API server's answer to a dry run lacks. If a feature is off,
 * the API server accepts its fields but doesn't store them. Many answers lack a field that is
 * empty, zero or false, with the same meaning. Secrets aren't compared, since no answer contains
 * `stringData`. Objects that qvs shows only in part aren't compared either. If the deployment
 * changes the CustomResourceDefinition, its schemas answer for the API server.
 */
export function droppedFields({
  certainty,
  predicted,
  redacted,
  desired,
}: Change): readonly FieldDifference[] {
  const answers = isCustomGroup(groupOf(desired.apiVersion)) ? ["server", "schema"] : ["server"];
  const isAnswered =
    answers.includes(certainty.by) && predicted !== undefined && redacted === undefined;
  if (!isAnswered || isCoreObject(desired, "Secret")) return [];
  const [declared, stored] = [declaredContent(desired), declaredContent(predicted)];
  return fieldDifferences(declared, stored).filter(
    ({ path, before, after }) =>
      (after ?? null) === null &&
      !isEmptyOrZero(before) &&
      hasEqualListLengths(path, declared, stored),
  );
}

/** Returns the declared object without the fields that the API server drops. */
export function withoutDroppedFields(declared: KubeObject, change: Change): KubeObject {
  return droppedFields(change).reduce(
    (object, { path }) => setField(object, path, undefined) as KubeObject,
    declared,
  );
}

/** Returns the object without its status and its metadata, except for labels and annotations. */
export function declaredContent(object: KubeObject): Json {
  const { status: _status, metadata, ...content } = object;
  const { labels = {}, annotations = {} } = metadata;
  return { ...content, metadata: { labels, annotations } };
}

function isEmptyOrZero(value: Json | undefined): boolean {
  if (isList(value)) return value.every(isEmptyOrZero);
  if (isObject(value)) return Object.values(value).every(isEmptyOrZero);
  return value === undefined || value === null || !value;
}

/**
 * Reports whether the lists on the path have the same lengths on both sides. Items without a name
 * or key are found by index. If the lengths differ, another item can have the same index.
 */
function hasEqualListLengths(path: readonly FieldStep[], declared: Json, stored: Json): boolean {
  return path.every((step, index) => {
    if (typeof step !== "number") return true;
    const lists = [declared, stored].map((side) => valueAtPath(side, path.slice(0, index)));
    const [one, other] = lists.map((list) => (isList(list) ? list.length : -1));
    return one === other;
  });
}
