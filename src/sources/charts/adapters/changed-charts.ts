import { type Resource, resourceKey } from "../../../model/compilation.ts";
import { sameJson } from "../../../model/json.ts";
import { declarationPlaces, type Problem } from "../../../model/problems/problem.ts";
import { type AdapterChart, chartResources } from "./adapter-charts.ts";
import { resolveContent } from "./resolve-content.ts";

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
