import { dependsOnAnnotation } from "../../model/annotations.ts";
import { isBuiltInGroup } from "../../model/cluster/api/built-in-groups.ts";
import { annotation, keyOf, nameOf, type ObjectId } from "../../model/object.ts";
import { declarationPlaces, type Problem } from "../../model/problems/problem.ts";
import { closest } from "../../model/text/suggest.ts";
import type { DeclaredObject } from "../declared/objects.ts";
import type { Link } from "./order.ts";

export interface ExplicitLinks {
  readonly links: readonly Link[];
  /** The errors that make an order impossible. */
  readonly problems: readonly Problem[];
  /**
   * The errors for objects that annotations name and that don't exist. All other objects have an
   * order.
   */
  readonly missing: readonly Problem[];
}

/** Returns every explicit dependency: dependsOn annotations and references to resource ids. */
export function explicitLinks(
  objects: readonly DeclaredObject[],
  isLive: (key: string) => boolean,
): ExplicitLinks {
  const declared = new Set(objects.map((object) => object.key));
  const byResource = Map.groupBy(objects, (object) => object.resource);
  const found = objects.flatMap((object) => [
    ...annotatedLinks(object, declared, isLive),
    ...referencedLinks(object, byResource),
  ]);
  const problems = found.filter((one) => "what" in one);
  return {
    links: found.filter((one) => "from" in one),
    problems: problems.filter(({ code }) => code !== missingCode),
    missing: problems.filter(({ code }) => code === missingCode),
  };
}

const missingCode = "dependency-not-found";

/**
 * Lists the objects outside the deployment that annotations name, sorted.
 * The caller reads them to find out whether they exist.
 */
export function undeclaredDependencies(objects: readonly DeclaredObject[]): readonly ObjectId[] {
  const declared = new Set(objects.map((object) => object.key));
  const missing = new Map<string, ObjectId>();
  for (const object of objects) {
    for (const { id } of dependsOnEntries(object)) {
      if (id === undefined) continue;
      const possible = possibleObjects(id, object);
      if (possible.some((candidate) => declared.has(keyOf(candidate)))) continue;
      for (const candidate of possible) missing.set(keyOf(candidate), candidate);
    }
  }
  return [...missing.keys()].toSorted().map((key) => missing.get(key) as ObjectId);
}

function annotatedLinks(
  object: DeclaredObject,
  declared: ReadonlySet<string>,
  isLive: (key: string) => boolean,
): readonly (Link | Problem)[] {
  return dependsOnEntries(object).flatMap(({ text, id, check }) => {
    if (check !== undefined) return [];
    if (id === undefined) return malformedEntryProblem(object, text);
    const keys = possibleObjects(id, object).map(keyOf);
    const inDeployment = [...keys, ...clusterScopedKeys(id)];
    const on = inDeployment.find((key) => declared.has(key)) ?? keys.find(isLive);
    if (on === undefined) return missingDependencyProblem(object, text, declared);
    return { from: object.key, on, reason: `annotation ${dependsOnAnnotation}` };
  });
}

function referencedLinks(
  object: DeclaredObject,
  byResource: ReadonlyMap<string, readonly DeclaredObject[]>,
): readonly (Link | Problem)[] {
  return object.dependsOn.map((resource) => {
    const same = (byResource.get(resource) ?? []).filter((other) => other.key !== object.key);
    const target = same.find((other) => other.stage === object.stage) ?? same[0];
    if (target === undefined) return unknownResourceProblem(object, resource);
    return { from: object.key, on: target.key, reason: `reference to resource ${resource}` };
  });
}

function malformedEntryProblem(object: DeclaredObject, text: string): Problem {
  return {
    code: "invalid-annotation",
    subjects: [nameOf(object.id)],
    what: `${nameOf(object.id)}: "${text}" in the annotation ${dependsOnAnnotation} isn't valid`,
    fix: 'Write each entry as <apiGroup>:<Kind>::<namespace>/<name>, with "core" for the core group, and separate entries by commas',
    ...(/^checks?\b/i.test(text) ? { otherwise: ["write check/<name> for a check"] } : {}),
    where: declarationPlaces(object),
  };
}

function missingDependencyProblem(
  object: DeclaredObject,
  text: string,
  declared: ReadonlySet<string>,
): Problem {
  const meant = closest(text, declared);
  return {
    code: missingCode,
    subjects: [nameOf(object.id)],
    what: `${nameOf(object.id)} depends on ${text}, which doesn't exist`,
    why: "It isn't in the cluster, and this deployment doesn't declare it",
    fix: meant === undefined ? "Declare it in this deployment" : `Did you mean "${meant}"?`,
    otherwise: [
      ...(meant === undefined ? [] : ["declare it in this deployment"]),
      "create it first",
      `correct the annotation ${dependsOnAnnotation}`,
    ],
    where: declarationPlaces(object),
  };
}

function unknownResourceProblem(object: DeclaredObject, resource: string): Problem {
  return {
    code: "reference-not-found",
    subjects: [nameOf(object.id)],
    what: `${nameOf(object.id)} refers to resource ${resource}, which isn't a Kubernetes object`,
    why: "This deployment has no Kubernetes object of that id, and qvs doesn't know values of other providers",
    fix: "Refer to a resource of the provider kubernetes",
    where: declarationPlaces(object),
  };
}

/** An entry of the annotation `vs.axis-dev.io/dependsOn`. */
interface DependsOnEntry {
  /** The entry as written. */
  readonly text: string;
  /** Undefined for a check, and if the entry is malformed. */
  readonly id: ObjectId | undefined;
  /** The name of a check; undefined for an object. */
  readonly check: string | undefined;
}

const checkPattern = /^check\/([^/\s:]+)$/;

const entryPattern = /^([^:\s/]+):([A-Za-z0-9]+)::(?:([^/\s:]+)\/)?([^/\s]+)$/;

/**
 * Returns the entries of an object's dependsOn annotation in written order.
 * Their form is `<group>:<Kind>::<namespace>/<name>`, or `check/<name>`.
 */
export function dependsOnEntries({ object }: DeclaredObject): readonly DependsOnEntry[] {
  const text = annotation(object, dependsOnAnnotation) ?? "";
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map((entry) => {
      const check = checkPattern.exec(entry)?.[1];
      return { text: entry, id: check === undefined ? parseEntry(entry) : undefined, check };
    });
}

/**
 * Returns the objects that an entry can mean.
 * Without a namespace, it names a cluster-scoped object. Since users leave the namespace out, it
 * can also be an object in the namespace of the object with the annotation.
 */
function possibleObjects(entry: ObjectId, owner: DeclaredObject): readonly ObjectId[] {
  if (entry.namespace !== "" || owner.id.namespace === "") return [entry];
  return [entry, { ...entry, namespace: owner.id.namespace }];
}

/**
 * Returns the key of an entry as a cluster-scoped object of a custom kind. The entry of a chart has
 * the namespace of its release, because only the cluster knows the scope of the kind.
 */
function clusterScopedKeys(entry: ObjectId): readonly string[] {
  return isBuiltInGroup(entry.group) ? [] : [keyOf({ ...entry, namespace: "" })];
}

function parseEntry(text: string): ObjectId | undefined {
  const [, group, kind, namespace, name] = entryPattern.exec(text) ?? [];
  if (group === undefined || kind === undefined || name === undefined) return undefined;
  return { group: group === "core" ? "" : group, kind, namespace: namespace ?? "", name };
}
