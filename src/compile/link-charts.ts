import { sameJson } from "../model/json.ts";
import {
  declarationPlaces,
  failed,
  ok,
  type Problem,
  type Result,
} from "../model/problems/problem.ts";
import {
  type LayoutNode,
  type Manifest,
  type Resource,
  resourceKey,
  type Stage,
  stages,
} from "../model/sources/compilation.ts";
import type { ChartResource, InputObject, ObjectInput } from "../model/sources/config.ts";
import { referencePieces, resolveReference } from "../model/text/reference-text.ts";
import { walkStrings } from "./resource-references.ts";

/** The maximum number of dependencies that charts add, so that a plan stays small. */
const maxDependencies = 100_000;

/**
 * Replaces the charts of adapters by their objects. A dependency of a chart applies to each of its
 * objects, and a resource that depends on a chart depends on all of them. It reports an object that
 * another resource with its id hides, because a deployment would delete it.
 */
export function linkCharts(
  resources: readonly Resource[],
  inputs: readonly ObjectInput[],
): Result<readonly Resource[]> {
  const hidden = hiddenObjects(resources, inputs);
  const lost = hidden.length > 0 ? hidden : changedCharts(resources, inputs);
  if (lost.length > 0) return failed(lost);
  const charts = linkedCharts(inputs);
  if (charts.length === 0) return ok(resources);
  const replaced = new Set(charts.map(resourceKey));
  const left = resources.filter((each) => !replaced.has(resourceKey(each)));
  const chartOf = new Map<string, LinkedChart>(
    charts.flatMap((chart) => chart.objects.map((id) => [`${chart.stage}/${id}`, chart] as const)),
  );
  const links = chartLinks(left, charts);
  const problems = left.flatMap((each) =>
    each.type === "manifest" ? fieldProblems(each, links) : [],
  );
  if (problems.length > 0) return failed(problems);
  const linked: Resource[] = [];
  let count = 0;
  for (const each of left) {
    if (each.type === "foreign") {
      linked.push(each);
      continue;
    }
    const chart = chartOf.get(resourceKey(each));
    const ids = [...new Set([...each.dependsOn, ...(chart?.dependsOn ?? [])])];
    const objects = ids.map((id) => links.objects(id, each.stage) ?? [id]);
    count += objects.reduce((sum, { length }) => sum + length, 0) - each.dependsOn.length;
    if (count > maxDependencies) return failed([tooManyProblem(each, chart, ids, links)]);
    const dependsOn = new Set(objects.flat());
    dependsOn.delete(each.id);
    linked.push({ ...each, dependsOn: [...dependsOn].sort() });
  }
  return ok(linked);
}

/** Removes the charts that `linkCharts` replaced from a node of the layout and those below it. */
export function withoutCharts(node: LayoutNode, inputs: readonly ObjectInput[]): LayoutNode {
  const replaced = new Set(inputs.flatMap(({ replaces }) => replaces ?? []).map(resourceKey));
  return replaced.size === 0 ? node : withoutResources(node, replaced);
}

function withoutResources(node: LayoutNode, removed: ReadonlySet<string>): LayoutNode {
  return {
    ...node,
    resources: node.resources.filter((key) => !removed.has(key)),
    composites: node.composites.map((each) => withoutResources(each, removed)),
  };
}

/** Returns the id of an object of an entry, with the group of the entry. */
function objectId({ group = "" }: ObjectInput, { id }: InputObject): string {
  return group === "" ? id : `${group}/${id}`;
}

/**
 * Reports objects of entries and charts whose resource isn't a manifest of these objects. A
 * resource of an adapter with the same id, such as a chart, would hide them.
 */
function hiddenObjects(
  resources: readonly Resource[],
  inputs: readonly ObjectInput[],
): readonly Problem[] {
  const found = new Map(resources.map((each) => [resourceKey(each), each] as const));
  return inputs.flatMap((input) =>
    input.objects.flatMap((object): readonly Problem[] => {
      const key = `${input.stage}/${objectId(input, object)}`;
      const resource = found.get(key);
      const isShown = resource?.type === "manifest" && resource.pulumi !== true;
      return isShown ? [] : [hiddenProblem(key, resource, object)];
    }),
  );
}

function hiddenProblem(
  key: string,
  resource: Resource | undefined,
  { where }: InputObject,
): Problem {
  const type = resource?.type === "foreign" ? resource.provider : "pulumi-yaml";
  return {
    code: "duplicate-object",
    where: declarationPlaces(...(resource === undefined ? [] : [resource]), { where }),
    what: `Resource ${key} of an adapter has the id of an object of a file or a chart`,
    facts: [{ label: "provider", value: type }],
    why: "qvs would unify them and lose the object",
    fix: "Give the resource of the adapter another id",
  };
}

