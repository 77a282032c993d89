import { ignoreChangesAnnotation } from "../model/annotations.ts";
import { isList, isObject, type Json } from "../model/json.ts";
import { annotation, type KubeObject, nameOf } from "../model/object.ts";
import type { ChangeAction } from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";
import type { DesiredObject } from "./desired.ts";

/**
 * What a manifest asks for and this program can't do yet. Each is refused rather than deployed without it: an image
 * that somebody else manages would be turned back, a reference would reach the cluster as text.
 */
export function unsupportedDemands(
  desired: DesiredObject,
  action: ChangeAction,
): readonly Problem[] {
  const { id, object } = desired;
  const problems: Problem[] = [];
  const ignored = annotation(object, ignoreChangesAnnotation);
  if (ignored !== undefined && action === "update") {
    problems.push({
      what: `${nameOf(id)} would change, but it asks to leave ${ignored} as it is (${ignoreChangesAnnotation}), which isn't supported yet`,
      fix: "Take the fields that others manage out of the manifest, and the annotation with them",
      where: [],
    });
  }
  const reference = unresolvedReference(object, desired.dependsOn);
  if (reference !== undefined) {
    problems.push({
      what: `${nameOf(id)} contains the reference ${reference}, and values that are known only at deploy time aren't supported yet`,
      fix: "Give the value by a parameter instead",
      where: [],
    });
  }
  return problems;
}

function unresolvedReference(object: KubeObject, ids: readonly string[]): string | undefined {
  for (const text of texts(object)) {
    const reference = /\$\(ref\.[^()]+\)/.exec(text)?.[0];
    if (reference !== undefined) return reference;
    const starts = ids.flatMap((id) => [`\${${id}}`, `\${${id}.`, `\${${id}[`]);
    const found = starts.find((start) => text.includes(start));
    if (found !== undefined) return `${found.replace(/[}.[]$/, "")}…}`;
  }
  return undefined;
}

function* texts(value: Json | undefined): Generator<string> {
  if (typeof value === "string") yield value;
  else if (isList(value)) for (const item of value) yield* texts(item);
  else if (isObject(value)) for (const item of Object.values(value)) yield* texts(item);
}
