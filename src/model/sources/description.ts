import type { Json } from "../json.ts";
import type { Position } from "../problems/problem.ts";

/** The description of an adapter without any params. */
export interface AdapterDescription {
  /** The import path of the request. */
  readonly pattern: string;
  readonly name: string;
  readonly description: string;
  /** The deprecated group that the adapter sets for itself; "" for none. */
  readonly group: string;
  /** The comments above the package clause and above DesignPattern, with line breaks. */
  readonly doc: string;
  readonly position: Position | undefined;
  readonly parameters: StructShape;
  readonly conditions: readonly ConditionalPart[];
  readonly composites: readonly DescribedComposite[];
  /** False if params can add more composites. */
  readonly compositesKnown: boolean;
  readonly resources: { readonly appSetup: ResourceIds; readonly app: ResourceIds };
  /**
   * True for a CI/CD adapter. It has no resources, composites or defer, and compiles to nothing.
   */
  readonly pipelinesOnly: boolean;
}

/** The ids of an adapter's own resources in one stage. */
export interface ResourceIds {
  readonly ids: readonly string[];
  /** True if the adapter makes more ids from params. */
  readonly more: boolean;
}

/** A part of `parameters` that is declared only under a condition, as CUE source. */
interface ConditionalPart {
  readonly text: string;
  readonly position?: Position;
}

export interface DescribedComposite {
  /** The import path; "" for a pattern that isn't the DesignPattern of a package. */
  readonly pattern: string;
  readonly name: string;
  readonly group: string;
  /** The composites of a composite are described one level deep. */
  readonly composites: readonly DescribedComposite[];
}

export interface Parameter {
  readonly name: string;
  readonly shape: Shape;
  /**
   * The effect of omitting the parameter. It is an error (`required`), has no effect (`optional`),
   * or `default` is used. A `computed` value is made from other params. A `conditional` parameter
   * is declared only under a condition.
   */
  readonly presence: "required" | "optional" | "default" | "computed" | "conditional";
  readonly default?: Json;
  /** The CUE source; undefined if its parts are computed themselves. */
  readonly computed?: string;
  readonly doc?: string;
  readonly position?: Position;
}

/**
 * The allowed values. `name` is the definition or type that the adapter refers to. `kinds` uses
 * CUE's notation, such as `(int|string)`.
 */
export type Shape =
  | { readonly is: "any"; readonly name?: string }
  | { readonly is: "kinds"; readonly kinds: string; readonly name?: string }
  | { readonly is: "value"; readonly value: Json; readonly name?: string }
  | {
      readonly is: "all" | "either";
      readonly of: readonly Shape[];
      readonly kinds?: string;
      readonly name?: string;
    }
  | {
      readonly is: "bound";
      readonly op: "<" | "<=" | ">" | ">=" | "==" | "!=" | "=~" | "!~";
      readonly value: Json;
      readonly kinds?: string;
      readonly name?: string;
    }
  | {
      readonly is: "call";
      /** A function of CUE's standard library, e.g. `strings.MinRunes`. */
      readonly op: string;
      readonly args?: readonly Json[];
      readonly text?: string;
      readonly kinds?: string;
      readonly name?: string;
    }
  | StructShape
  | {
      readonly is: "list";
      /** The first elements. */
      readonly of?: readonly Shape[];
      /** The shape of all further elements. Without it, the list has no further elements. */
      readonly rest?: Shape;
      readonly name?: string;
    }
  /** A shape that depends on other params, as CUE source. */
  | {
      readonly is: "source";
      readonly text?: string;
      readonly kinds?: string;
      readonly name?: string;
    }
  /** A shape that an outer level already describes, or that is too large to describe. */
  | { readonly is: "again"; readonly kinds?: string; readonly name?: string };

export interface StructShape {
  readonly is: "struct";
  readonly fields?: readonly Parameter[];
  /** The shapes of fields whose names match a pattern, e.g. `[string]: int`. */
  readonly patterns?: readonly { readonly key: Shape; readonly value: Shape }[];
  /** True if any other field is an error. */
  readonly closed?: boolean;
  readonly name?: string;
}

/** The adapters of one module. Some of them might not load. */
export interface ModuleListing {
  /** The index of the module in the request. */
  readonly root: number;
  /** The value of the `module:` line. */
  readonly module: string;
  readonly adapters: readonly ListedAdapter[];
}

export interface ListedAdapter {
  readonly pattern: string;
  /** The directory relative to the module; "." for the module itself. */
  readonly folder: string;
}