/**
 * Reports charts that changed after their objects were added, because their values refer to these
 * objects. The objects would be those of old values.
 */
function changedCharts(
  resources: readonly Resource[],
  inputs: readonly ObjectInput[],
): readonly Problem[] {
  const found = new Map(resources.map((each) => [resourceKey(each), each] as const));
  const charts = inputs.flatMap(({ replaces }) => replaces ?? []);
  return charts.flatMap((chart): readonly Problem[] => {
    const resource = found.get(resourceKey(chart));
    if (resource?.type === "foreign" && sameJson(resource.content, chart.content)) return [];
    return [
      {
        code: "unsupported-chart-property",
        where: declarationPlaces(...(resource ? [resource] : [])),
        what: `Resource ${resourceKey(chart)} depends on objects of charts`,
        why: "qvs renders a chart before the adapters see its objects",
        fix: "Write the values themselves in the adapter",
      },
    ];
  });
}

interface LinkedChart extends ChartResource {
  /** The ids of the objects, which are in the stage of the chart. */
  readonly objects: readonly string[];
}

/** Returns the charts of adapters with their objects. */
function linkedCharts(inputs: readonly ObjectInput[]): readonly LinkedChart[] {
  return inputs.flatMap((input) =>
    input.replaces === undefined
      ? []
      : [{ ...input.replaces, objects: input.objects.map((object) => objectId(input, object)) }],
  );
}

interface ChartLinks {
  /**
   * Returns the objects of the chart that a resource of `stage` means by an id; undefined if it
   * means another resource.
   */
  objects(id: string, stage: Stage): readonly string[] | undefined;
}

/** Decides which chart an id means. Two stages can have the same id, and the own stage wins. */
function chartLinks(left: readonly Resource[], charts: readonly LinkedChart[]): ChartLinks {
  const others = new Set(left.map(resourceKey));
  const byKey = new Map(charts.map((chart) => [resourceKey(chart), chart] as const));
  const meant = (id: string, stage: Stage): LinkedChart | undefined => {
    if (others.has(`${stage}/${id}`)) return undefined;
    const own = byKey.get(`${stage}/${id}`);
    return own ?? stages.map((each) => byKey.get(`${each}/${id}`)).find((each) => each);
  };
  // A chart without objects stands for the resources that it waits for, so that the order stays.
  const waitedFor = (id: string, stage: Stage, seen: Set<LinkedChart>): readonly string[] => {
    const chart = meant(id, stage);
    if (chart === undefined) return [id];
    if (chart.objects.length > 0) return chart.objects;
    if (seen.has(chart)) return [];
    seen.add(chart);
    return chart.dependsOn.flatMap((other) => waitedFor(other, chart.stage, seen));
  };
  const known = new Map<LinkedChart, readonly string[]>();
  return {
    objects: (id, stage) => {
      const chart = meant(id, stage);
      if (chart === undefined) return undefined;
      const found = known.get(chart) ?? waitedFor(id, stage, new Set());
      known.set(chart, found);
      return found;
    },
  };
}

function tooManyProblem(
  manifest: Manifest,
  chart: ChartResource | undefined,
  ids: readonly string[],
  links: ChartLinks,
): Problem {
  const on = ids.find((id) => links.objects(id, manifest.stage) !== undefined) ?? ids[0] ?? "";
  return {
    code: "input-too-large",
    where: declarationPlaces(manifest),
    what: `Resource ${resourceKey(chart ?? manifest)} waits for too many objects of ${on}`,
    facts: [{ label: "limit", value: `${maxDependencies} dependencies between charts` }],
    why: "Each object of a chart waits for each object of the other",
    fix: "Remove options.dependsOn, or depend on one object of the chart by its id",
    otherwise: ["put the charts in different stages"],
  };
}

/** Reports the references to fields of charts. Only objects have fields. */
function fieldProblems(manifest: Manifest, links: ChartLinks): readonly Problem[] {
  const pulumi = manifest.pulumi === true;
  const isChart = (id: string) => links.objects(id, manifest.stage) !== undefined;
  const named = manifest.dependsOn.filter(isChart);
  if (named.length === 0) return [];
  const written = [...walkStrings(manifest.object)]
    .flatMap((text) => referencePieces(text, pulumi))
    .flatMap((piece) => {
      if (piece.type === "text") return [];
      const found = resolveReference(piece.inner, manifest.id, manifest.dependsOn);
      return found !== undefined && isChart(found.id) ? [piece.written] : [];
    });
  return [...new Set(written)].map((text) => ({
    code: "reference-not-found",
    what: `Resource ${manifest.stage}/${manifest.id} refers to ${text}, which is a chart`,
    why: "Only the objects of the chart have fields",
    fix: "Refer to an object of the chart by its id, as `qvs compile` shows it",
    otherwise: ["pass the value as a parameter"],
    where: declarationPlaces(manifest),
  }));
}
