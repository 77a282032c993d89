import { configSchema } from "../config/parse-config.ts";
import type { AdapterDescription, Parameter } from "../model/description.ts";
import { at, isObject, type JsonObject } from "../model/json.ts";
import { paragraphsOf, presenceText } from "../report/describe/facts.ts";
import { parametersSchema } from "../report/describe/parameters-schema.ts";
import { typeText } from "../report/describe/type-text.ts";
import { document } from "./document.ts";
import { allowReferences } from "./references.ts";

/** The adapters that a QVS config can use; of those that can't be described, the import paths. */
export interface KnownAdapters {
  readonly described: readonly AdapterDescription[];
  readonly others: readonly string[];
}

/** Of any QVS config, or of those that use the adapters that are there. */
export function configDocument(adapters?: KnownAdapters): JsonObject {
  const schema = adapters === undefined ? configSchema : withAdapters(adapters);
  return document("Config of an application", "qvs-yaml.md", schema);
}

function withAdapters({ described, others }: KnownAdapters): JsonObject {
  const item = inside(configSchema, "properties", "designPatterns", "items");
  const rules = described
    .toSorted((a, b) => (a.pattern < b.pattern ? -1 : 1))
    .map((adapter) => ({
      if: { properties: { pattern: { enum: spellings(adapter.pattern) } }, required: ["pattern"] },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: paramsRule(adapter),
    }));
  const pattern = patternSchema(inside(item, "properties", "pattern"), described, others);
  const items = {
    ...item,
    properties: { ...inside(item, "properties"), pattern },
    ...(rules.length === 0 ? {} : { allOf: rules }),
  };
  const properties = inside(configSchema, "properties");
  const designPatterns = { ...inside(properties, "designPatterns"), items };
  return { ...configSchema, properties: { ...properties, designPatterns } };
}

/** The shortest spelling of each is offered. Where a path has a major version, or more than it needs, nothing is said of it. */
function patternSchema(
  { description = "", ...rules }: JsonObject,
  described: readonly AdapterDescription[],
  others: readonly string[],
): JsonObject {
  const about = new Map([
    ...described.map((each) => [each.pattern, paragraphsOf(each).join("\n\n")] as const),
    ...others.map((name) => [name, ""] as const),
  ]);
  const names = [...about.keys()].toSorted();
  const known = {
    enum: names,
    enumDescriptions: names.map((name) => about.get(name) ?? ""),
    // In the place of a list of all that are allowed, which can be long.
    errorMessage: "None of the modules has this adapter",
  };
  const longer = { type: "string", pattern: "@v\\d+(/|:|$)|/(\\w+):\\2$" };
  return { description, ...rules, anyOf: [known, longer] };
}

/** `a.example/web`, and `a.example/web:web`, which is the same. */
function spellings(pattern: string): readonly string[] {
  const last = pattern.split("/").at(-1) ?? "";
  return last.includes(":") ? [pattern] : [pattern, `${pattern}:${last}`];
}

/**
 * A param that the adapter does not declare is refused, which `qvs compile` only warns of: in an editor a misspelt name should
 * be seen.
 */
function paramsRule(adapter: AdapterDescription): JsonObject {
  const { $schema: _, title: __, description: ___, ...params } = parametersSchema(adapter);
  const { fields = [], patterns = [] } = adapter.parameters;
  const properties = fields.map((field) => [
    field.name,
    { ...inside(params, "properties", field.name), description: aboutParam(field) },
  ]);
  const schema = allowReferences({
    ...params,
    ...(fields.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(patterns.length > 0 ? {} : { additionalProperties: false }),
  });
  const isRequired = fields.some(({ presence }) => presence === "required");
  const description = [`Params of ${adapter.pattern}`, ...paragraphsOf(adapter)].join("\n\n");
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

/** `How many Pods there are`, and below it `int, default 2`: what `qvs describe` says. */
function aboutParam(field: Parameter): string {
  const facts = `${typeText(field.shape)}, ${presenceText(field)}`;
  return [field.doc?.trim() ?? "", facts].filter((text) => text !== "").join("\n\n");
}

function inside(schema: JsonObject, ...path: readonly string[]): JsonObject {
  const found = at(schema, ...path);
  if (isObject(found)) return found;
  throw new Error(`The schema of QVS configs has no ${path.join(".")}`);
}
