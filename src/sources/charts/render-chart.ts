import { type BoundChart, bindChart, type ValuesText } from "../../config/inputs/bind-chart.ts";
import type { ParsedChart, ReadInput } from "../../config/inputs/parsed-input.ts";
import { readRendered } from "../../config/inputs/read-objects.ts";
import type { ParsedConfig } from "../../config/parse-config.ts";
import type { GivenParam } from "../../config/parse-params.ts";
import { toJson } from "../../config/read-typed.ts";
import type { VersionedKind } from "../../model/cluster/api/served-apis.ts";
import { isObject, type Json } from "../../model/json.ts";
import type { DeletionHook } from "../../model/plan/deletion.ts";
import {
  failed,
  mapProblemTexts,
  ok,
  type Problem,
  type Result,
  resultProblems,
} from "../../model/problems/problem.ts";
import { type IrreproducibleField, stages } from "../../model/sources/compilation.ts";
import type { ChartResource } from "../../model/sources/config.ts";
import type { LockedSource } from "../../model/sources/locked-source.ts";
import type { CrdFile } from "../../ports/render.ts";
import type { ConfigSource } from "../../ports/world.ts";
import { hideInTemplates } from "../../redaction/given-values.ts";
import {
  type CapabilityRound,
  definedBy,
  requestCapabilities,
  type SeenCapabilities,
  seenByChart,
} from "./capabilities.ts";
import { type ChartFiles, readChartFiles, readValuesFiles } from "./chart-files.ts";
import { chartNotices } from "./chart-notices.ts";
import { chartObjects } from "./chart-objects.ts";
import { chartProblems, templatePlaces } from "./chart-problems.ts";
import type { RepeatableChart } from "./value-origins.ts";

/** The values of a deployment for its charts. */
export interface ChartBinding {
  readonly config: Pick<ParsedConfig, "params" | "file">;
  readonly given: readonly GivenParam[];
  /** The name of the deployment. */
  readonly deployment: string;
  /** The namespace of the deployment. */
  readonly namespace: string;
  readonly capabilities: CapabilityRound;
}

export interface RenderedEntry {
  /** The objects of each stage. */
  readonly inputs: readonly ReadInput[];
  readonly notices: readonly Problem[];
  readonly irreproducible: readonly IrreproducibleField[];
  readonly deletionHooks: readonly DeletionHook[];
  /** The charts of the lockfile. */
  readonly locked: readonly LockedSource[];
  /** The charts of the config, for renderings with other values. */
  readonly charts: readonly RepeatableChart[];
}

/**
 * Renders a chart in the sandbox of the compiler. `index` is that of its entry.
 */
export async function renderChart(
  source: ConfigSource,
  entry: ParsedChart,
  index: number,
  binding: ChartBinding,
): Promise<Result<RenderedEntry>> {
  const files = await readChartFiles(source, entry, binding.config.file);
  const texts = await readValuesFiles(source.tree, entry);
  const bound = bindChart(entry, texts.ok ? texts.value : [], binding);
  if (!files.ok || !texts.ok || !bound.ok)
    return failed([...resultProblems(files), ...resultProblems(texts), ...resultProblems(bound)]);
  const chart = { entry, files: files.value, texts: texts.value, bound: bound.value };
  const seen = await seenByChart(chart.bound, binding.capabilities);
  const rendered = await renderBound(source, { ...chart, seen }, index, binding);
  if (!rendered.ok) return rendered;
  const charts = [repeatableChart(source, { ...chart, seen }, index, binding)];
  return ok({ ...rendered.value, charts });
}

/** A chart with its files and its values. */
export interface ReadChart {
  readonly entry: ParsedChart;
  readonly files: ChartFiles;
  /** The values files as written. */
  readonly texts: readonly ValuesText[];
  readonly bound: BoundChart;
  /** The capabilities that the chart sees; by default, those of the round. */
  readonly seen?: SeenCapabilities;
  /** The resource of an adapter that the objects replace. */
  readonly replaces?: ChartResource;
}

/**
 * Renders a chart in the sandbox of the compiler. `name` is the index of its entry, or the
 * `stage/id` of its resource.
 */
