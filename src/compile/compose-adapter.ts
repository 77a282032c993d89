import type { LayoutNode } from "../model/compilation.ts";
import { stages } from "../model/compilation.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import { failed, ok, type Problem, type Result } from "../model/problem.ts";
import type { Cue, CueValue } from "../ports.ts";
import { bindParameters } from "./bind-parameters.ts";
import type { Adapter } from "./load-adapter.ts";
import {
  groupResources,
  mergeResources,
  noResources,
  type ResourceValues,
  readResources,
} from "./resource-values.ts";
import { compositesProblems, conditionProblems, stageProblems } from "./stage-problems.ts";

/** An adapter after everything that it is made of was unified (spec §2, steps 1 to 4). */
export interface Composed {
  /** Ids carry the group under which this adapter is used. */
  readonly resources: ResourceValues;
  readonly layout: LayoutNode;
  readonly warnings: readonly Problem[];
}

/** Bind params, compose what it is composed of, unify, then `defer` last so that it sees everything. */
export function composeAdapter(adapter: Adapter, cue: Cue): Result<Composed> {
  if (!declares(adapter.value, ["resources", "composites", "defer"], cue)) {
    return ok(withoutResources(adapter, cue));
  }
  const bound = bindParameters(adapter, cue);
  if (!bound.ok) return bound;
  const own = readResources(bound.value.value, "resources", cue);
  const composites = composeComposites(adapter, bound.value.value, cue);
  if (!composites.ok) return composites;
  const { warnings, layouts } = composites.value;
  const composed = fillResources(bound.value.value, composites.value.resources, cue);
  const undecided = conditionProblems(composed, adapter, cue);
  const isFatal = !declares(composed, ["pipelines", "pipelineParameters"], cue);
  const problems = [...(isFatal ? undecided : []), ...stageProblems(composed, adapter, cue)];
  if (problems.length > 0) return failed(problems);
  const deferred = readResources(composed, "defer", cue);
  const resources = mergeResources(readResources(composed, "resources", cue), deferred, cue);
  const nothing = declares(composed, ["resources", "defer"], cue) ? [] : nothingNotices(adapter);
  return ok({
    resources: groupResources(resources, groupOfUse(adapter, cue)),
    warnings: [...bound.value.warnings, ...warnings, ...undecided, ...nothing],
    layout: layoutNode(
      adapter,
      bound.value.value,
      mergeResources(own, deferred, cue),
      layouts,
      cue,
    ),
  });
}

function declares(value: CueValue, fields: readonly string[], cue: Cue): boolean {
  return fields.some((field) => cue.lookup(value, [field]) !== undefined);
}

/** CI/CD adapters hold pipelines only; their parameters are of no concern here (spec §2). */
function withoutResources(adapter: Adapter, cue: Cue): Composed {
  return {
    resources: noResources,
    warnings: nothingNotices(adapter),
    layout: layoutNode(adapter, adapter.value, noResources, [], cue),
  };
}

/** Official adapters are composed with their pipelines; only what the config itself names is worth a word. */
function nothingNotices(adapter: Adapter): readonly Problem[] {
  if (adapter.usedBy === "adapter") return [];
  const what = `"${adapter.pattern}" declares no resources: it compiles to nothing here`;
  const fix = "Nothing has to be done; CI/CD adapters are run by their own pipeline";
  return [{ where: [adapter.where], what, fix }];
}

interface Composites {
  readonly resources: ResourceValues;
  readonly warnings: readonly Problem[];
  readonly layouts: readonly LayoutNode[];
}

/** Every element of `composites`, recursively; the problems of all of them together. */
function composeComposites(parent: Adapter, bound: CueValue, cue: Cue): Result<Composites> {
  const list = cue.lookup(bound, ["composites"]);
  const elements = list === undefined ? [] : cue.elements(list);
  const problems: Problem[] =
    list === undefined || elements.length > 0 ? [] : compositesProblems(list, parent, cue);
  const warnings: Problem[] = [];
  const layouts: LayoutNode[] = [];
  let resources = noResources;
  for (const [index, element] of elements.entries()) {
    const composed = composeElement(parent, element, index, cue);
    if (!composed.ok) {
      problems.push(...composed.problems);
      continue;
    }
    resources = mergeResources(resources, composed.value.resources, cue);
    warnings.push(...composed.value.warnings);
    layouts.push(composed.value.layout);
  }
  return problems.length > 0 ? failed(problems) : ok({ resources, warnings, layouts });
}

function composeElement(
  parent: Adapter,
  element: CueValue,
  index: number,
  cue: Cue,
): Result<Composed> {
  const where = cue.position(element) ?? parent.where;
  const value = cue.lookup(element, ["pattern"]);
  if (value === undefined) {
    const what = `composites[${index}] of "${parent.pattern}" has no pattern`;
    return failed([{ where: [where], what, fix: "Add `pattern: PACKAGE.DesignPattern` to it" }]);
  }
  return composeAdapter(
    {
      pattern: `${parent.pattern} → ${textOf(value, "name", cue) ?? `composites[${index}]`}`,
      value,
      params: cue.lookup(element, ["params"]),
      sources: {},
      hidden: new Set(),
      group: textOf(element, "group", cue),
      usedBy: "adapter",
      where,
    },
    cue,
  );
}

function fillResources(adapter: CueValue, resources: ResourceValues, cue: Cue): CueValue {
  let filled = adapter;
  for (const stage of stages) {
    for (const [id, value] of resources[stage]) {
      filled = cue.fill(filled, ["resources", stage, id], value);
    }
  }
  return filled;
}

/** The group that the user of the adapter gave, or the deprecated one that the adapter gave itself. */
function groupOfUse(adapter: Adapter, cue: Cue): string | undefined {
  return adapter.group ?? textOf(adapter.value, "group", cue);
}

function layoutNode(
  adapter: Adapter,
  bound: CueValue,
  own: ResourceValues,
  composites: readonly LayoutNode[],
  cue: Cue,
): LayoutNode {
  const place = cue.position(adapter.value) ?? adapter.where;
  return {
    pattern: adapter.pattern,
    name: textOf(adapter.value, "name", cue) ?? "",
    file: place.file,
    line: place.line,
    group: groupOfUse(adapter, cue),
    params: paramsOf(adapter, bound, cue),
    resources: stages.flatMap((stage) =>
      [...own[stage].keys()].sort().map((id) => `${stage}/${id}`),
    ),
    composites,
  };
}

function paramsOf(adapter: Adapter, bound: CueValue, cue: Cue): JsonObject {
  if (adapter.params === undefined) return {};
  const names = cue.fields(adapter.params).map((field) => field.name);
  const entries = names.sort().flatMap((name) => {
    const value =
      cue.lookup(bound, ["parameters", name]) ?? cue.lookup(adapter.params as CueValue, [name]);
    const exported = value === undefined ? undefined : cue.export(value);
    return exported?.ok ? [[name, exported.value] as const] : [];
  });
  const params = Object.fromEntries(entries);
  return isObject(params) ? params : {};
}

function textOf(value: CueValue, field: string, cue: Cue): string | undefined {
  const found = cue.lookup(value, [field]);
  const exported = found === undefined ? undefined : cue.export(found);
  return exported?.ok && typeof exported.value === "string" && exported.value !== ""
    ? exported.value
    : undefined;
}
