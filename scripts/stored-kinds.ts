import type {
  ScalarType,
  StoredKinds,
  StoredObject,
  StoredType,
} from "../src/model/fields/field-type.ts";

/**
 * The fields of an OpenAPI v3 document that are read. There is one document for each group and
 * version.
 */
export interface OpenApi {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const metadataName = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/**
 * Returns the kinds with metadata, so without lists and options, and the types of their fields,
 * without descriptions, formats and enums. The order of the documents doesn't change the result.
 * `places` contains the places of types in the results of other versions, and gets the new ones.
 * With equal places, the results of several versions are almost equal and compress well.
 */
export function storedKinds(
  version: string,
  documents: readonly OpenApi[],
  places = new Map<string, number>(),
): StoredKinds {
  const schemas = new Map(
    documents.flatMap(({ components }) => Object.entries(components?.schemas ?? {})),
  );
  const kinds = [...schemas].flatMap(([name, schema]) =>
    hasMetadata(schema)
      ? (schema["x-kubernetes-group-version-kind"] ?? []).map((gvk) => [keyOf(gvk), name] as const)
      : [],
  );
  const place = (name: string) => {
    const known = places.get(name) ?? places.size;
    places.set(name, known);
    return known;
  };
  const metadata = place(metadataName);
  const stored = kinds.toSorted(byText).map(([key, name]) => [key, place(name)] as const);
  const types: StoredObject[] = [];
  // A type can add more places.
  for (const name of places.keys()) types.push(storedObject(name, schemas, place));
  return { version, kinds: Object.fromEntries(stored), types, metadata };
}

function keyOf({ group, version, kind }: GroupVersionKind): string {
  return [...(group === "" ? [] : [group]), version, kind].join("/");
}

function hasMetadata({ properties }: Schema): boolean {
  const { metadata } = properties ?? {};
  return metadata !== undefined && nameOf(metadata) === metadataName;
}

function storedObject(
  name: string,
  schemas: ReadonlyMap<string, Schema>,
  place: (name: string) => number,
): StoredObject {
  const { properties = {}, required: named = [] } = schemas.get(name) ?? {};
  const fields = Object.entries(properties).toSorted(byText);
  const required = named.filter((field) => isRefusedWithout(name, field, properties[field])).sort();
  return {
    fields: Object.fromEntries(
      fields.map(([field, schema]) => [field, storedType(schema, schemas, place)]),
    ),
    ...(required.length > 0 ? { required } : {}),
  };
}

function storedType(
  schema: Schema,
  schemas: ReadonlyMap<string, Schema>,
  place: (name: string) => number,
): StoredType {
  const name = nameOf(schema);
  if (name !== undefined) {
    const named = schemas.get(name) ?? {};
    return named.properties === undefined ? storedType(named, schemas, place) : place(name);
  }
  const { type, items, additionalProperties } = schema;
  if (type === "array" && items !== undefined) return ["list", storedType(items, schemas, place)];
  if (typeof additionalProperties === "object") {
    return ["map", storedType(additionalProperties, schemas, place)];
  }
  return scalars.get(type ?? "") ?? "any";
}

/**
 * The scalar types. An int-or-string and a quantity have no type here, and an object without fields
 * is free-form: all of them are "any".
 */
const scalars: ReadonlyMap<string, ScalarType> = new Map([
  ["string", "text"],
  ["integer", "integer"],
  ["number", "number"],
  ["boolean", "boolean"],
]);

function nameOf({ $ref, allOf }: Schema): string | undefined {
  const reference = $ref ?? (allOf?.length === 1 ? allOf[0]?.$ref : undefined);
  return reference?.split("/").at(-1);
}

/**
 * Returns true if the server certainly rejects an object without the field. "required" often means
 * only that the field is always in a response: the server reads missing fields as false, 0, "" or
 * empty, and sets defaults.
 */
function isRefusedWithout(name: string, field: string, schema: Schema | undefined): boolean {
  const isStable = /\.v\d+\.\w+$/.test(name);
  const mayBeEmpty = schema?.type === "boolean" || schema?.type === "array";
  const short = `${name.split(".").at(-1)}.${field}`;
  return isStable && !mayBeEmpty && !optionalFields.has(short);
}

const optionalFields: ReadonlySet<string> = new Set([
  "ControllerRevision.revision",
  "CSIDriver.spec",
  "CustomResourceConversion.strategy",
  "Event.eventTime",
  "HTTPHeader.value",
  "ISCSIPersistentVolumeSource.lun",
  "ISCSIVolumeSource.lun",
  "SleepAction.seconds",
  "Sysctl.value",
  "TokenRequest.audience",
]);

function byText([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
