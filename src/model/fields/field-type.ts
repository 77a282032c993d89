/** The type of a field in a Kubernetes object; "any" if the type isn't certain. */
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

/** An object type. It can contain itself. */
export interface ObjectType {
  readonly type: "object";
  readonly fields: ReadonlyMap<string, FieldType>;
  readonly required: readonly string[];
  /** The required fields that can be null; undefined if there are none. */
  readonly nullable?: ReadonlySet<string>;
  /** True if the API server keeps unknown fields. */
  readonly open: boolean;
}

/**
 * The types of all kinds in one Kubernetes version, as stored in the build
 * (scripts/builtin-kinds.ts).
 */
export interface StoredKinds {
  /** The Kubernetes version, e.g. "1.36". */
  readonly version: string;
  /** `apps/v1/Deployment` → its index in `types`. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly types: readonly StoredObject[];
  /** The index of the type of `metadata`, which custom resources also have. */
  readonly metadata: number;
}

export interface StoredObject {
  readonly fields: Readonly<Record<string, StoredType>>;
  readonly required?: readonly string[];
}

/** A stored type. A number is an index in `types`. */
export type StoredType = ScalarType | number | readonly ["list" | "map", StoredType];
