import { isList, isObject, type Json } from "./json.ts";
import type { Position } from "./problems/problem.ts";

/** Where the fields of one resource come from: names and places, no values. */
export interface ResourceTrace {
  /** `stage/id`. */
  readonly resource: string;
  /** Every leaf of the manifest, in its order. */
  readonly fields: readonly FieldTrace[];
}

/** A leaf is a scalar, or an empty object or list. */
export interface FieldTrace {
  /** List items by their index. */
  readonly path: readonly string[];
  /** One for each adapter that wrote it, outermost first; never empty. */
  readonly origins: readonly FieldOrigin[];
}

/** What one use of an adapter has to do with a field. */
export interface FieldOrigin {
  /** The way to the node of the layout: its place in each list of `composites`. */
  readonly node: readonly number[];
  readonly at: readonly Position[];
  /** Parameters of that adapter which the value was made from. May hold too many, but lacks none. */
  readonly made: readonly ParameterUse[];
  /** Parameters that decided that the field is there: conditions, loops, and names of fields made from them. */
  readonly decided: readonly ParameterUse[];
  /** Fields of resources that the value was made from. */
  readonly reads: readonly FieldName[];
}

/** A parameter of an adapter, and where the adapter reads it. */
export interface ParameterUse {
  readonly name: string;
  readonly at: Position | undefined;
}

interface FieldName {
  /** `stage/id`. */
  readonly resource: string;
  readonly path: readonly string[];
}

/** Where the argument for a parameter comes from. */
export interface ParameterSource {
  readonly at: Position | undefined;
  /** The parameters that it was made from: of the adapter around, or of the config. */
  readonly from: readonly string[];
}

/** The leaves of a value with their paths, in its order. */
export function leavesOf(
  value: Json,
  path: readonly string[] = [],
): readonly (readonly [path: readonly string[], leaf: Json])[] {
  const fields = isList(value)
    ? value.map((item, index) => [String(index), item] as const)
    : isObject(value)
      ? Object.entries(value)
      : [];
  if (fields.length === 0) return [[path, value]];
  return fields.flatMap(([name, field]) => leavesOf(field, [...path, name]));
}

/** One text for each path, whatever its steps contain. */
export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}
