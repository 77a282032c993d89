import type { Compilation } from "./model/compilation.ts";
import type { Config } from "./model/config.ts";
import type { DeployEvent } from "./model/event.ts";
import type { Json } from "./model/json.ts";
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
  /** Files that the loaded packages were read from, as they are displayed, sorted. */
  files(): readonly string[];
  /** Old syntax that was rewritten, once per place. */
  notices(): readonly { readonly message: string; readonly position: Position }[];
}

/** Where CUE files come from. `display` is put before paths in messages, e.g. "" or "acme/adapters@v0.23.0/". */
export interface ModuleRoot {
  /** The `module:` line of its cue.mod/module.cue; undefined lets the engine read it. */
  readonly path: string | undefined;
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
}

/** The compile stage with its engine, off the main thread, with its limits (spec §10). */
export interface Compiler {
  /** Problems of the user's are in the result; a time-out or memory limit is a problem that names the adapter. */
  compile(request: CompileRequest): Promise<Result<Compilation>>;
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

/** Adapter modules from git, exactly one revision each, cached by commit. */
export interface ModuleStore {
  fetch(
    repo: string,
    revision: string,
  ): Promise<Result<{ readonly commit: string; readonly files: FileSource }>>;
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
  /** POST: fails with "already-exists" instead of overwriting. */
  create(object: KubeObject): Promise<Answer<KubeObject>>;
  /** PUT with the object's resourceVersion. */
  replace(object: KubeObject): Promise<Answer<KubeObject>>;
  /**
   * Foreground deletion with `preconditions.uid`. ok also when it is gone already. With `resourceVersion` it fails
   * with "conflict" if the object has changed since it was read.
   */
  delete(address: ObjectAddress, uid: string, resourceVersion?: string): Promise<Answer<undefined>>;
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
