import type { Json, JsonObject } from "../model/json.ts";
import type { Position, Result } from "../model/problems/problem.ts";
import type { Compilation } from "../model/sources/compilation.ts";
import type { Config, ValuePlace } from "../model/sources/config.ts";
import type { AdapterDescription, ModuleListing } from "../model/sources/description.ts";
import type { HelmRequest, RenderedChart, RenderedKustomization, Rendering } from "./render.ts";

/** A value inside the CUE engine. It's valid until the engine is closed. */
export type CueValue = number & { readonly brand: "CueValue" };

export interface CueProblem {
  readonly message: string;
  /** The path in the value, e.g. ["resources", "app", "web", "spec"]. */
  readonly path: readonly string[];
  /** The user's own files are first. */
  readonly positions: readonly Position[];
  /** The existing names in that file, if the message is about a name that wasn't found. */
  readonly known?: readonly string[];
}

/** A package that a module contains, whether it was loaded or not. */
export interface FoundPackage {
  /** The import path, with `:name` if the package name differs from the last directory. */
  readonly importPath: string;
  /** True if it seems to have a DesignPattern. */
  readonly isAdapter: boolean;
  /** True if it has a #DesignPattern instead. Such a package can't be used as an adapter. */
  readonly isDefinition: boolean;
}

export type CueResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly CueProblem[] };

export interface CueField {
  readonly name: string;
  readonly value: CueValue;
  readonly optional: boolean;
  /** True for a required field (`name!:`) that nothing sets. By CUE's rules, it is an error. */
  readonly required?: boolean;
  /** CUE's incomplete kind, e.g. "string", "struct", "(int|string)". */
  readonly kind: string;
  /** The doc comment, with line breaks. */
  readonly doc?: string;
  readonly position: Position | undefined;
}

/** JSON with the position of each value, so that a CUE conflict can name the line of the config. */
export interface SourcedJson {
  readonly value: Json;
  readonly where: Position;
  /** The positions of parts of the value. Any other part has the position of the whole value. */
  readonly places?: readonly ValuePlace[] | undefined;
}

/**
 * One evaluation context, whose values can be unified with each other.
 * It is synchronous, because it runs in a worker.
 */
export interface Cue {
  /**
   * Returns the value of the package at an import path (`path` or `path:package`), from the module
   * roots.
   */
  load(importPath: string): CueResult<CueValue>;
  lookup(value: CueValue, path: readonly string[]): CueValue | undefined;
  /**
   * Returns the regular and optional fields in their declared order, without definitions and hidden
   * fields.
   */
  fields(value: CueValue): readonly CueField[];
  /** Returns the elements of a list; an empty list for any other value. */
  elements(value: CueValue): readonly CueValue[];
  /** Returns `value` with `addition` unified at `path`. `validate` finds the conflicts. */
  fill(value: CueValue, path: readonly string[], addition: CueValue): CueValue;
  unify(a: CueValue, b: CueValue): CueValue;
  /** Returns a struct of the given fields. */
  struct(fields: Readonly<Record<string, SourcedJson>>): CueValue;
  /**
   * Returns every error in `value`; an empty list if it's valid.
   * With `concrete`, the result also contains everything that isn't concrete.
   */
  validate(value: CueValue, concrete: boolean): readonly CueProblem[];
  /** Returns the errors that hide fields of a value. Such fields are missing without an error. */
  fault(value: CueValue): CueFault;
  /**
   * Reports whether two values have the same parts, even if they aren't concrete. It doesn't
   * compare their constraints.
   */
  same(a: CueValue, b: CueValue): boolean;
  /**
   * Returns the value as JSON, validated as concrete, with defaults, without hidden fields and
   * definitions.
   */
  export(value: CueValue): CueResult<Json>;
  /**
   * Returns the paths of CUE bytes in a concrete value, with list items by index. In JSON they are
   * Base64.
   */
  bytes(value: CueValue): readonly (readonly string[])[];
  position(value: CueValue): Position | undefined;
  /**
   * Returns the source of each leaf of a value in `adapter`: its position, and the parameters of
   * `adapter` that it depends on.
   * Returns undefined if the trace would take far longer than the evaluation of the adapter.
   */
  trace(value: CueValue, adapter: CueValue): readonly CueLeaf[] | undefined;
  /**
   * Returns the package that a value was imported from, with its import path and its position
   * there.
   * Returns undefined for a value that isn't imported.
   */
  definition(value: CueValue): CueDefinition | undefined;
  /**
   * Lists the packages that could have been loaded, sorted, to suggest a name when one wasn't
   * found.
   */
  packages(): readonly FoundPackage[];
  /**
   * Attributes every value that is derived from `value` to `adapter` from now on, for errors about
   * exceeded limits.
   */
  blame(value: CueValue, adapter: string): void;
  /**
   * Describes the DesignPattern `pattern` of a loaded package, without the parts that need params.
   */
  describe(importPath: string, pattern: CueValue): CueDescription;
  /** Lists the packages of every module that can be adapters, without loading them. */
  adapters(): CueResult<readonly ModuleListing[]>;
  /** Lists the files of the loaded packages with their display paths, sorted. */
  files(): readonly string[];
  /** Lists the rewritten old syntax, once per place. */
  notices(): readonly { readonly message: string; readonly position: Position }[];
  /** Lists the files next to the loaded packages that might belong to them. */
  strays(): readonly StrayFile[];
}

