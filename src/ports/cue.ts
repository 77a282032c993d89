import type { Compilation } from "../model/compilation.ts";
import type { Config, ValuePlace } from "../model/config.ts";
import type { AdapterDescription, ModuleListing } from "../model/description.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { Position, Result } from "../model/problems/problem.ts";

/** A value inside the engine. Valid until the engine is closed. */
export type CueValue = number & { readonly brand: "CueValue" };

export interface CueProblem {
  readonly message: string;
  /** Where in the value, e.g. ["resources", "app", "web", "spec"]. */
  readonly path: readonly string[];
  /** The user's own files first. */
  readonly positions: readonly Position[];
  /** Names of the file at hand, where the message is about one that was not found. */
  readonly known?: readonly string[];
}

/** A package that a module holds, whether or not it was loaded. */
export interface FoundPackage {
  /** With `:name` where the last folder is called otherwise. */
  readonly importPath: string;
  /** Whether it seems to have a DesignPattern. */
  readonly isAdapter: boolean;
  /** Whether it has a #DesignPattern instead, which nobody can use as one. */
  readonly isDefinition: boolean;
}

export type CueResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly CueProblem[] };

export interface CueField {
  readonly name: string;
  readonly value: CueValue;
  readonly optional: boolean;
  /** CUE's incomplete kind, e.g. "string", "struct", "(int|string)". */
  readonly kind: string;
  /** Its comment, with line ends. */
  readonly doc?: string;
  readonly position: Position | undefined;
}

/** JSON with the place that each value came from, so that a CUE conflict can name the line of the QVS config. */
export interface SourcedJson {
  readonly value: Json;
  readonly where: Position;
  /** Of parts of the value; any other part is where the whole is. */
  readonly places?: readonly ValuePlace[] | undefined;
}

/** One evaluation context: all values of it can be unified with each other. Synchronous: it runs inside a worker. */
export interface Cue {
  /** The value of the package at an import path (`path` or `path:package`), loaded from the module roots. */
  load(importPath: string): CueResult<CueValue>;
  lookup(value: CueValue, path: readonly string[]): CueValue | undefined;
  /** Regular and optional fields in the order of their declaration; definitions and hidden fields are left out. */
  fields(value: CueValue): readonly CueField[];
  /** The elements of a list; empty for anything that is not one. */
  elements(value: CueValue): readonly CueValue[];
  /** `value` with `addition` unified in at `path`. Conflicts are found by `validate`. */
  fill(value: CueValue, path: readonly string[], addition: CueValue): CueValue;
  unify(a: CueValue, b: CueValue): CueValue;
  /** A struct of the given fields. */
  struct(fields: Readonly<Record<string, SourcedJson>>): CueValue;
  /** Every error in `value`; with `concrete`, also everything that is not concrete. Empty when valid. */
  validate(value: CueValue, concrete: boolean): readonly CueProblem[];
  /**
   * What is wrong with a value itself and not with its parts: a condition or loop in it that cannot be decided. What
   * that would add is missing without a trace.
   */
  fault(value: CueValue): readonly CueProblem[];
  /** The value as JSON, validated as concrete, defaults taken, hidden fields and definitions left out. */
  export(value: CueValue): CueResult<Json>;
  /** Paths of CUE bytes within a concrete value; list items by their index. Its JSON shows them as Base64. */
  bytes(value: CueValue): readonly (readonly string[])[];
  position(value: CueValue): Position | undefined;
  /**
   * For each leaf of a value within `adapter`: where it is written, and the parameters of `adapter` behind it. undefined
   * when finding that out would take far longer than evaluating the adapter did.
   */
  trace(value: CueValue, adapter: CueValue): readonly CueLeaf[] | undefined;
  /** The package that a value was taken from, by import path, and where it is written there; undefined for one that is not imported. */
  definition(value: CueValue): CueDefinition | undefined;
  /** What could have been loaded, sorted; for telling what was meant when something was not found. */
  packages(): readonly FoundPackage[];
  /** From now on, what is derived from `value` is blamed on `adapter` when a limit stops it. */
  blame(value: CueValue, adapter: string): void;
  /** What a package that was loaded says of its DesignPattern, which is `pattern`; what needs params is left out. */
  describe(importPath: string, pattern: CueValue): CueDescription;
  /** The packages of every module that may be adapters, without loading them. */
  adapters(): CueResult<readonly ModuleListing[]>;
  /** Files that the loaded packages were read from, as they are displayed, sorted. */
  files(): readonly string[];
  /** Old syntax that was rewritten, once per place. */
  notices(): readonly { readonly message: string; readonly position: Position }[];
}

