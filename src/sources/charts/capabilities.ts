import type { BoundChart } from "../../config/inputs/bind-chart.ts";
import { toJson } from "../../config/read-typed.ts";
import type { ApiResult } from "../../model/cluster/api/api-failure.ts";
import {
  apiNames,
  crdName,
  definedKinds,
  type ServedApis,
  type VersionedKind,
  withDefinitions,
  withoutKinds,
} from "../../model/cluster/api/served-apis.ts";
import { formatServerVersion, type ServerVersion } from "../../model/cluster/api/server-version.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Position } from "../../model/problems/problem.ts";
import { textOf, type YamlMap } from "../../model/sources/yaml-node.ts";
import type { ChartQuestions, HelmRequest } from "../../ports/render.ts";

/** The version and the APIs of a cluster. */
export interface ClusterCapabilities {
  /** The address of the API server, for messages. */
  readonly server: string;
  readonly version: ApiResult<ServerVersion>;
  readonly apis: ApiResult<ServedApis>;
}

/** The cluster whose version and APIs the charts of a deployment see. */
export interface CapabilitySource {
  /** Reads the cluster; undefined if qvs can't connect to it. */
  read(): Promise<ClusterCapabilities | undefined>;
  /** Asks for an API that `read` doesn't list, because the list can be out of date. */
  servesApi(name: string): Promise<ApiResult<boolean>>;
  /**
   * Returns the CustomResourceDefinitions that the plan of this deployment deletes, among those
   * that it doesn't declare.
   */
  deletes(definitions: ReadonlySet<string>): Promise<ReadonlySet<string>>;
}

/** The capabilities of one round of rendering. */
export interface CapabilityBasis {
  /** Returns the cluster; undefined to assume the default. Only open questions read it. */
  cluster(): Promise<ClusterCapabilities | undefined>;
  /** The version of Kubernetes without a cluster. */
  readonly assumedVersion: string;
  /** The kinds of the CustomResourceDefinitions that the deployment declares. */
  readonly declared: readonly VersionedKind[];
  /** The names of the CustomResourceDefinitions that the deployment deletes. */
  readonly deleted: ReadonlySet<string>;
  /** The APIs that the cluster serves although it doesn't list them yet. */
  readonly unlisted: readonly string[];
}

/** The questions of one chart, with the capabilities that answered them. */
export interface AskedByChart {
  readonly written: string;
  readonly where: Position;
  readonly given: Pick<BoundChart, "kubeVersion" | "apiVersions">;
  readonly questions: ChartQuestions;
  readonly seen: SeenCapabilities;
  /** Hides values from the command line in a question. */
  hide(text: string): string;
}

/** One round of rendering: the answers that its charts see, and the questions that they asked. */
export interface CapabilityRound {
  readonly basis: CapabilityBasis;
  readonly asked: AskedByChart[];
  /** The kinds of the CustomResourceDefinitions that were read so far. */
  readonly defined: VersionedKind[];
}

/** The capabilities that one chart is rendered with. */
export interface SeenCapabilities {
  readonly kubeVersion: string;
  /** The APIs of the cluster and of the deployment; without a cluster, only the latter. */
  readonly names: ReadonlySet<string>;
  /** True if `names` is everything that the chart sees. */
  readonly complete: boolean;
}

type GivenCapabilities = AskedByChart["given"];

/**
 * Returns the capabilities of the cluster for a chart. If its entry sets both `kubeVersion` and
 * `apiVersions`, qvs doesn't read the cluster.
 */
export async function seenByChart(
  { kubeVersion, apiVersions }: GivenCapabilities,
  { basis, defined }: CapabilityRound,
): Promise<SeenCapabilities> {
  return kubeVersion === undefined || apiVersions === undefined
    ? seenCapabilities(basis, defined)
    : { kubeVersion, names: new Set(), complete: false };
}

/** Returns the capabilities for an entry that sets neither `kubeVersion` nor `apiVersions`. */
export async function seenCapabilities(
  { cluster, assumedVersion, declared, deleted, unlisted }: CapabilityBasis,
  defined: readonly VersionedKind[] = [],
): Promise<SeenCapabilities> {
  const read = await cluster();
  const kubeVersion = read?.version.ok === true ? fullVersion(read.version.value) : assumedVersion;
  const own = [...declared, ...defined];
  if (read?.apis.ok !== true)
    return { kubeVersion, names: new Set(apiNames(own)), complete: false };
  const remaining = withoutKinds(read.apis.value, (kind) => deleted.has(crdName(kind)));
  const { names } = withDefinitions(remaining, own);
  return { kubeVersion, names: new Set([...names, ...unlisted]), complete: true };
}

function fullVersion(version: ServerVersion): string {
  return version.full ?? `v${formatServerVersion(version)}.0`;
}

/** Returns the capabilities of a request. The entry of the config overrides the cluster. */
export function requestCapabilities(
  { kubeVersion, apiVersions }: GivenCapabilities,
  seen: SeenCapabilities,
): HelmRequest["capabilities"] {
  return {
    kubeVersion: kubeVersion ?? seen.kubeVersion,
    ...(apiVersions === undefined
      ? { apiVersions: [...seen.names].sort(), complete: seen.complete }
      : { apiVersions, complete: false }),
  };
}

/** Returns the questions that the entry of the config leaves open. */
export function openQuestions({ given, questions }: AskedByChart): {
  readonly kubeVersion: boolean;
  readonly apis: ReadonlyMap<string, boolean>;
  readonly all: boolean;
} {
  const isListed = given.apiVersions !== undefined;
  return {
    kubeVersion: questions.kubeVersion && given.kubeVersion === undefined,
    apis: new Map(isListed ? [] : Object.entries(questions.apiVersions)),
    all: questions.all && !isListed,
  };
}

/** Reports whether the cluster decides about the objects of a chart. */
export function asksCluster(asked: AskedByChart): boolean {
  const { kubeVersion, apis, all } = openQuestions(asked);
  return kubeVersion || all || apis.size > 0;
}

/** Reports whether the version decides if a chart can be rendered, but not about its objects. */
export function checksVersion({ given, questions }: AskedByChart): boolean {
  return questions.constraint && given.kubeVersion === undefined;
}

/** Lists the kinds of the definitions among objects, most of which are others. */
export function definedBy(objects: readonly YamlMap[]): readonly VersionedKind[] {
  const crds = objects.filter((each) => textOf(each, "kind") === "CustomResourceDefinition");
  return definedKinds(crds.map((each) => toJson(each) as JsonObject));
}
