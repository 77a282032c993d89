import { fieldOf, isList, type JsonObject } from "../../model/json.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import type { ProblemCode } from "../../model/problems/problem-codes.ts";
import { describeNodeType, type YamlMap, type YamlNode } from "../../model/sources/yaml-node.ts";
import { closest, suggest } from "../../model/text/suggest.ts";

/**
 * Describes the expected form of a YAML node. A shape reads a node as typed data and reports every
 * mismatch with its position.
 * A value that doesn't match is omitted from the result, so that the rest is still checked.
 */
export interface YamlShape<T> {
  (node: YamlNode, name: string, problems: Problem[]): T | undefined;
  /** The first field of an object of this shape. Fixes name it as an example. */
  readonly firstField?: string;
  /** The JSON Schema for editors. It accepts everything that the shape reads. */
  readonly schema: JsonObject;
}

/** Combines a reader with its schema. */
export function shape<T>(
  read: (node: YamlNode, name: string, problems: Problem[]) => T | undefined,
  schema: JsonObject,
): YamlShape<T> {
  return Object.assign(
    (node: YamlNode, name: string, problems: Problem[]) => read(node, name, problems),
    { schema },
  );
}

/** Adds rules to the schema that the reader doesn't check. */
export function withRules<S extends YamlShape<unknown>>(shape: S, rules: JsonObject): S {
  return Object.assign(shape, { schema: { ...shape.schema, ...rules } });
}

/** A string with its position, for rules that check it later. */
export interface YamlText {
  readonly value: string;
  readonly where: Position;
}

interface ShapeField<T> {
  readonly required: boolean;
  readonly shape: YamlShape<T>;
  /** The text after the name of the field in the advice to add it. */
  readonly example?: string;
  /** The description that editors show. */
  readonly description?: string;
}

export function required<T>(shape: YamlShape<T>, example = ""): ShapeField<T> {
  return { required: true, shape, example };
}

export function optional<T>(shape: YamlShape<T>): ShapeField<T | undefined> {
  return { required: false, shape };
}

/** Adds a description for editors to a field. */
export function described<T>(description: string, field: ShapeField<T>): ShapeField<T> {
  return { ...field, description };
}

/**
 * A string that isn't empty. Numbers keep their written form: a revision `1.10` or `7654321` is a
 * name, not a quantity.
 */
export const text: YamlShape<YamlText> = shape(readText, {
  type: ["string", "number"],
  minLength: 1,
});

function readText(node: YamlNode, name: string, problems: Problem[]): YamlText | undefined {
  const value =
    node.kind === "scalar" ? (typeof node.value === "number" ? node.source : node.value) : node;
  if (typeof value === "string" && value !== "") return { value, where: node.where };
  const found = value === "" ? "an empty string" : describeNodeType(node);
  const what = `"${name}" isn't a ${value === "" ? "non-empty " : ""}string`;
  problems.push(wrongType(node, what, `Set "${name}" to a string`, found));
  return undefined;
}

export const anything: YamlShape<YamlNode> = shape((node) => node, {});

export const anyMap: YamlShape<YamlMap> = shape(readMap, { type: "object" });

function readMap(node: YamlNode, name: string, problems: Problem[]): YamlMap | undefined {
  if (node.kind === "map") return node;
  const what = `${describeName(name)} isn't an object`;
  problems.push(wrongType(node, what, `Write its fields as "name: value"`));
  return undefined;
}

/** True or false. */
export const flag: YamlShape<boolean> = shape(readFlag, { type: "boolean" });

function readFlag(node: YamlNode, name: string, problems: Problem[]): boolean | undefined {
  if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
  problems.push(wrongType(node, `"${name}" isn't a boolean`, `Set "${name}" to true or false`));
  return undefined;
}

/** Returns a shape for one of the allowed strings. `synonyms` are the names in other tools. */
export function oneOf<T extends string>(
  allowed: readonly T[],
  synonyms: ReadonlyMap<string, T> = new Map(),
): YamlShape<T> {
  return shape(
    (node, name, problems) => {
      const found = text(node, name, problems);
      const match = allowed.find((candidate) => candidate === found?.value);
      if (found !== undefined && match === undefined) {
        const meant = synonyms.get(found.value.toLowerCase()) ?? closest(found.value, allowed);
        problems.push({
          code: "unknown-value",
          where: [node.where],
          what: `"${found.value}" isn't a valid value of "${name}"`,
          ...suggest(meant, `Use one of ${allowed.join(", ")}`),
        });
      }
      return match;
    },
    { enum: [...allowed] },
  );
}

/**
 * Limits the work of comparing items with each other. The longest real lists have a few dozen
 * items.
 */
const maxItems = 1000;

export function listOf<T>(item: YamlShape<T>): YamlShape<readonly T[]> {
  const read = (node: YamlNode, name: string, problems: Problem[]): readonly T[] | undefined => {
    if (node.kind === "list" && node.items.length <= maxItems) {
      const items = node.items.map((each, index) => item(each, `${name}[${index}]`, problems));
      return items.filter((each) => each !== undefined);
    }
    if (node.kind === "list") {
      const what = `"${name}" has more than ${maxItems} items`;
      problems.push(problem("input-too-large", node.where, what, "Use fewer items"));
      return undefined;
    }
    const start = item.firstField === undefined ? "- " : `- ${item.firstField}: …`;
    problems.push(wrongType(node, `"${name}" isn't a list`, `Start every item with "${start}"`));
    return undefined;
  };
  return shape(read, { type: "array", maxItems, items: item.schema });
}

