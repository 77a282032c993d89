import { parsePath } from "../fields/field-path.ts";
import { isList, isObject, type Json, sameJson } from "../json.ts";
import { isCoreObject } from "../kinds.ts";
import type { Compilation, Manifest } from "../sources/compilation.ts";
import { referencePieces, resolveReference } from "../text/reference-text.ts";
import { valueAt } from "./apply-time-reference.ts";

/**
 * Returns the manifests that `value` of the manifest `from` references, directly or through other
 * manifests. It returns a manifest only if head and base declare the referenced fields differently.
 */
export function changedReferencedManifests(
  from: Manifest,
  value: Json | undefined,
  { head, base }: { readonly head: Compilation; readonly base: Compilation },
): readonly Manifest[] {
  const found = new Set<Manifest>();
  const seen = new Set<string>();
  const open = value === undefined ? [] : [...resolveReferencedFields(value, from, head)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { target, path } = next;
    const place = JSON.stringify([target.stage, target.id, path]);
    if (seen.has(place)) continue;
    seen.add(place);
    const now = fieldValues(target, path);
    if (isChanged(target, now, path, base)) found.add(target);
    open.push(...now.flatMap((each) => resolveReferencedFields(each, target, head)));
  }
  return [...found];
}

interface ReferencedField {
  readonly target: Manifest;
  readonly path: readonly (string | number)[];
}

function resolveReferencedFields(
  value: Json,
  from: Manifest,
  head: Compilation,
): readonly ReferencedField[] {
  return collectStrings(value).flatMap((text) =>
    referencePieces(text, from.pulumi === true).flatMap((piece) => {
      if (piece.type === "text") return [];
      const reference = resolveReference(piece.inner, from.id, from.dependsOn);
      const same = listManifests(head).filter(({ id }) => id === reference?.id);
      const target = same.find(({ stage }) => stage === from.stage) ?? same[0];
      if (reference === undefined || target === undefined) return [];
      const path = (parsePath(reference.path) ?? []).flatMap((step) => {
        if (step.type === "every") return [];
        return [step.type === "field" ? step.name : step.index];
      });
      return [{ target, path }];
    }),
  );
}

/**
 * Reports whether the referenced fields changed. If neither commit declares them, they can depend
 * on any declared field, so the whole objects are compared.
 */
function isChanged(
  target: Manifest,
  now: readonly Json[],
  path: ReferencedField["path"],
  base: Compilation,
): boolean {
  const before = listManifests(base).find(
    ({ stage, id }) => stage === target.stage && id === target.id,
  );
  if (before === undefined) return true;
  const previously = fieldValues(before, path);
  return now.length + previously.length === 0
    ? !sameJson(before.object, target.object)
    : !sameJson(now, previously);
}

/** Returns the values at a path. A Secret's `data` and `stringData` count as the same field. */
function fieldValues(
  { object }: Manifest,
  [part, ...below]: ReferencedField["path"],
): readonly Json[] {
  const isData = isCoreObject(object, "Secret") && (part === "data" || part === "stringData");
  const parts = isData ? ["data", "stringData"] : part === undefined ? [] : [part];
  return parts.flatMap((each) => {
    const value = valueAt(object, [each, ...below]);
    return value === undefined ? [] : [value];
  });
}

function listManifests({ resources }: Compilation): readonly Manifest[] {
  return resources.filter((resource) => resource.type === "manifest");
}

function collectStrings(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (isList(value)) return value.flatMap(collectStrings);
  return isObject(value) ? Object.values(value).flatMap(collectStrings) : [];
}
