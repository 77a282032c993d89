import type { Json } from "./json.ts";
import type { Position } from "./problems/problem.ts";

/** What an adapter tells about itself before anybody gives it params. */
export interface AdapterDescription {
  /** The import path under which it was asked for. */
  readonly pattern: string;
  readonly name: string;
  readonly description: string;
  /** The deprecated group that the adapter gives itself; "" for none. */
  readonly group: string;
  /** The comments above the package clause and above DesignPattern, with line ends. */
  readonly doc: string;
  readonly position: Position | undefined;
  readonly parameters: StructShape;
  readonly conditions: readonly Condition[];
  readonly composites: readonly Composite[];
  /** False when more of `composites` may come with params. */
  readonly compositesKnown: boolean;
  readonly resources: { readonly appSetup: ResourceIds; readonly app: ResourceIds };
  /** A CI/CD adapter: it has no resources, composites or defer, and compiles to nothing here. */
  readonly pipelinesOnly: boolean;
}

/** The ids of an adapter's own resources in one stage. */
export interface ResourceIds {
  readonly ids: readonly string[];
  /** Whether there are more, whose ids are made from params. */
  readonly more: boolean;
}

/** A part of `parameters` that is declared only when something holds, as it is written. */
interface Condition {
  readonly text: string;
  readonly position?: Position;
}

export interface Composite {
  /** Import path; "" for a pattern that is no package's DesignPattern. */
  readonly pattern: string;
  readonly name: string;
  readonly group: string;
  /** One level of them only. */
  readonly composites: readonly Composite[];
}

export interface Parameter {
  readonly name: string;
  readonly shape: Shape;
  /**
   * What happens when it is left out: an error, nothing, `default` counts, `computed` is made from other params; or it is
   * declared only when something holds.
   */
  readonly presence: "required" | "optional" | "default" | "computed" | "conditional";
  readonly default?: Json;
  /** CUE source; absent where it is made of parts that are computed. */
  readonly computed?: string;
  readonly doc?: string;
  readonly position?: Position;
}

/** Which values are allowed. `name` is that of the definition or type which the adapter refers to. `kinds` are CUE's, as `(int|string)`. */
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
      /** Those behind them; there are none without it. */
      readonly rest?: Shape;
      readonly name?: string;
    }
  /** What only other params can tell, as it is written. */
  | {
      readonly is: "source";
      readonly text?: string;
      readonly kinds?: string;
      readonly name?: string;
    }
  /** What is described further out already, or too much to describe. */
  | { readonly is: "again"; readonly kinds?: string; readonly name?: string };

export interface StructShape {
  readonly is: "struct";
  readonly fields?: readonly Parameter[];
  /** What every field is whose name fits, e.g. `[string]: int`. */
  readonly patterns?: readonly { readonly key: Shape; readonly value: Shape }[];
  /** Whether other fields are an error. */
  readonly closed?: boolean;
  readonly name?: string;
}

/** The adapters of one module; not all of them need load. */
export interface ModuleListing {
  /** Its place among the modules of the request. */
  readonly root: number;
  /** The `module:` line. */
  readonly module: string;
  readonly adapters: readonly ListedAdapter[];
}

export interface ListedAdapter {
  readonly pattern: string;
  /** Relative to the module, "." for itself. */
  readonly folder: string;
}
