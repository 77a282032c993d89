import { hasBehavior, type ServerVersion } from "../model/cluster/api/server-version.ts";
import { isList, isObject, type Json, type JsonObject, listAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";

/**
 * Returns a CustomResourceDefinition with the formats that an API server of this version checks.
 * Older servers ignore the formats of integers.
 */
export function withCheckedFormats(
  definition: KubeObject,
  server: ServerVersion | undefined,
): KubeObject {
  const { spec } = definition;
  if (hasBehavior("integerFormats", server) || !isObject(spec)) return definition;
  const versions = listAt(spec, "versions").map((version) => {
    if (!isObject(version) || !isObject(version["schema"])) return version;
    const schema = mapSchemas(version["schema"], ["openAPIV3Schema"], withoutIntegerFormats);
    return { ...version, schema };
  });
  return { ...definition, spec: { ...spec, versions } };
}

/** The fields of a schema that contain a schema, a list of them, or an object of them. */
const single = ["items", "additionalProperties", "not"];
const lists = ["allOf", "anyOf", "oneOf"];
const byName = ["properties"];

function withoutIntegerFormats(schema: JsonObject): JsonObject {
  const { format, ...others } = schema;
  const own = schema["type"] === "integer" && format !== undefined ? others : schema;
  const inLists = mapFields(own, lists, (parts) =>
    isList(parts) ? parts.map((part) => mapSchema(part, withoutIntegerFormats)) : parts,
  );
  const inObjects = mapFields(inLists, byName, (parts) =>
    isObject(parts) ? mapSchemas(parts, Object.keys(parts), withoutIntegerFormats) : parts,
  );
  return mapSchemas(inObjects, single, withoutIntegerFormats);
}

type SchemaChange = (schema: JsonObject) => JsonObject;

function mapSchemas(
  object: JsonObject,
  names: readonly string[],
  change: SchemaChange,
): JsonObject {
  return mapFields(object, names, (value) => mapSchema(value, change));
}

function mapSchema(value: Json, change: SchemaChange): Json {
  return isObject(value) ? change(value) : value;
}

function mapFields(
  object: JsonObject,
  names: readonly string[],
  change: (value: Json) => Json,
): JsonObject {
  const chosen = new Set(names);
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, chosen.has(name) ? change(value) : value]),
  );
}
