import { sameJson } from "../../../model/json.ts";
import {
  declarationPlaces,
  failed,
  ok,
  type Problem,
  type Result,
} from "../../../model/problems/problem.ts";
import { type Resource, resourceKey } from "../../../model/sources/compilation.ts";
import type { ConfigSource } from "../../../ports/world.ts";
import { definedBy } from "../capabilities.ts";
import { readChartFiles } from "../chart-files.ts";
import { type ChartBinding, type RenderedEntry, renderBound } from "../render-chart.ts";
import { type AdapterChart, type AdapterCharts, chartResources } from "./adapter-charts.ts";
import { withResource } from "./chart-properties.ts";
import { resolveContent } from "./resolve-content.ts";

/** The objects of the charts of adapters. */
export interface RenderedCharts extends RenderedEntry {
  /** The problems of the resources that can't be rendered, by `stage/id`. */
  readonly problems: AdapterCharts["problems"];
}

/**
 * Renders the charts of adapters one after another, because each can have 100 MiB. A chart that
 * isn't locked is a problem of its resource, so that a preview can still compare the other
 * resources.
 */
export async function renderAdapterCharts(
  source: ConfigSource,
  { charts, problems: unread }: Pick<AdapterCharts, "charts" | "problems">,
  binding: Pick<ChartBinding, "config" | "deployment" | "capabilities">,
): Promise<Result<RenderedCharts>> {
  const entries: RenderedEntry[] = [];
  const failures: Problem[] = [];
  const problems = new Map(unread);
  for (const chart of charts) {
    const rendered = await renderAdapterChart(source, chart, binding);
    if (rendered.ok) {
      entries.push(rendered.value);
      const objects = rendered.value.inputs.flatMap((input) => input.objects);
      binding.capabilities.defined.push(...definedBy(objects));
      continue;
    }
    const { stage, id } = chart.replaces;
    const named = rendered.problems.map((each) => withResource(each, chart.replaces));
    if (named.length > 0 && named.every(isNotLocked)) problems.set(`${stage}/${id}`, named);
    else failures.push(...named);
  }
  if (failures.length > 0) return failed([...failures, ...[...problems.values()].flat()]);
  return ok({
    inputs: entries.flatMap((each) => each.inputs),
    notices: entries.flatMap((each) => each.notices),
    irreproducible: entries.flatMap((each) => each.irreproducible),
    deletionHooks: entries.flatMap((each) => each.deletionHooks),
    locked: entries.flatMap((each) => each.locked),
    charts: [],
    problems,
  });
}

async function renderAdapterChart(
  source: ConfigSource,
  { entry, bound, replaces, notices }: AdapterChart,
  binding: Pick<ChartBinding, "config" | "deployment" | "capabilities">,
): Promise<Result<RenderedEntry>> {
  const files = await readChartFiles(source, entry, binding.config.file);
  if (!files.ok) return files;
  const chart = { entry, files: files.value, texts: [], bound, replaces };
  const rendered = await renderBound(source, chart, `${replaces.stage}/${replaces.id}`, binding);
  if (!rendered.ok) return rendered;
  return ok({ ...rendered.value, notices: [...notices, ...rendered.value.notices] });
}

function isNotLocked({ code }: Problem): boolean {
  return code === "lock-file-outdated";
}

/**
 * Reports the charts that the objects of charts change: `resources` contain these objects. A chart
 * can refer to a field of an object that another chart sets, or exist only because of it. qvs
 * rendered the charts with earlier values. `shown` are the charts that can't be rendered.
 */
export function changedCharts(
  rendered: readonly AdapterChart[],
  resources: readonly Resource[],
  shown: ReadonlySet<string>,
): readonly Problem[] {
  const changed = rendered.filter(({ resolved, replaces }) => {
    const { content } = resolveContent(replaces, resources);
    return !sameJson(content, resolved);
  });
  const added = chartResources(resources).filter((each) => !shown.has(resourceKey(each)));
  return [
    ...changed.map(({ replaces, entry: { where } }) =>
      changedProblem(resourceKey(replaces), declarationPlaces({ where })),
    ),
    ...added.map((each) => changedProblem(resourceKey(each), declarationPlaces(each))),
  ];
}

function changedProblem(resource: string, where: Problem["where"]): Problem {
  return {
    code: "unsupported-chart-property",
    where,
    what: `Resource ${resource} depends on values that charts set`,
    why: "qvs renders a chart before the adapters see the objects of charts",
    fix: "Write the values themselves in the adapter",
    otherwise: ["pass the value as a parameter"],
  };
}
