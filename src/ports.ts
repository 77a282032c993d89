import type { Compilation } from "./model/compilation.ts";
import type { Config, ValuePlace } from "./model/config.ts";
import type { AdapterDescription, ModuleListing } from "./model/description.ts";
import type { DeployEvent } from "./model/event.ts";
import type { Json, JsonObject } from "./model/json.ts";
import type { Moved } from "./model/moved.ts";
import type { KubeObject } from "./model/object.ts";
import type { Position, Result } from "./model/problem.ts";

/**
 * Everything the program may do to the world, in the words of its domain. Stages receive these as arguments;
 * only main.ts, cli.ts and compile-worker.ts construct the implementations, which live in io/.
 */

export interface Clock {
  now(): Date;
  /** Resolves after `milliseconds`; rejects with the signal's reason when aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Where people watch: a live tree on a terminal, plain lines elsewhere. */
export interface Progress {
  report(event: DeployEvent): void;
}

/* ------------------------------------------------------------------ CUE -- */

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
  /** For each leaf of a value within `adapter`: where it is written, and the parameters of `adapter` behind it. */
  trace(value: CueValue, adapter: CueValue): readonly CueLeaf[];
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
  | { readonly in: "memory"; readonly files: ReadonlyMap<string, string> };

export interface CompileRequest {
  readonly config: Config;
  readonly modules: readonly ModuleRoot[];
  /** Asks for `Compilation.trace`, which takes about as long again as a small compilation. */
  readonly trace?: boolean;
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

/** The compile stage with its engine, off the main thread, with its limits (spec §10). */
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
  recall(request: CompileRequest): Promise<Result<Compilation>>;
  /** undefined when the modules hold no such package, or it has no DesignPattern. */
  describe(request: DescribeRequest): Promise<Result<AdapterDescription | undefined>>;
  /** Packages that may be adapters: it is known only after describing them. */
  list(request: ListRequest): Promise<Result<readonly ModuleListing[]>>;
  close(): Promise<void>;
}

/* ------------------------------------------------------------------ git -- */

/** A git repository read through its objects: nothing is checked out, no hook or filter runs. */
export interface Repository {
  /** Absolute path of the work tree. */
  readonly root: string;
  /** Full commit id of a revision; undefined when there is none. */
  resolve(revision: string): Promise<string | undefined>;
  /** Owner and name of the remote `origin`, e.g. `acme/shop`; undefined without one, and when it is a folder. */
  origin(): Promise<string | undefined>;
  /** The commit at which two histories parted; undefined when they have none in common in this clone. */
  mergeBase(a: string, b: string): Promise<string | undefined>;
  /** Paths that differ between two commits. */
  changedPaths(base: string, head: string): Promise<readonly string[]>;
  /** The files below `folder` ("" for all) of a commit whose path ends in one of `endings`, by path relative to the root. */
  readTree(
    commit: string,
    folder: string,
    endings: readonly string[],
  ): Promise<ReadonlyMap<string, string>>;
}

/** Files of the application's repository: the work tree, or one commit of it. Paths are relative to its root. */
export interface SourceTree {
  /** undefined when there is no such file; a path or link that leads outside throws a UserError. */
  read(path: string): Promise<string | undefined>;
  /** Every file whose path ends in one of `endings`, sorted. */
  list(endings: readonly string[]): Promise<readonly string[]>;
  /** The folder as a source of CUE files. */
  folder(path: string): Promise<FileSource>;
  /** `path`, the links that it leads through and the file behind them: a change of any of them changes what is read. */
  behind(path: string): Promise<readonly string[]>;
}

/** One module from git, as a config names it. */
export interface ModuleRequest {
  readonly repo: string;
  /** A tag, a branch, or a full or shortened commit id. */
  readonly revision: string;
  /** The folder of the repository that is the module's root; "" for the repository's own. */
  readonly path: string;
  /** The commit that the lock has for the revision; undefined asks the repository which one it is. */
  readonly locked: string | undefined;
}

export interface FetchedModule {
  /** Full id. */
  readonly commit: string;
  /** `sha256:…` over the CUE files. */
  readonly hash: string;
  readonly files: FileSource;
  /**
   * What a locked revision is by now, where that is another commit. The repository is asked only when the locked one has
   * to be fetched anyway: a commit that is at hand, and was once seen under this revision, needs no network.
   */
  readonly moved: Moved | undefined;
}

/** Adapter modules from git, cached by commit. What was fetched once is what every later call of a run gets. */
export interface ModuleStore {
  fetch(request: ModuleRequest): Promise<Result<FetchedModule>>;
}

/* ----------------------------------------------------------- Kubernetes -- */

/** How a kind is addressed, from discovery. */
export interface KindInfo {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export interface FailureCause {
  /** Reason of a Status cause, e.g. FieldManagerConflict, FieldValueInvalid. */
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/** Why a request to the cluster did not do what it was asked to. */
export interface ClusterFailure {
  readonly reason:
    | "unreachable"
    | "unauthorized"
    | "forbidden"
    | "not-found"
    | "already-exists"
    | "conflict"
    | "invalid"
    | "expired"
    | "unknown-kind"
    | "other";
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly message: string;
  readonly causes: readonly FailureCause[];
}

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: ClusterFailure };

/** An address of one object: namespace is ignored for cluster-scoped kinds. */
export interface ObjectAddress {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ApplyOptions {
  readonly fieldManager: string;
  readonly dryRun: boolean;
  readonly force: boolean;
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
}

/** The API server. Every method retries what is safe to retry (429, 5xx, resets) and never throws for an answer. */
export interface Cluster {
  /** Where it is, as the kubeconfig has it, for messages. */
  readonly server: string;
  /** Discovery, once per group and version. Failure "unknown-kind" when the server does not serve it. */
  kind(apiVersion: string, kind: string): Promise<Answer<KindInfo>>;
  /** The version that the server prefers of a kind that is known by its group only. */
  preferredKind(group: string, kind: string): Promise<Answer<KindInfo>>;
  /** Forgets what discovery answered, after a CRD was created. */
  forgetKinds(): void;
  read(address: ObjectAddress): Promise<Answer<KubeObject | undefined>>;
  /** All objects of a kind; all namespaces when `namespace` is undefined. Pages are followed. */
  list(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    labelSelector?: string,
  ): Promise<Answer<{ readonly items: readonly KubeObject[]; readonly resourceVersion: string }>>;
  /** Server-Side Apply, the object exactly as given, fieldValidation=Strict. */
  apply(object: KubeObject, options: ApplyOptions): Promise<Answer<KubeObject>>;
  /** JSON Patch, for the version of the object that it names: "conflict" when that is not the present one. */
  patch(
    address: ObjectAddress,
    operations: readonly JsonObject[],
    options: Omit<ApplyOptions, "force">,
  ): Promise<Answer<KubeObject>>;
  /** POST: fails with "already-exists" instead of overwriting. */
  create(object: KubeObject): Promise<Answer<KubeObject>>;
  /** PUT with the object's resourceVersion. */
  replace(object: KubeObject): Promise<Answer<KubeObject>>;
  /**
   * Foreground deletion with `preconditions.uid`. ok also when it is gone already. With `resourceVersion` it fails
   * with "conflict" if the object has changed since it was read.
   */
  delete(address: ObjectAddress, uid: string, resourceVersion?: string): Promise<Answer<undefined>>;
  /** A dry-run of that deletion: whether permissions and admission would let it through. */
  tryDelete(address: ObjectAddress, uid: string): Promise<Answer<undefined>>;
  /**
   * Every present object of a kind in a namespace as ADDED, then what changes, for ever: reconnects, resumes and
   * relists by itself (410), reporting as DELETED what went missing in between. Ends when the signal aborts.
   * A failure that lasts is reported and attempts go on; one that attempts cannot cure is the last thing reported.
   */
  watch(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<Answer<WatchEvent>>;
  /** The last lines of a container's log; undefined where that is not allowed or there is none. */
  logTail(
    namespace: string,
    pod: string,
    container: string,
    lines: number,
  ): Promise<string | undefined>;
}

/** One deployment at a time per name (deploy.md §1.2). */
export interface DeploymentLock {
  /** Aborts when the lease is lost; nothing may be written after that. */
  readonly lost: AbortSignal;
  /**
   * The cluster for what is done under this lock: a write that is due once the lock is lost is not sent, nor sent again
   * after an attempt that failed. Dry-runs and reads go on.
   */
  readonly cluster: Cluster;
  release(): Promise<void>;
}

/* --------------------------------------------------------------- GitHub -- */

export interface PullRequestComment {
  readonly id: number;
  readonly body: string;
  readonly author: string;
  readonly url: string;
}

/** The conversation of one pull request. */
export interface PullRequest {
  readonly number: number;
  /** The login that our own comments carry. */
  author(): Promise<string>;
  comments(): Promise<readonly PullRequestComment[]>;
  createComment(body: string): Promise<PullRequestComment>;
  updateComment(id: number, body: string): Promise<PullRequestComment>;
  deleteComment(id: number): Promise<void>;
}
