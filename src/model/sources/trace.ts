import { isList, isObject, type Json } from "../json.ts";
import type { Position } from "../problems/problem.ts";

/** The sources of the fields of one resource: names and places, no values. */
export interface ResourceTrace {
  /** `stage/id`. */
  readonly resource: string;
  /** Every leaf of the manifest, in the order of the manifest. */
  readonly fields: readonly FieldTrace[];
}

/** The sources of one leaf. A leaf is a scalar, or an empty object or list. */
export interface FieldTrace {
  /** The path, with list items by index. */
  readonly path: readonly string[];
  /** One origin for each adapter that wrote the leaf, outermost first; never empty. */
  readonly origins: readonly FieldOrigin[];
}

/** The contribution of one use of an adapter to a field. */
export interface FieldOrigin {
  /** The path to the node of the layout: its index in each list of `composites`. */
  readonly node: readonly number[];
  readonly at: readonly Position[];
  /**
   * The parameters of that adapter that the value was made from. The list is complete, but can
   * contain too many.
   */
  readonly made: readonly ParameterUse[];
  /**
   * The parameters that decided whether the field exists: in conditions, loops, and computed names
   * of fields.
   */
  readonly decided: readonly ParameterUse[];
  /** The fields of resources that the value was made from. */
  readonly reads: readonly ResourceField[];
}

/** A parameter of an adapter, and the place where the adapter reads it. */
export interface ParameterUse {
  readonly name: string;
  readonly at: Position | undefined;
}

interface ResourceField {
  /** `stage/id`. */
  readonly resource: string;
  readonly path: readonly string[];
}

/** The source of the argument for a parameter. */
export interface ParameterSource {
  readonly at: Position | undefined;
  /** The parameters of the outer adapter or of the config that the argument was made from. */
  readonly from: readonly string[];
}

/** Returns the leaves of a value with their paths, in the order of the value. */
export function leafEntries(
  value: Json,
  path: readonly string[] = [],
): readonly (readonly [path: readonly string[], leaf: Json])[] {
  const fields = isList(value)
    ? value.map((item, index) => [String(index), item] as const)
    : isObject(value)
      ? Object.entries(value)
      : [];
  if (fields.length === 0) return [[path, value]];
  return fields.flatMap(([name, field]) => leafEntries(field, [...path, name]));
}

/** Returns a unique string for each path, whatever its steps contain. */
export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}
