import { paramListsSchema } from "../config/parse-params.ts";
import { typeSchemas } from "../config/read-typed.ts";
import { at, isObject, type JsonObject } from "../model/json.ts";
import type { ParamDeclaration } from "../model/sources/config.ts";
import { schemaDocument } from "./config-schema.ts";

/** Returns the schema of any parameter file, or of files for the declared parameters. */
export function paramsDocument(declared?: readonly ParamDeclaration[]): JsonObject {
  const byName = Map.groupBy(declared ?? [], ({ name }) => name);
  const isKnown = declared !== undefined;
  return schemaDocument("Parameter values for a config", "qvs-yaml.md#parameters", {
    if: listForm,
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
    then: isKnown ? listsSchema(byName) : paramListsSchema,
    else: isKnown ? valuesSchema(byName) : { type: ["object", "null"] },
  });
}

/**
 * The schema that distinguishes a list of parameters from a parameter with the name `params`. The
 * parser uses the same rule.
 */
const listOfMaps: JsonObject = { type: "array", items: { type: "object" } };
const listForm: JsonObject = {
  type: "object",
  minProperties: 1,
  properties: { params: listOfMaps, secrets: listOfMaps },
  additionalProperties: false,
};

type DeclaredParams = ReadonlyMap<string, readonly ParamDeclaration[]>;

function valuesSchema(declared: DeclaredParams): JsonObject {
  const properties = [...declared].map(([name, all]) => [name, valueSchema(all)] as const);
  return {
    type: ["object", "null"],
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

/**
 * Returns the schema of a value. If several configs declare the name, it allows each of their
 * types.
 */
function valueSchema(declarations: readonly ParamDeclaration[]): JsonObject {
  const byType = Map.groupBy(declarations, ({ type }) => type);
  const types = [...byType.keys()];
  const places = [...byType].map(
    ([type, all]) => `${type}, declared in ${all.map(({ where }) => where.file).join(", ")}`,
  );
  const [first = "string", ...others] = types;
  const schema =
    others.length === 0 ? typeSchemas[first] : { anyOf: types.map((type) => typeSchemas[type]) };
  return { description: places.join("\n\n"), ...schema };
}

function listsSchema(declared: DeclaredParams): JsonObject {
  const secrets = [...declared].filter(([, all]) => all.some(({ type }) => type === "secret"));
  const rules = [...declared].map(([name, all]) => ({
    if: { properties: { name: { const: name } }, required: ["name"] },
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
    then: { properties: { value: valueSchema(all) } },
  }));
  return restrictNames(
    restrictNames(paramListsSchema, "params", [...declared.keys()], { allOf: rules }),
    "secrets",
    secrets.map(([name]) => name),
    {},
  );
}

function restrictNames(
  lists: JsonObject,
  list: string,
  names: readonly string[],
  rules: JsonObject,
): JsonObject {
  const field = at(lists, "properties", list);
  const item = at(field, "items");
  const properties = at(item, "properties");
  const name = at(properties, "name");
  const all = at(lists, "properties");
  if (![field, item, properties, name, all].every(isObject)) throw new Error(`No list ${list}`);
  const merge = (a: unknown, b: JsonObject): JsonObject => ({ ...(a as JsonObject), ...b });
  const named = merge(properties, { name: merge(name, names.length === 0 ? {} : { enum: names }) });
  const isUsed = Object.keys(rules).length > 0 && names.length > 0;
  const items = merge(item, { properties: named, ...(isUsed ? rules : {}) });
  return merge(lists, { properties: merge(all, { [list]: merge(field, { items }) }) });
}
