import type { FieldType, ObjectType } from "../model/fields/field-type.ts";
import { at, isList, isObject, type Json, type JsonObject, listAt, textAt } from "../model/json.ts";
import { isEmbedded } from "./embedded.ts";
import { keepsNull } from "./nulls.ts";

/**
 * Returns a function that looks up the type of a custom kind.
 * The kinds are from the CustomResourceDefinitions among the objects. Types are created on demand.
 */
export function customTypes(
  objects: readonly JsonObject[],
  metadata: FieldType,
): (key: string) => ObjectType | undefined {
  const schemas = customSchemas(objects);
  const made = new Map<string, ObjectType>();
  return (key) => {
    const schema = schemas.get(key);
    if (schema === undefined) return undefined;
    const type = made.get(key) ?? rootType(schema, metadata);
    made.set(key, type);
    return type;
  };
}

/**
 * Returns the schemas in the CustomResourceDefinitions among some objects.
 * The keys have the form `example.com/v1/Kind`.
 */
export function customSchemas(objects: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  return new Map(objects.filter(isCrd).flatMap(versionSchemas));
}

function isCrd(object: JsonObject): boolean {
  return (
    textAt(object, "apiVersion") === "apiextensions.k8s.io/v1" &&
    textAt(object, "kind") === "CustomResourceDefinition"
  );
}

/** Returns the schemas of a definition by `example.com/v1/Kind`, for each version that has one. */
function versionSchemas(crd: JsonObject): readonly (readonly [string, JsonObject])[] {
  const group = textAt(crd, "spec", "group");
  const kind = textAt(crd, "spec", "names", "kind");
  return listAt(crd, "spec", "versions").flatMap((version) => {
    const schema = at(version, "schema", "openAPIV3Schema");
    const key = `${group}/${textAt(version, "name")}/${kind}`;
    return isObject(schema) ? [[key, schema] as const] : [];
  });
}

/**
 * Returns the type of a kind.
 * Every object has the common fields, even if its definition omits them.
 */
function rootType(schema: JsonObject, metadata: FieldType): ObjectType {
  const type = toFieldType(schema);
  const isKnown = typeof type === "object" && type.type === "object";
  const { fields, required, nullable } = isKnown ? type : openObject;
  const common = [["apiVersion", "text"] as const, ["kind", "text"] as const];
  return {
    type: "object",
    fields: new Map<string, FieldType>([...fields, ...common, ["metadata", metadata]]),
    required: required.filter((name) => name !== "status"),
    ...(nullable === undefined ? {} : { nullable }),
    // An object without any fields can't be applied. Inside an object, the API server drops the
    // content of such a part.
    open: !isKnown || keepsUnknownFields(schema),
  };
}

/** The fields of every embedded object. */
const embeddedFields = [
  ["apiVersion", "text"],
  ["kind", "text"],
  ["metadata", "any"],
] as const;

const openObject: ObjectType = { type: "object", fields: new Map(), required: [], open: true };

/**
 * Converts a schema to a type.
 * The type is "any" if the schema leaves it open, or in a form that qvs doesn't read.
 */
function toFieldType(schema: Json | undefined): FieldType {
  if (!isObject(schema) || isUntyped(schema)) return "any";
  const { type, items, additionalProperties } = schema;
  switch (type) {
    case "string":
      return "text";
    case "integer":
    case "number":
    case "boolean":
      return type;
    case "array":
      return { type: "list", of: toFieldType(items) };
    case "object":
      return isObject(additionalProperties)
        ? { type: "map", of: toFieldType(additionalProperties) }
        : objectType(schema);
    default:
      return "any";
  }
}

function isUntyped(schema: JsonObject): boolean {
  return at(schema, "x-kubernetes-int-or-string") === true || isList(schema["type"]);
}

function objectType(schema: JsonObject): ObjectType {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  // The API server silently drops the content of an object without properties.
  const isEmpty = Object.keys(properties).length === 0 && !isEmbedded(schema);
  const required = listAt(schema, "required").flatMap((name) => {
    const isGiven = typeof name === "string" && at(properties, name, "default") === undefined;
    return isGiven ? [name] : [];
  });
  const own = Object.entries(properties).map(([name, each]) => [name, toFieldType(each)] as const);
  const isNamed = isEmbedded(schema);
  return {
    type: "object",
    fields: new Map<string, FieldType>(isNamed ? [...own, ...embeddedFields] : own),
    required: isNamed ? [...new Set([...required, "apiVersion", "kind"])] : required,
    nullable: new Set(required.filter((name) => keepsNull(schema, name))),
    open: isEmpty || keepsUnknownFields(schema),
  };
}

function keepsUnknownFields({ additionalProperties, ...schema }: JsonObject): boolean {
  const isMap = additionalProperties !== undefined && additionalProperties !== false;
  return isMap || schema["x-kubernetes-preserve-unknown-fields"] === true;
}
