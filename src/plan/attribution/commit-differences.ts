import { type FieldStep, valueAtPath } from "../../model/fields/field-differences.ts";
import { type Json, sameJson, textAt } from "../../model/json.ts";
import { isCoreObject } from "../../model/kinds.ts";
import { groupOf, type ObjectId } from "../../model/object.ts";
import { changedReferencedManifests } from "../../model/plan/changed-referenced-manifests.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Compilation, Manifest } from "../../model/sources/compilation.ts";
import { toBase64 } from "../../model/text/base64.ts";

/** The differences between two commits that decide the source of a change. */
export interface CommitDifferences {
  /**
   * Reports whether the commits declare a field of an object, or a value that it references,
   * differently.
   */
  differs(change: Change, path: readonly FieldStep[]): boolean;
  /** Reports whether only the later commit declares the object. */
  isNew(change: Change): boolean;
  /** Reports whether only the earlier commit declares the object. */
  isRemoved(deletion: Deletion): boolean;
}

export function commitDifferences(base: Compilation, head: Compilation): CommitDifferences {
  const commits = { base, head };
  const [before, after] = [compiledManifests(base), compiledManifests(head)];
  const headBySlot = new Map(after.map((each) => [resourceSlot(each.stage, each.id), each]));
  const baseBySlot = new Map(before.map((each) => [resourceSlot(each.stage, each.id), each]));
  const named = Map.groupBy(before, ({ object }) => textAt(object, "metadata", "name") ?? "");
  const findBase = (id: ObjectId) =>
    named.get(id.name)?.find(({ object }) => declaresId(object, id));
  return {
    differs({ id, stage, resource }, path) {
      const later = headBySlot.get(resourceSlot(stage, resource));
      const former = findBase(id) ?? sameKind(baseBySlot.get(resourceSlot(stage, resource)), later);
      if (later === undefined) return false;
      if (former === undefined) return true;
      if (!sameJson(storedFieldValue(later.object, path), storedFieldValue(former.object, path)))
        return true;
      return (
        changedReferencedManifests(later, declaredFieldValue(later.object, path), commits).length >
        0
      );
    },
    isNew: ({ id }) => findBase(id) === undefined,
    isRemoved: ({ id }) => findBase(id) !== undefined,
  };
}

function compiledManifests({ resources }: Compilation): readonly Manifest[] {
  return resources.filter((resource) => resource.type === "manifest");
}

function resourceSlot(stage: string, resource: string): string {
  return `${stage}/${resource}`;
}

function sameKind(manifest: Manifest | undefined, other: Manifest | undefined) {
  return manifest?.object.kind === other?.object.kind ? manifest : undefined;
}

/**
 * Reports whether a manifest declares the object with this id.
 * A manifest can omit its namespace, which the deployment then supplies.
 */
function declaresId(
  object: Manifest["object"],
  { group, kind, namespace, name }: ObjectId,
): boolean {
  if (object.kind !== kind || groupOf(textAt(object, "apiVersion") ?? "") !== group) return false;
  const declared = textAt(object, "metadata", "namespace") ?? namespace;
  return (
    textAt(object, "metadata", "name") === name && (declared === namespace || namespace === "")
  );
}

/**
 * Returns the value at a path.
 * The API server stores the strings in a Secret's `stringData` under `data`.
 */
function storedFieldValue(
  object: Manifest["object"],
  path: readonly FieldStep[],
): Json | undefined {
  const found = valueAtPath(object, path);
  const [part, ...rest] = path;
  if (found !== undefined || part !== "data" || !isCoreObject(object, "Secret")) return found;
  const text = valueAtPath(object, ["stringData", ...rest]);
  return typeof text === "string" ? toBase64(text) : text;
}

/**
 * Returns the value at a path, or the string around it: one reference can stand for a whole object.
 */
export function declaredFieldValue(
  object: Manifest["object"],
  path: readonly FieldStep[],
): Json | undefined {
  const whole = storedFieldValue(object, path);
  if (whole !== undefined) return whole;
  const around = path.map((_, length) => storedFieldValue(object, path.slice(0, length)));
  return around.find((value) => typeof value === "string");
}
