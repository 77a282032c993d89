import type { FieldType, StoredKinds } from "../model/fields/field-type.ts";
import { versionRange } from "../model/kubernetes-versions.ts";
import { type KindTypes, linkKindTypes } from "./kind-types.ts";

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
