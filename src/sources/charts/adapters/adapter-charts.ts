import type { BoundChart } from "../../../config/inputs/bind-chart.ts";
import type { ChartParams, ParsedChart } from "../../../config/inputs/parsed-input.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject } from "../../../model/json.ts";
import {
  declarationPlaces,
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
} from "../../../model/problems/problem.ts";
import {
  chartProvider,
  type ForeignResource,
  type Resource,
  resourceKey,
} from "../../../model/sources/compilation.ts";
import type { BoundParam, ChartResource, Config } from "../../../model/sources/config.ts";
import { packedChartName } from "../../../model/sources/remote-chart.ts";
import type { YamlNode } from "../../../model/sources/yaml-node.ts";
import { listPulumiFunctions } from "../../../model/text/reference-text.ts";
import { isSensitiveName } from "../../../redaction/sensitive-name.ts";
import { type ChartProperties, maxMessages, readChartProperties } from "./chart-properties.ts";
import { type ReferenceFailure, resolveContent } from "./resolve-content.ts";

/** A chart that an adapter declares, with everything that it is rendered with. */
export interface AdapterChart {
  readonly entry: ParsedChart;
  readonly bound: BoundChart;
  readonly replaces: ChartResource;
  /** The properties with the values of their references. */
  readonly resolved: JsonObject;
  readonly notices: readonly Problem[];
}

export interface AdapterCharts {
  readonly charts: readonly AdapterChart[];
  /** The problems of the resources that can't be rendered, by `stage/id`. */
  readonly problems: ReadonlyMap<string, readonly Problem[]>;
  /**
   * The names of the parameters whose values are secrets in a chart. They are also those of charts
   * that can't be rendered, because qvs shows their resources.
   */
  readonly secretParams: readonly string[];
}

/** The deployment of the charts. */
export interface ChartUse {
  readonly config: Pick<Config, "file" | "designPatterns">;
  /** The values of the config's parameters. */
  readonly params: JsonObject;
  /** The names of the parameters from the command line. */
  readonly inline: readonly string[];
  /** The namespace of the deployment. */
  readonly namespace: string;
}

/** The maximum number of charts of the adapters of one deployment. */
const maxCharts = 50;

/** Returns the resources that stand for charts, in the order of the compilation. */
export function chartResources(resources: readonly Resource[]): readonly ForeignResource[] {
  return resources.filter(
    (each): each is ForeignResource => each.type === "foreign" && each.provider === chartProvider,
  );
}

/**
 * Reads the charts that adapters declare (docs/reference/adapters.md#charts). Only a compilation
 * shows them. A resource that can't be rendered has problems, and the others are rendered anyway.
 */
export function readAdapterCharts(
  resources: readonly Resource[],
  use: ChartUse,
): Result<AdapterCharts> {
  const found = chartResources(resources);
  if (found.length > maxCharts) return failed([tooManyProblem(found)]);
  const charts: AdapterChart[] = [];
  const secretParams = new Set<string>();
  const problems = new Map<string, readonly Problem[]>();
  for (const resource of found) {
    const params = chartParams(use, resource.content);
    for (const name of params.secretParams) secretParams.add(name);
    const chart = readChart(resource, resources, {
      params,
      namespace: use.namespace,
      file: use.config.file,
    });
    if (chart.ok) charts.push(chart.value);
    else problems.set(resourceKey(resource), chart.problems);
  }
  return ok({ charts, problems, secretParams: [...secretParams].sort() });
}

interface AdapterChartContext {
  readonly params: ChartParams;
  /** The namespace of the deployment. */
  readonly namespace: string;
  /** The config. */
  readonly file: string;
}

function readChart(
  { stage, id, content: written, where: place }: ForeignResource,
  resources: readonly Resource[],
  { params, namespace, file }: AdapterChartContext,
): Result<AdapterChart> {
  const where = place ?? { file, line: 1, column: 1 };
  const object = isObject(written) ? written : {};
  const named = { stage, id, where };
  const { content, dependsOn, problems } = resolveContent(
    { stage, id, content: object },
    resources,
  );
  const functions = listPulumiFunctions(object);
  const properties = readChartProperties({ ...named, content });
  const all = [
    ...problems.slice(0, maxMessages).map((each) => referenceProblem(named, each)),
    ...functions.slice(0, maxMessages).map((each) => functionProblem(named, each)),
    ...(properties.ok ? [] : properties.problems),
  ];
  if (!properties.ok || all.length > 0) return failed(all);
  return ok({
    entry: toEntry(properties.value, named),
    bound: bind(properties.value, params, namespace),
    replaces: { stage, id, dependsOn, content: object },
    resolved: content,
    notices: properties.value.notices,
  });
}

interface NamedResource extends Pick<ForeignResource, "stage" | "id"> {
  readonly where: Position;
}

function toEntry(
  { chart, release, namespace, crds }: ChartProperties,
  { stage, id, where }: NamedResource,
): ParsedChart {
  const group = id.slice(0, Math.max(0, id.lastIndexOf("/")));
  return {
    form: "helm",
    ...{ written: chart.chart, path: packedChartName(chart), remote: chart, stage, where, crds },
    group: group === "" ? undefined : literalNode(group, where),
    namespace: namespace === undefined ? undefined : literalNode(namespace, where),
    release: literalNode(release, where),
    ...{ values: [], set: undefined, kubeVersion: undefined, apiVersions: undefined },
  };
}

