import { configSchema } from "../config/parse-config.ts";
import { deploymentsSchema } from "../config/parse-deployments.ts";
import { at, isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { publication } from "../model/publication.ts";
import type { AdapterDescription, Parameter } from "../model/sources/description.ts";
import { adapterParagraphs, presenceText } from "../report/describe/adapter-facts.ts";
import { parametersSchema } from "../report/describe/parameters-schema.ts";
import { typeText } from "../report/describe/type-text.ts";

export function deploymentsDocument(): JsonObject {
  return schemaDocument("Deployments of a repository", "deployments-yaml.md", deploymentsSchema);
}

/**
 * Returns a schema as a document of JSON Schema draft 7.
 * JetBrains' editors and older releases of yaml-language-server (VS Code, Neovim) don't support
 * newer drafts. The document has no title, because yaml-language-server would show it above every
 * field. `page` is relative to docs/reference.
 */
export function schemaDocument(what: string, page: string, schema: JsonObject): JsonObject {
  const url = `https://github.com/${publication.repository}/blob/main/docs/reference/${page}`;
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    description: `${what}. See ${url}`,
    ...schema,
  };
}

/**
 * The adapters that a config can use. `others` contains the import paths of adapters that can't be
 * described.
 */
export interface KnownAdapters {
  readonly described: readonly AdapterDescription[];
  readonly others: readonly string[];
}

/** Returns the schema of any config, or of configs that use the known adapters. */
export function configDocument(adapters?: KnownAdapters): JsonObject {
  const schema = adapters === undefined ? configSchema : withAdapters(adapters);
  return schemaDocument("Config of an application", "qvs-yaml.md", schema);
}

function withAdapters({ described, others }: KnownAdapters): JsonObject {
  const item = subschema(configSchema, "properties", "designPatterns", "items");
  const rules = described
    .toSorted((a, b) => (a.pattern < b.pattern ? -1 : 1))
    .map((adapter) => ({
      if: { properties: { pattern: { enum: spellings(adapter.pattern) } }, required: ["pattern"] },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: paramsRule(adapter),
    }));
  const pattern = patternSchema(subschema(item, "properties", "pattern"), described, others);
  const items = {
    ...item,
    properties: { ...subschema(item, "properties"), pattern },
    ...(rules.length === 0 ? {} : { allOf: rules }),
  };
  const properties = subschema(configSchema, "properties");
  const designPatterns = { ...subschema(properties, "designPatterns"), items };
  return { ...configSchema, properties: { ...properties, designPatterns } };
}

/**
 * Returns the schema of an adapter's import path. It offers the shortest spelling of each, and
 * accepts any path with a major version or a redundant package.
 */
function patternSchema(
  { description = "", ...rules }: JsonObject,
  described: readonly AdapterDescription[],
  others: readonly string[],
): JsonObject {
  const about = new Map([
    ...described.map((each) => [each.pattern, adapterParagraphs(each).join("\n\n")] as const),
    ...others.map((name) => [name, ""] as const),
  ]);
  const names = [...about.keys()].toSorted();
  const known = {
    enum: names,
    enumDescriptions: names.map((name) => about.get(name) ?? ""),
    // This message replaces the list of allowed values, which can be long.
    errorMessage: "No module contains this adapter",
  };
  const longer = { type: "string", pattern: "@v\\d+(/|:|$)|/(\\w+):\\2$" };
  return { description, ...rules, anyOf: [known, longer] };
}

/** Returns the equivalent spellings of a path: `a.example/web` and `a.example/web:web`. */
function spellings(pattern: string): readonly string[] {
  const last = pattern.split("/").at(-1) ?? "";
  return last.includes(":") ? [pattern] : [pattern, `${pattern}:${last}`];
}

/**
 * Returns the rule for an adapter's parameters.
 * It rejects undeclared parameters, while `qvs compile` only prints a warning. An editor should
 * show a misspelled name.
 */
