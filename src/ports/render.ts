import type { Json } from "../model/json.ts";
import type { FileSource } from "./cue.ts";

/**
 * Renders Kustomize overlays and Helm charts. The engine reads files only through the `files` of a
 * request, and opens no connection.
 * It is synchronous, because it runs in the compile worker. The first request starts the engine, so
 * a config without overlays and charts doesn't load it.
 */
export interface Renderer {
  renderKustomize(request: KustomizeRequest): Rendering<RenderedKustomization>;
  renderHelm(request: HelmRequest): Rendering<RenderedChart>;
}

/** Returns the result or the problems, and the files that it depends on in both cases. */
export interface Rendering<T> {
  readonly result:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly problems: readonly RenderProblem[] };
  /** The existing files that the engine read, sorted; paths below the root of `files`. */
  readonly inputs: readonly string[];
  /** The existing files of each remote base that the engine read, in the order of the request. */
  readonly baseInputs: readonly (readonly string[])[];
  /** The questions of a chart about the cluster, also of one that can't be rendered. */
  readonly asked?: ChartQuestions | undefined;
  /** The files in `crds/` of a chart that can't be rendered. */
  readonly crds?: readonly CrdFile[] | undefined;
  /**
   * The questions that the engine asked, including those about missing files. The same request has
   * the same result as long as `files` gives the same answers.
   */
  readonly questions: readonly RenderQuestion[];
}

/** The parts of `.Capabilities` that decide about the objects of a chart. */
export interface ChartQuestions {
  /** True if a template reads the version of Kubernetes. */
  readonly kubeVersion: boolean;
  /** True if Chart.yaml limits the version: it decides only if the chart can be rendered. */
  readonly constraint: boolean;
  /** The arguments of `.Capabilities.APIVersions.Has`, which are untrusted, with the answers. */
  readonly apiVersions: Readonly<Record<string, boolean>>;
  /** True if a template reads the list of the API versions itself. */
  readonly all: boolean;
}

/** A question about the files of a request. Paths are clean and use slashes; `.` is the root. */
interface RenderQuestion {
  /** 0 for the files of the request, and from 1 for its remote bases. */
  readonly root: number;
  readonly path: string;
  /** The content of a file, or the names of the entries of a directory. */
  readonly ask: "text" | "entries";
}

export interface RenderProblem {
  /**
   * `invalid`: an error in the chart, the values or the kustomization. `limit`: an exceeded limit
   * of size, number or depth. `remote`: a file that only a connection could read. `unsupported`: a
   * feature that qvs doesn't run, such as an exec plugin.
   */
  readonly code: "invalid" | "limit" | "remote" | "unsupported";
  /** The message of Helm or Kustomize, without absolute paths. It's untrusted text. */
  readonly message: string;
  /** The template or the file that the problem is in, where the engine knows it. */
  readonly at?: RenderPlace;
}

/** A place in a file. Templates have names such as `shop/templates/web.yaml`. */
export interface RenderPlace {
  readonly file: string;
  /** The line, starting at 1. */
  readonly line?: number;
}

export interface KustomizeRequest {
  /**
   * The files that the engine can read. An overlay reads its bases above its own directory, so the
   * root is the root of the repository.
   */
  readonly files: FileSource;
  /** The directory of the kustomization below the root, clean and with slashes; `.` is the root. */
  readonly directory: string;
  /** The remote bases that are available. */
  readonly bases: readonly RemoteBaseFiles[];
  /**
   * Requests `origins` of the result. The build then differs from that of Kustomize, so callers
   * compare the documents with those of a request without it, and use only the origins.
   */
  readonly origins?: boolean | undefined;
}

interface RemoteBaseFiles {
  /** The entry as a kustomization writes it. */
  readonly address: string;
  /** The files of the repository. The base can read its own directories and their siblings. */
  readonly files: FileSource;
}

/** A remote base that a kustomization names. Its texts are untrusted. */
export interface NamedBase {
  /** The entry as the kustomization writes it. */
  readonly address: string;
  /** The parts of the address as Kustomize understands it. */
  readonly repository: string;
  /** Empty for the newest commit of the default branch. */
  readonly revision: string;
  /** A directory of the repository; empty for its root. */
  readonly path: string;
  /** The root of the kustomization that names the base, as in a question, and its path there. */
  readonly from: number;
  readonly file: string;
}

export interface RenderedKustomization {
  /** The remote bases that the request lacks. If there are any, the result has no documents. */
  readonly missing: readonly NamedBase[];
  /** The YAML documents, separated by `---`: the same bytes as `kustomize build`. */
  readonly documents: string;
  readonly notices: readonly RenderNotice[];
  /** Missing unless the request asks for it. */
  readonly origins?: DocumentOrigins;
}

/** The files that the documents of a kustomization come from. All texts are untrusted. */
export interface DocumentOrigins {
  /** The places that change objects, such as patches. */
  readonly sources: readonly OriginSource[];
  /** The origin of each document, in the same order. */
  readonly documents: readonly DocumentOrigin[];
}

/** A file, or a field of the kustomization in a directory. */
export interface OriginSource {
  /** The root of a question. */
  readonly root: number;
  readonly path: string;
  /** The field of the kustomization, such as `images`; missing for a file. */
  readonly field?: string;
}

