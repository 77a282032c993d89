import { at, fieldOf, isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { isEmbedded } from "./embedded.ts";

/**
 * Returns the value as the API server stores it.
 * It has the defaults of the schema, and no fields outside the schema.
 */
export function storedValue(value: Json, schema: JsonObject): Json {
  return applyDefaults(value, schema, { left: maxDefaults });
}

/**
 * The maximum number of defaults, far more than an object in a cluster can have.
 * A few lines can request millions, with one default for each of many items.
 */
const maxDefaults = 100_000;

interface DefaultsBudget {
  left: number;
}

function applyDefaults(value: Json, schema: JsonObject, room: DefaultsBudget): Json {
  if (isList(value)) {
    const { items } = schema;
    return isObject(items) ? value.map((item) => applyDefaults(item, items, room)) : value;
  }
  if (!isObject(value)) return value;
  const { properties } = schema;
  const { additionalProperties: inner } = schema;
  if (!isObject(properties) && isObject(inner)) {
    return mapFields(value, (item) => applyDefaults(item, inner, room));
  }
  const keepsOthers = schema["x-kubernetes-preserve-unknown-fields"] === true || inner === true;
  if (!isObject(properties) && (keepsOthers || schema["type"] !== "object")) return value;
  const fields = isObject(properties) ? properties : {};
  const known = Object.entries(value).flatMap(([name, item]) => {
    const below = fieldOf(fields, name);
    if (isObject(below)) return [[name, applyDefaults(item, below, room)] as const];
    return keepsOthers || (isEmbedded(schema) && commonFields.has(name))
      ? [[name, item] as const]
      : [];
  });
  return Object.fromEntries([...known, ...missingDefaults(value, fields, room)]);
}

const commonFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

function missingDefaults(
  value: JsonObject,
  properties: JsonObject,
  room: DefaultsBudget,
): [string, Json][] {
  if (room.left <= 0) return [];
  const all = Object.entries(properties);
  room.left -= all.length;
  return all.flatMap(([name, below]): [string, Json][] => {
    const defaultValue = at(below, "default");
    const current = fieldOf(value, name);
    const isMissing = current === undefined || (current === null && at(below, "nullable") !== true);
    return isMissing && defaultValue !== undefined
      ? [[name, applyDefaults(defaultValue, below as JsonObject, room)]]
      : [];
  });
}

function mapFields(value: JsonObject, change: (item: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item)]));
}