/** The errors that hide fields of a value. */
export interface CueFault {
  /**
   * The errors of the value itself without its parts: a condition or loop that CUE can't decide, or
   * a disjunction without a default.
   */
  readonly own: readonly CueProblem[];
  /**
   * Errors of parts. Because of them, CUE no longer knows whether it could decide the conditions
   * and loops of the value itself.
   */
  readonly parts: readonly CueProblem[];
}

/** A file in the directory of a loaded package that isn't part of it. */
export interface StrayFile {
  readonly file: string;
  /** The name in its package clause; undefined without a package clause. */
  readonly package?: string;
  /** The name of the loaded package. */
  readonly loaded: string;
  /** A file of the loaded package in that directory. */
  readonly beside: string;
}

export interface CueDefinition {
  readonly package: string;
  readonly at?: Position;
  /** The errors of the package outside its fields. They can hide a part of the value. */
  readonly hidden?: readonly CueProblem[];
}

/** The source of a scalar, an empty struct or an empty list: names and positions, no values. */
export interface CueLeaf {
  readonly path: readonly string[];
  /** The positions in CUE files. */
  readonly at: readonly Position[];
  /** True if `at` contains only constraints of the value. */
  readonly constrained: boolean;
  readonly made: readonly CueParameterUse[];
  /**
   * The parameters of the conditions and loops around the field, and of the names that lead to it.
   */
  readonly decided: readonly CueParameterUse[];
  /** The paths below the adapter's `resources` that the value depends on. */
  readonly reads: readonly (readonly string[])[];
}

/** A parameter, and the position where the adapter reads it. */
export interface CueParameterUse {
  readonly name: string;
  readonly at?: Position;
}
export type CueDescription = Omit<
  AdapterDescription,
  "pattern" | "compositesKnown" | "resources" | "pipelinesOnly"
> & {
  /** True if the adapter declares pipelines. */
  readonly pipelines: boolean;
};

/**
 * The source of CUE files.
 * `display` is the prefix of paths in messages, e.g. "" or "acme/adapters@v0.23.0/".
 */
export interface ModuleRoot {
  readonly display: string;
  readonly files: FileSource;
}

/**
 * The files below one directory: on disk, or in memory (from git objects).
 * On disk, qvs rejects links that lead outside.
 */
export type FileSource =
  | { readonly in: "directory"; readonly directory: string }
  | {
      readonly in: "memory";
      /** The CUE files. The same map object always has the same `embedded`. */
      readonly files: ReadonlyMap<string, string>;
      /** Every other file that an `@embed` in them names. */
      readonly embedded?: EmbeddedFiles;
    };

/** The content by path, or the reason why qvs must not read the file. */
export type EmbeddedFiles = ReadonlyMap<string, Uint8Array | "outside" | "too large">;

