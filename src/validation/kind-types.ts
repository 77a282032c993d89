import type { FieldType, ObjectType, StoredKinds, StoredType } from "../model/fields/field-type.ts";
import type { JsonObject } from "../model/json.ts";
import { versionRange } from "../model/kubernetes-versions.ts";
import { customTypes } from "./custom-types.ts";

/** The types of the kinds that qvs knows without a cluster. */
export interface KindTypes {
  /** The Kubernetes version, e.g. "1.36". */
  readonly version: string;
  /** The type of each kind, by keys such as `apps/v1/Deployment`. */
  readonly builtin: ReadonlyMap<string, ObjectType>;
  readonly metadata: FieldType;
}

export interface KnownType {
  readonly type: ObjectType;
  /** True if the type comes from a CustomResourceDefinition. */
  readonly custom: boolean;
}

/**
 * Links the stored types. It creates all types before it fills them, because types can contain each
 * other.
 */
export function linkKindTypes({ version, kinds, types, metadata }: StoredKinds): KindTypes {
  const made = types.map(({ required = [] }) => ({
    type: "object" as const,
    fields: new Map<string, FieldType>(),
    required,
    open: false,
  }));
  const linked = (stored: StoredType): FieldType => {
    if (typeof stored === "number") return made[stored] ?? "any";
    if (typeof stored === "string") return stored;
    return { type: stored[0], of: linked(stored[1]) };
  };
  for (const [place, { fields }] of types.entries()) {
    for (const [name, type] of Object.entries(fields)) made[place]?.fields.set(name, linked(type));
  }
  const builtin = Object.entries(kinds).flatMap(([key, place]) => {
    const type = made[place];
    return type === undefined ? [] : [[key, type] as const];
  });
  return { version, builtin: new Map(builtin), metadata: linked(metadata) };
}

/**
 * Returns a lookup of built-in kinds and of the kinds that these objects define. An unknown kind
 * has no type.
 */
export function createTypeLookup(
  { builtin, metadata }: KindTypes,
  objects: readonly JsonObject[],
): (apiVersion: string, kind: string) => KnownType | undefined {
  const custom = customTypes(objects, metadata);
  return (apiVersion, kind) => {
    const key = `${apiVersion}/${kind}`;
    const own = builtin.get(key);
    if (own !== undefined) return { type: own, custom: false };
    const type = custom(key);
    return type === undefined ? undefined : { type, custom: true };
  };
}

/** The built-in kinds of the versions of Kubernetes that qvs knows. */
export interface KnownVersions {
  /** The versions, in ascending order. */
  readonly names: readonly string[];
  /** Returns the kinds of a version, by default the usual one. */
  types(version?: string): KindTypes;
}

/** Links the stored kinds of each version when they are needed, and only once. */
export function linkVersions(
  names: readonly string[],
  read: (version?: string) => StoredKinds,
): KnownVersions {
  const linked = new Map<string | undefined, KindTypes>();
  return {
    names,
    types: (version) => {
      const types = linked.get(version) ?? linkKindTypes(read(version));
      linked.set(version, types);
      return types;
    },
  };
}

/** Finds the versions that have a built-in kind, such as `apps/v1/Deployment`. */
export function findKind(key: string, known: KnownVersions): string | undefined {
  return describe(known, ({ builtin }) => builtin.has(key));
}

/** Finds the versions whose built-in kind has the field at this path. */
export function findField(
  key: string,
  path: readonly string[],
  known: KnownVersions,
): string | undefined {
  return describe(known, ({ builtin }) => {
    const type = builtin.get(key);
    return type !== undefined && hasField(type, path);
  });
}

function hasField(type: FieldType, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined || type === "any") return true;
  if (typeof type === "string") return false;
  if (type.type !== "object") return hasField(type.of, rest);
  const inner = type.fields.get(step);
  return inner === undefined ? type.open : hasField(inner, rest);
}

function describe(known: KnownVersions, has: (types: KindTypes) => boolean): string | undefined {
  return versionRange(
    known.names.filter((name) => has(known.types(name))),
    known.names,
  );
}
