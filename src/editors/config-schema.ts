import { configSchema } from "../config/parse-config.ts";
import type { AdapterDescription, Parameter } from "../model/description.ts";
import { at, isObject, type JsonObject } from "../model/json.ts";
import { paragraphsOf, presenceText } from "../report/describe/facts.ts";
import { parametersSchema } from "../report/describe/parameters-schema.ts";
import { typeText } from "../report/describe/type-text.ts";
import { document } from "./document.ts";
import { allowReferences } from "./references.ts";

/** The adapters that a QVS config can use; those that can't be described have a name only. */
export interface KnownAdapters {
  readonly patterns: readonly string[];
  readonly described: readonly AdapterDescription[];
}

/** Of any QVS config, or of those that use the adapters that are there. */
export function configDocument(adapters?: KnownAdapters): JsonObject {
  const schema = adapters === undefined ? configSchema : withAdapters(adapters);
  return document("A QVS config", "config.md#qvs-config", schema);
}

function withAdapters({ patterns, described }: KnownAdapters): JsonObject {
  const names = patterns.toSorted();
  const descriptionOf = new Map(
    described.map((each) => [each.pattern, paragraphsOf(each).join("\n\n")]),
  );
  const item = inside(configSchema, "properties", "designPatterns", "items");
  const pattern = {
    ...inside(item, "properties", "pattern"),
    enum: names,
    enumDescriptions: names.map((name) => descriptionOf.get(name) ?? ""),
  };
  const rules = described
    .toSorted((a, b) => (a.pattern < b.pattern ? -1 : 1))
    .map((adapter) => ({
      if: { properties: { pattern: { const: adapter.pattern } }, required: ["pattern"] },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      then: paramsRule(adapter),
    }));
  const items = {
    ...item,
    properties: { ...inside(item, "properties"), pattern },
    ...(rules.length === 0 ? {} : { allOf: rules }),
  };
  const properties = inside(configSchema, "properties");
  const designPatterns = { ...inside(properties, "designPatterns"), items };
  return { ...configSchema, properties: { ...properties, designPatterns } };
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