export interface CompileRequest {
  readonly config: Config;
  readonly modules: readonly ModuleRoot[];
  /**
   * Requests `Compilation.trace`, which takes at most about as long as the compilation itself.
   * "inputs" traces only the objects of entries that name files, which takes almost no time.
   */
  readonly trace?: boolean | "inputs";
  /**
   * Rejects manifests that don't match the schemas of their kinds. Otherwise, they cause warnings.
   */
  readonly check?: boolean;
  /** The version of Kubernetes whose schemas that check uses, such as "1.32". */
  readonly kubernetes?: string | undefined;
  /** The CustomResourceDefinitions for that check, in addition to the compiled ones. */
  readonly definitions?: readonly JsonObject[];
  /**
   * Set if the objects of charts of adapters are missing in this compilation: before qvs renders
   * the charts, or if it can't. If there are such charts, a resource can be incomplete, because it
   * can add fields to one of their objects.
   */
  readonly lacksCharts?: boolean;
}

/** A request to describe one adapter without params. */
export interface DescribeRequest {
  /** The import path of the adapter. */
  readonly describe: string;
  readonly modules: readonly ModuleRoot[];
}

export interface ListRequest {
  readonly list: "adapters";
  readonly modules: readonly ModuleRoot[];
}

/**
 * A request to render one kustomization. The first root contains the files of the repository, and
 * the others those of `bases`.
 */
interface KustomizationRequest {
  /** The directory of the kustomization; `.` is the root. */
  readonly kustomize: string;
  /** The addresses of remote bases as kustomizations write them. */
  readonly bases: readonly string[];
  /** Requests the origin of each field. Callers use nothing else of the result. */
  readonly origins?: boolean | undefined;
  readonly modules: readonly ModuleRoot[];
}

/**
 * A request to render one chart. The only root contains the files of the chart. The compiler
 * derives the seeds from a secret of the run, `scope`, and the names of the chart, release and
 * namespace. A run therefore renders an entry to the same manifests again.
 */
export interface ChartRequest {
  readonly helm: Omit<HelmRequest, "files" | "seed" | "clock" | "compare">;
  readonly scope: ChartScope;
  readonly modules: readonly ModuleRoot[];
}

/** The entry that uses a chart. Entries of different scopes never draw the same random values. */
interface ChartScope {
  /** The name of the deployment. */
  readonly deployment: string;
  /**
   * The index among the entries of the config that name files, or the `stage/id` of a resource of
   * an adapter.
   */
  readonly entry: number | string;
}

export type RenderRequest = KustomizationRequest | ChartRequest;

export type CompilerRequest = CompileRequest | DescribeRequest | ListRequest | RenderRequest;

/**
 * The compile stage with its engine and limits, off the main thread
 * (docs/reference/adapters.md#limits).
 */
export interface Compiler {
  /**
   * Compiles a config. The result contains the user's errors. An exceeded time or memory limit is
   * an error that names the adapter.
   * The run that deploys compiles its manifests with this method.
   */
  compile(request: CompileRequest): Promise<Result<Compilation>>;
  /**
   * Compiles a config, or returns the cached result of an earlier run with exactly the same input.
   * Anyone with write access to the cache directory can forge such a result. Callers therefore only
   * show it.
   */
  compileCached(request: CompileRequest): Promise<Result<Compilation>>;
  /**
   * Describes an adapter.
   * Returns undefined if the modules don't contain the package, or if it has no DesignPattern.
   */
  describe(request: DescribeRequest): Promise<Result<AdapterDescription | undefined>>;
  /** Lists the packages that can be adapters. Only `describe` shows whether they are. */
  list(request: ListRequest): Promise<Result<readonly ModuleListing[]>>;
  /** Renders a kustomization. Problems are exceeded limits; the rendering has its own. */
  render(request: KustomizationRequest): Promise<Result<Rendering<RenderedKustomization>>>;
  /** Renders a chart, with the places that chance or the time decide. */
  renderChart(request: ChartRequest): Promise<Result<Rendering<RenderedChart>>>;
  close(): Promise<void>;
}
