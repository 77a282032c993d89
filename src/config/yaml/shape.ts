import { fieldOf, type JsonObject } from "../../model/json.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import type { ProblemCode } from "../../model/problems/problem-codes.ts";
import { closest } from "../../model/text/closest.ts";
import { kindOf, type YamlMap, type YamlNode } from "./node.ts";

/**
 * Describes the expected form of a YAML node. A shape reads a node as typed data and reports every
 * mismatch with its position.
 * A value that doesn't match is omitted from the result, so that the rest is still checked.
 */
export interface Shape<T> {
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
): Shape<T> {
  return Object.assign(
    (node: YamlNode, name: string, problems: Problem[]) => read(node, name, problems),
    { schema },
  );
}

/** Adds rules to the schema that the reader doesn't check. */
export function withRules<S extends Shape<unknown>>(shape: S, rules: JsonObject): S {
  return Object.assign(shape, { schema: { ...shape.schema, ...rules } });
}

/** A string with its position, for rules that check it later. */
export interface Text {
  readonly value: string;
  readonly where: Position;
}

interface Field<T> {
  readonly required: boolean;
  readonly shape: Shape<T>;
  /** The text after the name of the field in the advice to add it. */
  readonly example?: string;
  /** The description that editors show. */
  readonly description?: string;
}

export function required<T>(shape: Shape<T>, example = ""): Field<T> {
  return { required: true, shape, example };
}

export function optional<T>(shape: Shape<T>): Field<T | undefined> {
  return { required: false, shape };
}

/** Adds a description for editors to a field. */
export function described<T>(description: string, field: Field<T>): Field<T> {
  return { ...field, description };
}

/**
 * A string that isn't empty. Numbers keep their written form: a revision `1.10` or `7654321` is a
 * name, not a quantity.
 */
export const text: Shape<Text> = shape(readText, { type: ["string", "number"], minLength: 1 });

function readText(node: YamlNode, name: string, problems: Problem[]): Text | undefined {
  const value =
    node.kind === "scalar" ? (typeof node.value === "number" ? node.source : node.value) : node;
  if (typeof value === "string" && value !== "") return { value, where: node.where };
  const found = value === "" ? "empty" : kindOf(node);
  problems.push(
    problem(
      "wrong-type",
      node.where,
      `"${name}" must be text, but is ${found}`,
      `Give "${name}" a text`,
    ),
  );
  return undefined;
}

export const anything: Shape<YamlNode> = shape((node) => node, {});

export const anyMap: Shape<YamlMap> = shape(readMap, { type: "object" });

function readMap(node: YamlNode, name: string, problems: Problem[]): YamlMap | undefined {
  if (node.kind === "map") return node;
  const what = `${called(name)} must be a map, but is ${kindOf(node)}`;
  problems.push(problem("wrong-type", node.where, what, `Write its fields as "name: value"`));
  return undefined;
}