export async function renderBound(
  source: ConfigSource,
  { entry, files, texts, bound, replaces, seen: known }: ReadChart,
  name: number | string,
  binding: Pick<ChartBinding, "deployment" | "capabilities">,
): Promise<Result<RenderedEntry>> {
  const scope = { deployment: binding.deployment, entry: name };
  const { asked, defined } = binding.capabilities;
  const seen = known ?? (await seenByChart(bound, binding.capabilities));
  const request = chartRequest(entry, files, bound, seen);
  const rendering = await source.compiler.renderChart({ ...request, scope });
  if (!rendering.ok)
    return failed(rendering.problems.map((each) => ({ ...each, where: [entry.where] })));
  const { result, inputs } = rendering.value;
  const placeOf = templatePlaces(entry, files.paths);
  const { hide } = hideInTemplates(inlineValues(bound));
  const { asked: questions } = rendering.value;
  if (questions !== undefined) {
    const { written, where } = entry;
    asked.push({ written, where, given: bound, questions, seen, hide });
  }
  if (!result.ok) {
    // Templates can fail because an API is absent that the chart itself defines.
    if (entry.crds) defined.push(...(rendering.value.crds ?? []).flatMap(kindsIn));
    const context = { entry, texts, placeOf, hide };
    return failed(result.problems.flatMap((each) => chartProblems(each, context)));
  }
  const { namespace, params, secretParams } = bound;
  const objects = chartObjects(result.value, {
    stage: entry.stage,
    ...(replaces === undefined ? {} : { isOneStage: true }),
    namespace,
    crds: entry.crds,
    hidden: undigestedValues(bound),
    placeOf: (file) => placeOf({ file }),
  });
  if (!objects.ok) return failed(objects.problems.map((each) => mapProblemTexts(each, hide)));
  const read = {
    files: filesRead(entry, inputs, files),
    chart: { params, secretParams },
    ...(replaces === undefined ? {} : { replaces }),
  };
  return ok({
    inputs: stages
      .filter((stage) => stage === entry.stage || objects.value.stages[stage].length > 0)
      .map((stage) => ({ ...entry, ...read, stage, objects: objects.value.stages[stage] })),
    notices: [
      ...files.notices,
      ...objects.value.notices.map((each) => mapProblemTexts(each, hide)),
      ...chartNotices(result.value, entry, placeOf, { hide, namespace }),
    ],
    irreproducible: (result.value.differences ?? []).map(({ template, ...field }) => ({
      ...field,
      where: placeOf({ file: template }),
    })),
    deletionHooks: objects.value.deletionHooks,
    locked: files.locked,
    charts: [],
  });
}

/**
 * Returns a chart that can be rendered again with other values. It reads the files again, because
 * a chart can have 100 MiB.
 */
function repeatableChart(
  source: ConfigSource,
  { entry, texts, bound, seen }: Omit<ReadChart, "files"> & { readonly seen: SeenCapabilities },
  index: number,
  { config, deployment }: ChartBinding,
): RepeatableChart {
  return {
    ...{ entry, texts, bound },
    async renderAgain(values) {
      const files = await readChartFiles(source, entry, config.file);
      if (!files.ok) return undefined;
      const request = chartRequest(entry, files.value, { ...bound, ...values }, seen);
      const scope = { deployment, entry: index };
      const rendering = await source.compiler.renderChart({ ...request, scope });
      if (!rendering.ok || !rendering.value.result.ok) return undefined;
      const { manifests, differences = [] } = rendering.value.result.value;
      if (differences.length > 0) return undefined;

      const objects = manifests.map(({ template, text }) =>
        readRendered({ file: template, line: 1, column: 1 }, text, () => {}),
      );
      return objects.flatMap((each) => (each.ok ? each.value.map(toJson) : [])).filter(isObject);
    },
  };
}

/** Lists the kinds of a file in crds/. Its errors are reported when the chart can be rendered. */
function kindsIn({ path, text }: CrdFile): readonly VersionedKind[] {
  const objects = readRendered({ file: path, line: 1, column: 1 }, text, () => {});
  return objects.ok ? definedBy(objects.value) : [];
}

function chartRequest(
  entry: ParsedChart,
  { source }: ChartFiles,
  bound: BoundChart,
  seen: SeenCapabilities,
) {
  const { release, namespace, values, set } = bound;
  return {
    helm: {
      chart: entry.path || ".",
      ...{ release, namespace, values, set },
      capabilities: requestCapabilities(bound, seen),
      // The repository alone decides about the manifests, so each rendering is an installation.
      isUpgrade: false,
    },
    modules: [{ display: "", files: source }],
  };
}

/**
 * Returns the files of the repository that decide about the objects: those of the chart, the values
 * files, and the lockfile.
 */
function filesRead(
  { values }: ParsedChart,
  inputs: readonly string[],
  { fetched, locked }: ChartFiles,
): readonly string[] {
  const own = inputs.filter((path) => !fetched.includes(path));
  const lock = locked.map(({ where }) => where.file);
  return [...new Set([...own, ...values.map(({ path }) => path), ...lock])];
}

/** Returns the values from the command line. Templates can print them in every message. */
function inlineValues({ params }: BoundChart): readonly Json[] {
  return params.flatMap(({ value, inline }) => (inline === true ? [value] : []));
}

/** Returns the values of parameters that come from the command line or are secrets. */
function undigestedValues({ params, secretParams }: BoundChart): readonly Json[] {
  return params
    .filter(({ name, inline }) => inline === true || secretParams.includes(name))
    .map(({ value }) => value);
}
