/** What a field of a Kubernetes object may hold, as far as that is certain: "any" wherever it is not. */
export type FieldType = ScalarType | ListType | MapType | ObjectType;

export type ScalarType = "any" | "text" | "integer" | "number" | "boolean";

interface ListType {
  readonly type: "list";
  readonly of: FieldType;
}

interface MapType {
  readonly type: "map";
  readonly of: FieldType;
}

/** May contain itself. */
export interface ObjectType {
  readonly type: "object";
  readonly fields: ReadonlyMap<string, FieldType>;
  readonly required: readonly string[];
  /** Required fields in which null is a value; undefined for none. */
  readonly nullable?: ReadonlySet<string>;
  /** Other fields are kept, whatever they are. */
  readonly open: boolean;
}

/** The types of all kinds that a Kubernetes version has itself, as they are stored (scripts/builtin-kinds.ts). */
export interface StoredKinds {
  /** Of Kubernetes, e.g. "1.36". */
  readonly version: string;
  /** `apps/v1/Deployment` → its place in `types`. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly types: readonly StoredObject[];
  /** Place of the type of `metadata`, which custom resources have, too. */
  readonly metadata: number;
}

export interface StoredObject {
  readonly fields: Readonly<Record<string, StoredType>>;
  readonly required?: readonly string[];
}

/** A number is a place in `types`. */
export type StoredType = ScalarType | number | readonly ["list" | "map", StoredType];
