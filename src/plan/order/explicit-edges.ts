import { dependsOnAnnotation } from "../../model/annotations.ts";
import { closest } from "../../model/closest.ts";
import { keyOf, nameOf, type ObjectId } from "../../model/object.ts";
import { declaredAt, type Problem } from "../../model/problem.ts";
import type { DesiredObject } from "../declared/desired.ts";
import { candidates, dependsOnEntries } from "./depends-on.ts";
import type { Link } from "./graph.ts";

export interface ExplicitLinks {
  readonly links: readonly Link[];
  readonly problems: readonly Problem[];
}

/** Every link that somebody wrote: dependsOn annotations and references to resource ids. */
export function explicitLinks(
  objects: readonly DesiredObject[],
  isLive: (key: string) => boolean,
): ExplicitLinks {
  const declared = new Set(objects.map((object) => object.key));
  const byResource = Map.groupBy(objects, (object) => object.resource);
  const found = objects.flatMap((object) => [
    ...annotatedLinks(object, declared, isLive),
    ...referencedLinks(object, byResource),
  ]);
  return {
    links: found.filter((one) => "from" in one),
    problems: found.filter((one) => "what" in one),
  };
}

/** Objects outside the deployment that annotations name, sorted: the caller reads them to learn whether they exist. */
export function undeclaredDependencies(objects: readonly DesiredObject[]): readonly ObjectId[] {
  const declared = new Set(objects.map((object) => object.key));
  const missing = new Map<string, ObjectId>();
  for (const object of objects) {
    for (const { id } of dependsOnEntries(object)) {
      if (id === undefined) continue;
      const possible = candidates(id, object);
      if (possible.some((candidate) => declared.has(keyOf(candidate)))) continue;
      for (const candidate of possible) missing.set(keyOf(candidate), candidate);
    }
  }
  return [...missing.keys()].toSorted().map((key) => missing.get(key) as ObjectId);
}

function annotatedLinks(
  object: DesiredObject,
  declared: ReadonlySet<string>,
  isLive: (key: string) => boolean,
): readonly (Link | Problem)[] {
  return dependsOnEntries(object).map(({ text, id }) => {
    if (id === undefined) return malformed(object, text);
    const keys = candidates(id, object).map(keyOf);
    const on = keys.find((key) => declared.has(key)) ?? keys.find(isLive);
    if (on === undefined) return dangling(object, text, declared);
    return { from: object.key, on, reason: `annotation ${dependsOnAnnotation}` };
  });
}

function referencedLinks(
  object: DesiredObject,
  byResource: ReadonlyMap<string, readonly DesiredObject[]>,
): readonly (Link | Problem)[] {
  return object.dependsOn.map((resource) => {
    const same = (byResource.get(resource) ?? []).filter((other) => other.key !== object.key);
    const target = same.find((other) => other.stage === object.stage) ?? same[0];
    if (target === undefined) return unknownResource(object, resource);
    return { from: object.key, on: target.key, reason: `reference to the resource ${resource}` };
  });
}

function malformed(object: DesiredObject, text: string): Problem {
  return {
    what: `${nameOf(object.id)}: "${text}" in the annotation ${dependsOnAnnotation} can't be understood`,
    fix: 'Write <apiGroup>:<Kind>::<namespace>/<name>, with "core" for the core group, entries separated by commas',
    where: declaredAt(object),
  };
}

function dangling(object: DesiredObject, text: string, declared: ReadonlySet<string>): Problem {
  const meant = closest(text, declared);
  const hint = meant === undefined ? "" : ` (did you mean "${meant}"?)`;
  return {
    what: `${nameOf(object.id)} depends on ${text}, which is neither in the cluster nor in this deployment${hint}`,
    fix: `Declare it, create it first, or correct the annotation ${dependsOnAnnotation}`,
    where: declaredAt(object),
  };
}

function unknownResource(object: DesiredObject, resource: string): Problem {
  return {
    what: `${nameOf(object.id)} refers to the resource ${resource}, which isn't a Kubernetes object of this deployment`,
    fix: "Refer to a resource of provider kubernetes: values of other providers aren't known here",
    where: declaredAt(object),
  };
}