/** Returns a string of an adapter as a node in which nothing is a reference to a parameter. */
function literalNode(text: string, where: Position): YamlNode {
  const value = text.replaceAll("$(params.", "$$$$(params.");
  return { kind: "scalar", value, source: value, where };
}

function bind(
  { release, namespace, values, kubeVersion, apiVersions }: ChartProperties,
  params: ChartParams,
  ofDeployment: string,
): BoundChart {
  return {
    ...{ release, namespace: namespace ?? ofDeployment, kubeVersion, apiVersions, ...params },
    values: [{ name: "values", text: JSON.stringify(values) }],
    set: [],
  };
}

function chartParams(use: ChartUse, content: Json): ChartParams {
  const used = usedParams(use);
  const search = secretSearch(content);
  return {
    params: used,
    secretParams: used
      .filter((param) => isSensitiveName(param.name) || isContained(param, search))
      .map(({ name }) => name)
      .sort(),
  };
}

/**
 * Returns the parameters of the config that adapters use. Any of them can be a part of a value,
 * because an adapter makes the values.
 */
function usedParams({ config, params, inline }: ChartUse): readonly BoundParam[] {
  const uses = config.designPatterns.flatMap((pattern) => pattern.params);
  const places = new Map(
    uses.flatMap(({ from, where }) => from.map((name) => [name, where] as const)),
  );
  return [...places].flatMap(([name, where]): readonly BoundParam[] => {
    const value = fieldOf(params, name);
    if (value === undefined) return [];
    const param = { name, value, where, from: [name] };
    return [inline.includes(name) ? { ...param, inline: true } : param];
  });
}

/**
 * Returns the parameters from the command line that adapters use. An adapter can encode them, so a
 * chart that isn't rendered can contain each of them in any form.
 */
export function inlineParams(use: ChartUse): readonly string[] {
  return usedParams(use)
    .filter(({ inline }) => inline === true)
    .map(({ name }) => name);
}

/** The texts below names such as `password` in a chart, with a limit for searches in them. */
interface SecretSearch {
  readonly texts: ReadonlySet<string>;
  readonly size: number;
  readonly budget: { left: number };
}

/** Shorter strings, and numbers, are parts of other texts by chance. */
const minPartLength = 6;

/** The limit for searches in one chart: the size of the texts, times that of all parameters. */
const maxSearch = 10_000_000;

function secretSearch(content: Json): SecretSearch {
  const texts = new Set(sensitiveScalars(content, false).map(String));
  return { texts, size: totalSize(texts), budget: { left: maxSearch } };
}

/**
 * Reports whether one of the texts is the value of a parameter or a scalar in it, or contains a
 * longer string of it. If the search would take too long, the parameter counts as contained.
 */
function isContained({ value }: BoundParam, { texts, size, budget }: SecretSearch): boolean {
  const scalars = new Set(sensitiveScalars(value, true));
  scalars.delete("");
  if (scalars.values().some((each) => texts.has(String(each)))) return true;
  const parts = [...scalars].filter(
    (each): each is string => typeof each === "string" && each.length >= minPartLength,
  );
  budget.left -= totalSize(parts) * size;
  if (budget.left < 0) return true;
  return parts.some((part) => texts.values().some((text) => text.includes(part)));
}

function totalSize(texts: Iterable<string>): number {
  return [...texts].reduce((sum, { length }) => sum + length, 0);
}

/** Returns the strings and numbers below names such as `password`, or all of them. */
function sensitiveScalars(value: Json, isSensitive: boolean): readonly (string | number)[] {
  if (typeof value === "string" || typeof value === "number") return isSensitive ? [value] : [];
  if (isList(value)) return value.flatMap((each) => sensitiveScalars(each, isSensitive));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    isSensitive
      ? [name, ...sensitiveScalars(each, true)]
      : sensitiveScalars(each, isSensitiveName(name)),
  );
}

function referenceProblem(
  { stage, id, where }: NamedResource,
  { written, why, isDependency }: ReferenceFailure,
): Problem {
  const common = { code: "unsupported-chart-property", where: [where], why } as const;
  if (isDependency === true) {
    const what = `Resource ${stage}/${id} can't depend on ${written}`;
    return { ...common, what, fix: "Name a Kubernetes resource or a chart of this deployment" };
  }
  return {
    ...common,
    what: `Resource ${stage}/${id}: ${written} has no value before the chart is rendered`,
    fix: "Write the value itself",
    otherwise: ["pass the value as a parameter"],
  };
}

function functionProblem({ stage, id, where }: NamedResource, name: string): Problem {
  return {
    code: "unsupported-chart-property",
    where: [where],
    what: `Resource ${stage}/${id} calls ${name}`,
    why: "Only Pulumi can compute this function",
    fix: "Write the value itself",
    otherwise: ["pass the value as a parameter"],
  };
}

function tooManyProblem(found: readonly ForeignResource[]): Problem {
  return {
    code: "input-too-large",
    where: declarationPlaces(...found.slice(0, 1)),
    what: `The adapters of the deployment declare ${found.length} charts`,
    facts: [{ label: "limit", value: String(maxCharts) }],
    fix: "Move some of them to another deployment",
  };
}