type ShapeFields<T> = { readonly [K in keyof T]: ShapeField<T[K]> };

/**
 * Returns a shape for an object with exactly these fields and its position. `fixes` contains advice
 * for keys that users expect but that don't exist.
 */
export function record<T extends object>(
  fields: ShapeFields<T>,
  fixes: Readonly<Record<string, string>> = {},
): YamlShape<T & { readonly where: Position }> {
  const names = Object.keys(fields);
  const all = Object.entries<ShapeField<unknown>>(fields);
  const firstField = all.find(([, field]) => field.required)?.[0];
  const read = (
    node: YamlNode,
    name: string,
    problems: Problem[],
  ): (T & { readonly where: Position }) | undefined => {
    const map = node.kind === "map" ? node : reportNotARecord(node, name, firstField, problems);
    if (map === undefined) return undefined;
    const misspelt = reportUnknownKeys(map, names, fixes, problems);
    const values = all.map(([key, field]) => ({
      key,
      field,
      value: misspelt.has(key) ? undefined : readField(map, name, key, field, problems),
    }));
    if (values.some(({ field, value }) => field.required && value === undefined)) return undefined;
    const found = Object.fromEntries(values.map(({ key, value }) => [key, value]));
    return { ...(found as T), where: map.where };
  };
  const made = shape(read, recordSchema(all));
  return firstField === undefined ? made : Object.assign(made, { firstField });
}

function recordSchema(fields: readonly (readonly [string, ShapeField<unknown>])[]): JsonObject {
  const required = fields.filter(([, field]) => field.required).map(([key]) => key);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([key, field]) => [key, fieldSchema(field)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** Returns the schema of a field. An optional field can be present without a value. */
function fieldSchema({
  required,
  shape: { schema },
  description,
}: ShapeField<unknown>): JsonObject {
  const { type } = schema;
  const types = typeof type === "string" ? [type] : type;
  const orNull = required || !Array.isArray(types) ? {} : { type: [...types, "null"] };
  const values = schema["enum"];
  const orEmpty = required || !isList(values) ? {} : { enum: [...values, null] };
  return {
    ...(description === undefined ? {} : { description }),
    ...schema,
    ...orNull,
    ...orEmpty,
  };
}

/**
 * Reports a value that isn't an object. In `- acme.example/web`, for example, the name of the field
 * is missing.
 */
function reportNotARecord(
  node: YamlNode,
  name: string,
  firstField: string | undefined,
  problems: Problem[],
): undefined {
  const isText = node.kind === "scalar" && node.value !== null;
  if (!isText || firstField === undefined || name === "") anyMap(node, name, problems);
  else {
    const what = `${describeName(name)} isn't an object`;
    problems.push(wrongType(node, what, `Write "${firstField}: " in front of it`));
  }
  return undefined;
}

function readField(
  map: YamlMap,
  name: string,
  key: string,
  field: ShapeField<unknown>,
  problems: Problem[],
): unknown {
  const entry = map.entries.find((each) => each.name === key);
  // Users write `key:` without a value to omit an optional field.
  const empty = entry?.value.kind === "scalar" && entry.value.value === null;
  if (entry !== undefined && !(empty && !field.required))
    return field.shape(entry.value, key, problems);
  if (entry === undefined && field.required) {
    const fix = `Add "${key}:"${field.example ? ` ${field.example}` : ""}`;
    problems.push(problem("missing-key", map.where, `${describeName(name)} has no "${key}"`, fix));
  }
  return undefined;
}

/**
 * Reports unknown keys and returns the keys that were probably meant. A missing key that was
 * misspelled doesn't get its own problem.
 */
function reportUnknownKeys(
  map: YamlMap,
  known: readonly string[],
  fixes: Readonly<Record<string, string>>,
  problems: Problem[],
): ReadonlySet<string> {
  const given = new Set(map.entries.map(({ name }) => name));
  const misspelt = new Set<string>();
  for (const { name, key } of map.entries) {
    if (known.includes(name)) continue;
    const knownFix = fieldOf(fixes, name);
    const meant = knownFix === undefined ? closest(name, known) : undefined;
    if (meant !== undefined && !given.has(meant)) misspelt.add(meant);
    const only = known.length === 1 ? `Use only ${known[0]}` : `Use only ${listed(known)}`;
    const fix = knownFix ?? (meant === undefined ? only : `Did you mean "${meant}"?`);
    problems.push(problem("unknown-key", key.where, `Key "${name}" is unknown`, fix));
  }
  return misspelt;
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Returns the name in messages. The root has no name. */
function describeName(name: string): string {
  return name === "" ? "The file" : `"${name}"`;
}

function problem(code: ProblemCode, where: Position, what: string, fix: string): Problem {
  return { code, where: [where], what, fix };
}

function wrongType(
  node: YamlNode,
  what: string,
  fix: string,
  found = describeNodeType(node),
): Problem {
  const facts = [{ label: "found", value: found }];
  return { ...problem("wrong-type", node.where, what, fix), facts };
}
