import { changedReferencedManifests } from "../../model/changed-referenced-manifests.ts";
import type { Compilation, Manifest } from "../../model/compilation.ts";
import type { Deletion } from "../../model/deletion.ts";
import { type FieldStep, valueAtPath } from "../../model/fields/field-differences.ts";
import { type Json, sameJson, textAt } from "../../model/json.ts";
import { groupOf, type ObjectId } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import { toBase64 } from "../../model/text/base64.ts";

/** The differences between two commits that decide the source of a change. */
export interface Commits {
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

export function commitsOf(base: Compilation, head: Compilation): Commits {
  const commits = { base, head };
  const [before, after] = [manifestsOf(base), manifestsOf(head)];
  const now = new Map(after.map((each) => [slotOf(each.stage, each.id), each]));
  const then = new Map(before.map((each) => [slotOf(each.stage, each.id), each]));
  const named = Map.groupBy(before, ({ object }) => textAt(object, "metadata", "name") ?? "");
  const earlier = (id: ObjectId) => named.get(id.name)?.find(({ object }) => isNamed(object, id));
  return {
    differs({ id, stage, resource }, path) {
      const later = now.get(slotOf(stage, resource));
      const former = earlier(id) ?? sameKind(then.get(slotOf(stage, resource)), later);
      if (later === undefined) return false;
      if (former === undefined) return true;
      if (!sameJson(fieldAt(later.object, path), fieldAt(former.object, path))) return true;
      return changedReferencedManifests(later, declaredAt(later.object, path), commits).length > 0;
    },
    isNew: ({ id }) => earlier(id) === undefined,
    isRemoved: ({ id }) => earlier(id) !== undefined,
  };
}

function manifestsOf({ resources }: Compilation): readonly Manifest[] {
  return resources.filter((resource) => resource.type === "manifest");
}

function slotOf(stage: string, resource: string): string {
  return `${stage}/${resource}`;
}

function sameKind(manifest: Manifest | undefined, other: Manifest | undefined) {
  return manifest?.object.kind === other?.object.kind ? manifest : undefined;
}

/**
 * Reports whether a manifest declares the object with this id.
 * A manifest can omit its namespace, which the deployment then supplies.
 */
function isNamed(object: Manifest["object"], { group, kind, namespace, name }: ObjectId): boolean {
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
function fieldAt(object: Manifest["object"], path: readonly FieldStep[]): Json | undefined {
  const found = valueAtPath(object, path);
  const [part, ...rest] = path;
  if (found !== undefined || part !== "data" || object.kind !== "Secret") return found;
  const text = valueAtPath(object, ["stringData", ...rest]);
  return typeof text === "string" ? toBase64(text) : text;
}

/**
 * Returns the value at a path, or the string around it: one reference can stand for a whole object.
 */
export function declaredAt(
  object: Manifest["object"],
  path: readonly FieldStep[],
): Json | undefined {
  const whole = fieldAt(object, path);
  if (whole !== undefined) return whole;
  const around = path.map((_, length) => fieldAt(object, path.slice(0, length)));
  return around.find((value) => typeof value === "string");
}