export interface CueDefinition {
  readonly package: string;
  readonly at?: Position;
}

/** A scalar, or an empty struct or list, with what it was made from: names and places, no values. */
export interface CueLeaf {
  readonly path: readonly string[];
  /** In CUE files only. */
  readonly at: readonly Position[];
  /** `at` says no more than what the value has to be. */
  readonly constrained: boolean;
  readonly made: readonly CueUse[];
  /** Parameters of the conditions and loops around the field, and of the names that lead to it. */
  readonly decided: readonly CueUse[];
  /** Paths below the adapter's `resources` that the value was made from. */
  readonly reads: readonly (readonly string[])[];
}

/** A parameter, and where the adapter reads it. */
export interface CueUse {
  readonly name: string;
  readonly at?: Position;
}
export type CueDescription = Omit<
  AdapterDescription,
  "pattern" | "compositesKnown" | "resources" | "pipelinesOnly"
> & {
  /** Whether the adapter declares any. */
  readonly pipelines: boolean;
};

/** Where CUE files come from. `display` is put before paths in messages, e.g. "" or "acme/adapters@v0.23.0/". */
export interface ModuleRoot {
  readonly display: string;
  readonly files: FileSource;
}

/** Files below one folder: on disk (links that lead outside are refused), or held in memory (from git objects). */
export type FileSource =
  | { readonly in: "directory"; readonly directory: string }
  | {
      readonly in: "memory";
      /** CUE files. The same object always comes with the same `embedded`. */
      readonly files: ReadonlyMap<string, string>;
      /** Every other file that an `@embed` in them names. */
      readonly embedded?: EmbeddedFiles;
    };

/** By path: the content, or why it must not be read. */
export type EmbeddedFiles = ReadonlyMap<string, Uint8Array | "outside" | "too large">;

export interface CompileRequest {
  readonly config: Config;
  readonly modules: readonly ModuleRoot[];
  /** Asks for `Compilation.trace`, which takes at most about as long again. */
  readonly trace?: boolean;
  /** Refuses manifests that are not what their kinds allow, which is told by warnings otherwise. */
  readonly check?: boolean;
  /** CustomResourceDefinitions for that, besides those that are compiled. */
  readonly definitions?: readonly JsonObject[];
}

/** One adapter, described without params. */
export interface DescribeRequest {
  /** Its import path. */
  readonly describe: string;
  readonly modules: readonly ModuleRoot[];
}

export interface ListRequest {
  readonly list: "adapters";
  readonly modules: readonly ModuleRoot[];
}

export type CompilerRequest = CompileRequest | DescribeRequest | ListRequest;

/** The compile stage with its engine, off the main thread, with its limits (docs/reference/adapters.md#limits). */
export interface Compiler {
  /**
   * Problems of the user's are in the result; a time-out or memory limit is a problem that names the adapter. What is
   * deployed is compiled by this, in the run that deploys it.
   */
  compile(request: CompileRequest): Promise<Result<Compilation>>;
  /**
   * The same, but may answer with what an earlier run made of the very same input. Whoever can write to the folder that
   * holds it can make it lie, so this is for what is only shown.
   */
  compileCached(request: CompileRequest): Promise<Result<Compilation>>;
  /** undefined when the modules hold no such package, or it has no DesignPattern. */
  describe(request: DescribeRequest): Promise<Result<AdapterDescription | undefined>>;
  /** Packages that may be adapters: it is known only after describing them. */
  list(request: ListRequest): Promise<Result<readonly ModuleListing[]>>;
  close(): Promise<void>;
}