function paramsRule(adapter: AdapterDescription): JsonObject {
  const { $schema: _, title: __, description: ___, ...params } = parametersSchema(adapter);
  const { fields = [], patterns = [] } = adapter.parameters;
  const properties = fields.map((field) => [
    field.name,
    { ...subschema(params, "properties", field.name), description: describeParam(field) },
  ]);
  const schema = allowReferences({
    ...params,
    ...(fields.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(patterns.length > 0 ? {} : { additionalProperties: false }),
  });
  const isRequired = fields.some(({ presence }) => presence === "required");
  const description = [`Params of ${adapter.pattern}`, ...adapterParagraphs(adapter)].join("\n\n");
  return {
    properties: {
      params: {
        description,
        ...schema,
        ...(isRequired ? {} : { type: ["object", "null"] }),
      },
    },
    ...(isRequired ? { required: ["params"] } : {}),
  };
}

/**
 * Describes a parameter like `qvs describe`: `How many Pods there are`, and below it `int, default
 * 2`.
 */
function describeParam(field: Parameter): string {
  const facts = `${typeText(field.shape)}, ${presenceText(field)}`;
  return [field.doc?.trim() ?? "", facts].filter((text) => text !== "").join("\n\n");
}

function subschema(schema: JsonObject, ...path: readonly string[]): JsonObject {
  const found = at(schema, ...path);
  if (isObject(found)) return found;
  throw new Error(`The schema of QVS configs has no ${path.join(".")}`);
}

/**
 * Converts the schema of an adapter's parameters into one for a config, in draft 7.
 * Each value can also be a string with `$(params.NAME)`. An item of a list can stand for several
 * items, and a key can contain a reference.
 */
export function allowReferences(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([keyword, value]) =>
    isTuple(schema) && keyword === "items"
      ? []
      : [[keyword, rewrite(keyword, value)] as [string, Json]],
  );
  const written = Object.fromEntries(entries);
  // Editors don't show comments, and their positions change with every line of the adapter.
  const { prefixItems, $comment: _, ...others } = written;
  const tuple = isList(prefixItems) ? tupleItems(prefixItems, schema["items"]) : {};
  return { ...others, ...tuple, ...keysWithReferences(schema) };
}

function isTuple(schema: JsonObject): boolean {
  return schema["prefixItems"] !== undefined;
}

function tupleItems(items: readonly Json[], further: Json | undefined): JsonObject {
  return {
    items,
    ...(further === undefined ? {} : { additionalItems: rewrite("items", further) }),
  };
}

function keysWithReferences(schema: JsonObject): JsonObject {
  if (schema["additionalProperties"] !== false) return {};
  const named = schema["patternProperties"];
  return { patternProperties: { ...(isObject(named) ? named : {}), [reference]: {} } };
}

const reference = "\\$\\(params\\.";
const isReference = { type: "string", pattern: reference };
const hasManyItems = {
  type: "array",
  contains: { type: "string", pattern: `^${reference}[^()]*\\[\\*\\]\\)$` },
};

function rewrite(keyword: string, value: Json): Json {
  if (keyword === "properties" || keyword === "patternProperties") {
    const fields = isObject(value) ? Object.entries(value) : [];
    return Object.fromEntries(fields.map(([name, each]) => [name, valueSchema(each)]));
  }
  if (keyword === "items" || keyword === "additionalProperties") return valueSchema(value);
  if (keyword === "prefixItems" && isList(value)) return value.map(valueSchema);
  if ((keyword === "anyOf" || keyword === "allOf") && isList(value)) {
    return value.map((each) => (isObject(each) ? allowReferences(each) : each));
  }
  return value;
}

/** Returns the schema of a value that can be a reference. A string accepts references already. */
function valueSchema(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { description, default: value, $comment: _, ...rules } = schema;
  const about = {
    ...(description === undefined ? {} : { description }),
    ...(value === undefined ? {} : { default: value }),
  };
  const names = Object.keys(rules);
  if (names.length === 0 || (names.length === 1 && rules["type"] === "string"))
    return { ...about, ...rules };
  const list = rules["type"] === "array" ? [hasManyItems] : [];
  return { ...about, anyOf: [allowReferences(rules), ...list, isReference] };
}