export interface DocumentOrigin {
  /** The file of the object, or the kustomization that generates it; missing if it's unknown. */
  readonly declared?: OriginSource;
  /** The kind and the name in that file. */
  readonly kind: string;
  readonly name: string;
  /** The fields that a source wrote. Fields within them are from the same source. */
  readonly fields: readonly OriginField[];
}

interface OriginField {
  /** The path in the document, with list items by index. */
  readonly path: readonly string[];
  /** The index of the source, or -1 for the file of the object. */
  readonly by: number;
}

export interface HelmRequest {
  readonly files: FileSource;
  /** The path of the chart below the root: a directory, or a packed chart (`.tgz`). */
  readonly chart: string;
  /** The name of the release. */
  readonly release: string;
  readonly namespace: string;
  /** The values files in their order. A later file overrides an earlier one. */
  readonly values: readonly NamedValues[];
  /** Single values in their order, which override the files. */
  readonly set: readonly SetValue[];
  readonly capabilities: Capabilities;
  /** True if the release exists, so that `.Release.IsUpgrade` is true. */
  readonly isUpgrade: boolean;
  /** `.Release.Revision`; 1 if it's missing. */
  readonly revision?: number;
  /** Decides about everything random in the chart. */
  readonly seed: string;
  /** The time that the chart sees, in milliseconds since 1970. */
  readonly clock: number;
  /**
   * Requests `differences` of the result, which lists everything that isn't reproducible. Unless
   * the first rendering used neither the seed nor the clock, the engine renders a second time with
   * these ones.
   */
  readonly compare?: { readonly seed: string; readonly clock: number };
}

interface NamedValues {
  /** The path that messages show. */
  readonly name: string;
  readonly text: string;
}

interface SetValue {
  /** A path in the syntax of `helm --set`, e.g. `image.tag` or `hosts[0].name`. */
  readonly path: string;
  /** The value with its type, as `helm --set-json` sets it. Null removes a default. */
  readonly value: Json;
}

interface Capabilities {
  /** The version of Kubernetes, e.g. `v1.34.0`. Undefined means the default of Helm. */
  readonly kubeVersion?: string;
  /** API versions such as `monitoring.coreos.com/v1` or `apps/v1/Deployment`. */
  readonly apiVersions: readonly string[];
  /**
   * True if `apiVersions` is everything that the cluster serves. Otherwise the chart also sees the
   * 57 group versions that Helm knows without a cluster.
   */
  readonly complete: boolean;
}

export interface RenderedChart {
  readonly chart: ChartInfo;
  /** Everything except hooks, in the order in which Helm installs it. Excludes `crds`. */
  readonly manifests: readonly RenderedManifest[];
  /** The files in `crds/` of the chart and its dependencies, in the order of Helm. */
  readonly crds: readonly CrdFile[];
  /**
   * Hooks by kind, as `helm template` prints them. Helm runs those of one event by weight, then by
   * name, then by kind. They include tests.
   */
  readonly hooks: readonly RenderedHook[];
  /** The rendered NOTES.txt of the chart; empty if it has none. */
  readonly notes: string;
  readonly notices: readonly RenderNotice[];
  /** Undefined unless the request has `compare`. Empty if both renderings are equal. */
  readonly differences?: readonly RenderDifference[];
}

interface ChartInfo {
  readonly name: string;
  readonly version: string;
  readonly appVersion: string;
}

/** One document of a template. */
interface RenderedManifest {
  /** The template, e.g. `shop/charts/db/templates/secret.yaml`. */
  readonly template: string;
  /** One YAML document. Helm doesn't trim it; it can contain only comments. */
  readonly text: string;
}

export interface CrdFile {
  /** The path with the name of the chart, e.g. `shop/crds/route.yaml`. */
  readonly path: string;
  /** The content, which Helm doesn't check. It can have several documents. */
  readonly text: string;
}

export interface RenderedHook extends RenderedManifest {
  readonly kind: string;
  readonly name: string;
  readonly events: readonly HookEvent[];
  readonly weight: number;
  /** The declared policies in lower case. Helm uses `before-hook-creation` if there are none. */
  readonly deletePolicies: readonly string[];
}

export type HookEvent =
  | "pre-install"
  | "post-install"
  | "pre-upgrade"
  | "post-upgrade"
  | "pre-delete"
  | "post-delete"
  | "pre-rollback"
  | "post-rollback"
  | "test";

export interface RenderNotice {
  /**
   * `lookup`: the chart looks up an object, and finds none. `null-value`: a null in the default
   * values of a parent chart, which Helm 3 treats differently. `dns`: the chart resolves a host
   * name, and gets an empty string. `unknown-hook`: Helm skips an object with an unknown hook.
   * `warning`: any other warning of Helm or Kustomize.
   */
  readonly code: "lookup" | "null-value" | "dns" | "unknown-hook" | "warning";
  readonly message: string;
  readonly at?: RenderPlace;
}

/** A place in the manifests or hooks that depends on chance or on the time. */
interface RenderDifference {
  readonly template: string;
  readonly kind: string;
  /** Empty if the name itself differs. */
  readonly name: string;
  /**
   * The field, e.g. ["data", "tls.key"]; list items by index. Empty if the whole document differs,
   * for example because only one rendering has it.
   */
  readonly path: readonly string[];
}