/** Returns a shape for one of the allowed strings. `synonyms` are the names in other tools. */
export function oneOf<T extends string>(
  allowed: readonly T[],
  synonyms: ReadonlyMap<string, T> = new Map(),
): Shape<T> {
  return shape(
    (node, name, problems) => {
      const found = text(node, name, problems);
      const match = allowed.find((candidate) => candidate === found?.value);
      if (found !== undefined && match === undefined) {
        const what = `"${found.value}" is not a ${name}`;
        const meant = synonyms.get(found.value.toLowerCase()) ?? closest(found.value, allowed);
        const hint = meant === undefined ? "" : `Did you mean "${meant}"? `;
        problems.push(
          problem("unknown-value", node.where, what, `${hint}Use one of ${allowed.join(", ")}`),
        );
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

export function listOf<T>(item: Shape<T>): Shape<readonly T[]> {
  const read = (node: YamlNode, name: string, problems: Problem[]): readonly T[] | undefined => {
    if (node.kind === "list" && node.items.length <= maxItems) {
      const items = node.items.map((each, index) => item(each, `${name}[${index}]`, problems));
      return items.filter((each) => each !== undefined);
    }
    const what =
      node.kind === "list"
        ? `"${name}" has more than ${maxItems} items`
        : `"${name}" must be a list, but is ${kindOf(node)}`;
    const start = item.firstField === undefined ? "- " : `- ${item.firstField}: …`;
    const fix = node.kind === "list" ? "Use fewer" : `Start every item with "${start}"`;
    problems.push(
      problem(node.kind === "list" ? "input-too-large" : "wrong-type", node.where, what, fix),
    );
    return undefined;
  };
  return shape(read, { type: "array", maxItems, items: item.schema });
}

type Fields<T> = { readonly [K in keyof T]: Field<T[K]> };

/**
 * Returns a shape for an object with exactly these fields and its position. `fixes` contains advice
 * for keys that users expect but that don't exist.
 */
export function record<T extends object>(
  fields: Fields<T>,
  fixes: Readonly<Record<string, string>> = {},
): Shape<T & { readonly where: Position }> {
  const names = Object.keys(fields);
  const all = Object.entries<Field<unknown>>(fields);
  const firstField = all.find(([, field]) => field.required)?.[0];
  const read = (
    node: YamlNode,
    name: string,
    problems: Problem[],
  ): (T & { readonly where: Position }) | undefined => {
    const map = node.kind === "map" ? node : notARecord(node, name, firstField, problems);
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
  const made = shape(read, schemaOf(all));
  return firstField === undefined ? made : Object.assign(made, { firstField });
}

function schemaOf(fields: readonly (readonly [string, Field<unknown>])[]): JsonObject {
  const required = fields.filter(([, field]) => field.required).map(([key]) => key);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([key, field]) => [key, fieldSchema(field)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** Returns the schema of a field. An optional field can be present without a value. */
function fieldSchema({ required, shape: { schema }, description }: Field<unknown>): JsonObject {
  const { type } = schema;
  const types = typeof type === "string" ? [type] : type;
  const orNull = required || !Array.isArray(types) ? {} : { type: [...types, "null"] };
  return { ...(description === undefined ? {} : { description }), ...schema, ...orNull };
}

/**
 * Reports a value that isn't an object. In `- acme.example/web`, for example, the name of the field
 * is missing.
 */
function notARecord(
  node: YamlNode,
  name: string,
  firstField: string | undefined,
  problems: Problem[],
): undefined {
  const isText = node.kind === "scalar" && node.value !== null;
  if (!isText || firstField === undefined || name === "") anyMap(node, name, problems);
  else {
    const what = `${called(name)} must be a map, but is ${kindOf(node)}`;
    problems.push(
      problem("wrong-type", node.where, what, `Write "${firstField}: " in front of it`),
    );
  }
  return undefined;
}

function readField(
  map: YamlMap,
  name: string,
  key: string,
  field: Field<unknown>,
  problems: Problem[],
): unknown {
  const entry = map.entries.find((each) => each.name === key);
  // Users write `key:` without a value to omit an optional field.
  const empty = entry?.value.kind === "scalar" && entry.value.value === null;
  if (entry !== undefined && !(empty && !field.required))
    return field.shape(entry.value, key, problems);
  if (entry === undefined && field.required) {
    const fix = `Add "${key}:"${field.example ? ` ${field.example}` : ""}`;
    problems.push(problem("missing-key", map.where, `${called(name)} has no "${key}"`, fix));
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
    problems.push(problem("unknown-key", key.where, `Unknown key "${name}"`, fix));
  }
  return misspelt;
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Returns the name in messages. The root has no name. */
function called(name: string): string {
  return name === "" ? "The file" : `"${name}"`;
}

function problem(code: ProblemCode, where: Position, what: string, fix: string): Problem {
  return { code, where: [where], what, fix };
}
