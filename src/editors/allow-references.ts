import { isList, isObject, type Json, type JsonObject } from "../model/json.ts";

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
