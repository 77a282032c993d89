import { valueAt } from "../../model/apply-time-reference.ts";
import type { Compilation, Manifest } from "../../model/compilation.ts";
import { parsePath } from "../../model/fields/ignore-paths.ts";
import { isList, isObject, type Json, sameJson } from "../../model/json.ts";
import { referencePieces, resolveReference } from "../../model/text/reference-text.ts";
import { titleOf } from "./manifest-diff.ts";
import { resourceKey } from "./manifests.ts";

/**
 * The resources that a pull request changes and whose changed fields come into another resource by references, though that one's own
 * manifest says what it said before: by their titles, sorted. `resource` is `stage/id`.
 */
export function referredChanges(
  resource: string,
  head: Compilation,
  base: Compilation,
): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const start = manifestsOf(head).find((each) => resourceKey(each) === resource);
  const open = start === undefined ? [] : referencesIn(start.object, start, head).slice();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { target, path } = next;
    const place = JSON.stringify([resourceKey(target), path]);
    if (seen.has(place)) continue;
    seen.add(place);
    const now = fieldsAt(target, path);
    if (isChanged(target, now, path, base)) found.add(titleOf(target));
    open.push(...now.flatMap((each) => referencesIn(each, target, head)));
  }
  return [...found].toSorted();
}

interface Referred {
  readonly target: Manifest;
  readonly path: readonly (string | number)[];
}

function referencesIn(value: Json, from: Manifest, head: Compilation): readonly Referred[] {
  return textsIn(value).flatMap((text) =>
    referencePieces(text, from.pulumi === true).flatMap((piece) => {
      if (piece.type === "text") return [];
      const reference = resolveReference(piece.inner, from.id, from.dependsOn);
      const same = manifestsOf(head).filter(({ id }) => id === reference?.id);
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

/** What nobody declares may follow from anything that is declared. */
function isChanged(
  target: Manifest,
  now: readonly Json[],
  path: Referred["path"],
  base: Compilation,
): boolean {
  const before = manifestsOf(base).find((each) => resourceKey(each) === resourceKey(target));
  if (before === undefined) return true;
  const then = fieldsAt(before, path);
  return now.length + then.length === 0
    ? !sameJson(before.object, target.object)
    : !sameJson(now, then);
}

/** The two ways of writing a Secret's data are the same. */
function fieldsAt({ object }: Manifest, [part, ...below]: Referred["path"]): readonly Json[] {
  const isData = object.kind === "Secret" && (part === "data" || part === "stringData");
  const parts = isData ? ["data", "stringData"] : part === undefined ? [] : [part];
  return parts.flatMap((each) => {
    const value = valueAt(object, [each, ...below]);
    return value === undefined ? [] : [value];
  });
}

function manifestsOf({ resources }: Compilation): readonly Manifest[] {
  return resources.filter((resource) => resource.type === "manifest");
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (isList(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
