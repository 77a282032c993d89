import { at, fieldOf, isList, isObject, type Json, listAt, textAt } from "../../model/json.ts";

/**
 * Describes the changes of a CustomResourceDefinition.
 * Its text is long, and only removed versions and fields usually break users. Empty for all other
 * kinds.
 */
export function describeCrdChanges(
  before: Json | undefined,
  after: Json | undefined,
): readonly string[] {
  if (!isCrd(before) || !isCrd(after)) return [];
  const [old, now] = [before, after].map(crdVersions);
  const names = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])];
  return names.flatMap((name) => describeVersionChange(name, old?.get(name), now?.get(name)));
}

function isCrd(object: Json | undefined): boolean {
  return textAt(object, "kind") === "CustomResourceDefinition";
}

function crdVersions(definition: Json | undefined): ReadonlyMap<string, Json> {
  const versions = listAt(definition, "spec", "versions");
  return new Map(versions.map((version) => [textAt(version, "name") ?? "", version]));
}

function describeVersionChange(
  name: string,
  before: Json | undefined,
  after: Json | undefined,
): readonly string[] {
  if (before === undefined) return [`adds the version ${name}`];
  if (after === undefined) return [`removes the version ${name}`];
  const [old, now] = [before, after].map((version) =>
    crdFields(at(version, "schema", "openAPIV3Schema"), ""),
  );
  return [
    ...describeFlagChanges(name, before, after),
    ...describeFieldChanges(name, old ?? new Map(), now ?? new Map()),
  ];
}

function describeFlagChanges(name: string, before: Json, after: Json): readonly string[] {
  const flags = { served: "served", storage: "stored", deprecated: "deprecated" };
  return Object.entries(flags).flatMap(([flag, word]) => {
    const [was, is] = [at(before, flag) === true, at(after, flag) === true];
    return was === is ? [] : [`${name} is ${is ? "now" : "no longer"} ${word}`];
  });
}

/**
 * Describes the changed fields of a version. For an added or removed tree, it names only the root.
 */
function describeFieldChanges(
  version: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  const added = topmost([...after.keys()].filter((path) => !before.has(path)));
  const removed = topmost([...before.keys()].filter((path) => !after.has(path)));
  const changed = [...after].flatMap(([path, description]) => {
    const was = before.get(path);
    return was === undefined || was === description
      ? []
      : [`${version}: ${path} was ${was}, is ${description}`];
  });
  return [
    ...(added.length === 0 ? [] : [`${version} adds ${listed(added)}`]),
    ...(removed.length === 0 ? [] : [`${version} removes ${listed(removed)}`]),
    ...changed.slice(0, mostFields),
    ...(changed.length > mostFields
      ? [`${version}: ${changed.length - mostFields} more fields change`]
      : []),
  ];
}

const mostFields = 8;

function listed(paths: readonly string[]): string {
  const rest = paths.length - mostFields;
  const shown = paths.slice(0, mostFields).join(", ");
  return rest > 0 ? `${shown} and ${rest} more fields` : shown;
}

function topmost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  return paths.filter((path) => {
    const parents = [...path.matchAll(/\.|\[\]/g)].map(({ index }) => path.slice(0, index));
    return !parents.some((parent) => all.has(parent));
  });
}

function crdFields(schema: Json | undefined, path: string): Map<string, string> {
  const found = new Map<string, string>();
  const properties = at(schema, "properties");
  const required = new Set(listAt(schema, "required"));
  for (const [name, field] of Object.entries(isObject(properties) ? properties : {})) {
    const place = path === "" ? name : `${path}.${name}`;
    found.set(place, describe(field, required.has(name)));
    for (const [inner, description] of crdFields(field, place)) found.set(inner, description);
  }
  const items = at(schema, "items");
  if (isObject(items))
    for (const [inner, description] of crdFields(items, `${path}[]`)) found.set(inner, description);
  return found;
}

function describe(field: Json, isRequired: boolean): string {
  const type = textAt(field, "type") ?? "of any type";
  const values = isObject(field) ? fieldOf(field, "enum") : undefined;
  const allowed = isList(values) ? ` (${values.map(String).join(" or ")})` : "";
  return `${isRequired ? "a required" : "an optional"} ${type}${allowed}`;
}
