import type { DeclaredHealthRule } from "../model/health-rule.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import { type LayoutNode, stages } from "../model/sources/compilation.ts";
import type { Cue, CueValue } from "../ports/cue.ts";
import { bindParameters, fillParameters, unknownArguments } from "./bind-parameters.ts";
import { readHealth } from "./health/read-health.ts";
import type { Adapter } from "./load-adapter.ts";
import { changedCompositesProblems, shapeProblems } from "./problems/shape-problems.ts";
import {
  compositesProblems,
  conditionProblems,
  hiddenPartProblems,
  stageProblems,
} from "./problems/stage-problems.ts";
import { readComposite, readGroup } from "./read-composite.ts";
import {
  addDeferred,
  groupResources,
  mergeResources,
  type ResourceValues,
  readResources,
} from "./resource-values.ts";
import {
  addGroup,
  emptyTrace,
  groupTraced,
  mergeTraced,
  nestTrace,
  type TracedResources,
  traceAdapter,
  traceParams,
} from "./trace-adapter.ts";

/** An adapter after all its parts were unified (docs/reference/adapters.md#composition). */
export interface ComposedAdapter {
  /** The ids contain the group in which this adapter is used. */
  readonly resources: ResourceValues;
  readonly layout: LayoutNode;
  /** The health rules of the adapter and its composites. */
  readonly health: readonly DeclaredHealthRule[];
  /** Empty if no trace was requested; undefined if the trace would take too long. */
  readonly traced: TracedResources;
  readonly warnings: readonly Problem[];
}

const deployed = ["resources", "composites", "defer", "health"];
const pipelineFields = ["pipelines", "pipelineParameters"];

/**
 * Binds the params, composes the composites and unifies them. `defer` is last, so that it sees all
 * resources.
 */
export function composeAdapter(
  adapter: Adapter,
  cue: Cue,
  tracing: boolean,
): Result<ComposedAdapter> {
  const shapes = shapeProblems(adapter.value, adapter, cue);
  if (shapes.length > 0) return failed(shapes);
  if (hasOnlyPipelines(adapter, cue)) return ok(composeNothing(adapter, cue));
  const bound = bindParameters(adapter, cue);
  if (!bound.ok) return bound;
  const misplaced = changedShapeProblems(adapter.value, bound.value.value, adapter, cue);
  if (misplaced.length > 0) return failed(misplaced);
  const declared = readResources(bound.value.value, "resources", cue);
  const composites = composeComposites(adapter, bound.value.value, cue, tracing);
  if (!composites.ok) return composites;
  const { warnings, layouts } = composites.value;
  const composed = fillResources(bound.value.value, composites.value.resources, cue);
  const undecided = conditionProblems(composed, adapter, cue);
  const problems = [
    ...changedShapeProblems(bound.value.value, composed, adapter, cue),
    ...undecided.problems,
    ...stageProblems(composed, adapter, cue),
    ...changedCompositesProblems(bound.value.value, composed, adapter, cue),
  ];
  if (problems.length > 0) return failed(problems);
  const deferred = readResources(composed, "defer", cue);
  const resources = addDeferred(composed, readResources(composed, "resources", cue), deferred, cue);
  const nothing = declares(composed, ["resources", "defer"], cue)
    ? []
    : noResourcesNotices(adapter, cue);
  const traced = tracing
    ? traceAdapter(bound.value.value, composed, composites.value.traced, cue)
    : emptyTrace;
  const own = adapter.group === undefined ? ownGroup(composed, adapter, cue) : ok(adapter.group);
  if (!own.ok) return own;
  const group = own.value;
  const health = readHealth(composed, adapter, cue);
  if (!health.ok) return health;
  return ok({
    health: [...health.value, ...composites.value.health],
    resources: groupResources(resources, group),
    traced: groupTraced(traced, group),
    warnings: [...bound.value.warnings, ...warnings, ...undecided.warnings, ...nothing],
    layout: layoutNode(
      { ...adapter, group },
      bound.value.value,
      resourceIds(declared, deferred),
      layouts,
      cue,
    ),
  });
}

/**
 * Reports whether an adapter contains only pipelines, such as a CI/CD adapter. A condition can
 * depend on a parameter, so its arguments decide. While one has no value, the answer is no: an
 * adapter without its resources would be planned as their deletion.
 */
function hasOnlyPipelines(adapter: Adapter, cue: Cue): boolean {
  if (declares(adapter.value, deployed, cue)) return false;
  const filled = fillParameters(adapter, cue);
  return (
    declares(filled, pipelineFields, cue) &&
    !declares(filled, deployed, cue) &&
    changedShapeProblems(adapter.value, filled, adapter, cue).length === 0 &&
    conditionProblems(filled, adapter, cue).problems.length === 0
  );
}

/** Checks the form of an adapter again if a step of its composition changed it. */
function changedShapeProblems(
  before: CueValue,
  after: CueValue,
  adapter: Adapter,
  cue: Cue,
): readonly Problem[] {
  return after === before ? [] : shapeProblems(after, adapter, cue);
}

function declares(value: CueValue, fields: readonly string[], cue: Cue): boolean {
  return fields.some((field) => cue.lookup(value, [field]) !== undefined);
}

/**
 * Returns the result for an adapter that contains only pipelines, such as a CI/CD adapter. Its
 * parameters can be missing (docs/reference/adapters.md#fields). A misspelled one could have
 * included resources.
 */
function composeNothing(adapter: Adapter, cue: Cue): ComposedAdapter {
  return {
    resources: mergeResources([], cue),
    health: [],
    traced: emptyTrace,
    warnings: [...unknownArguments(adapter, cue), ...noResourcesNotices(adapter, cue)],
    layout: layoutNode(adapter, adapter.value, [], [], cue),
  };
}

/**
 * Warns that an adapter produces nothing. Official adapters have composites that contain only
 * pipelines, so the warning is limited to adapters that the config names.
 */
function noResourcesNotices(adapter: Adapter, cue: Cue): readonly Problem[] {
  if (adapter.usedBy === "adapter") return [];
  return [
    {
      code: "no-resources",
      where: [adapter.where],
      what: `Adapter "${adapter.pattern}" declares no resources`,
      why: "It compiles to nothing",
      fix: declares(adapter.value, [...pipelineFields, "composites"], cue)
        ? "Nothing to do: pipelines run CI/CD adapters"
        : "If it should have resources, check the parameters in its conditions",
    },
  ];
}

interface ComposedComposites {
  readonly resources: ResourceValues;
  readonly health: readonly DeclaredHealthRule[];
  readonly warnings: readonly Problem[];
  readonly layouts: readonly LayoutNode[];
  readonly traced: TracedResources;
}

/** Composes every element of `composites` recursively. The result contains all their problems. */
function composeComposites(
  parent: Adapter,
  bound: CueValue,
  cue: Cue,
  tracing: boolean,
): Result<ComposedComposites> {
  const list = cue.lookup(bound, ["composites"]);
  const elements = list === undefined ? [] : cue.elements(list);
  const problems: Problem[] =
    list === undefined || elements.length > 0 ? [] : compositesProblems(list, parent, cue);
  const warnings: Problem[] = [];
  const layouts: LayoutNode[] = [];
  const traced: TracedResources[] = [];
  const health: DeclaredHealthRule[] = [];
  const all: ResourceValues[] = [];
  for (const [index, element] of elements.entries()) {
    const adapter = loadComposite(parent, bound, element, index, cue, tracing);
    const composed = adapter.ok ? composeAdapter(adapter.value, cue, tracing) : adapter;
    if (!composed.ok) {
      problems.push(...composed.problems);
      continue;
    }
    all.push(composed.value.resources);
    warnings.push(...composed.value.warnings);
    health.push(...composed.value.health);
    layouts.push(composed.value.layout);
    const isKnown = !tracing || (adapter.ok && adapter.value.origins !== undefined);
    traced.push(isKnown ? nestTrace(composed.value.traced, index) : undefined);
  }
  if (problems.length > 0) return failed(problems);
  return ok({
    resources: mergeResources(all, cue),
    health,
    warnings,
    layouts,
    traced: mergeTraced(traced),
  });
}

function loadComposite(
  parent: Adapter,
  bound: CueValue,
  element: CueValue,
  index: number,
  cue: Cue,
  tracing: boolean,
): Result<Adapter> {
  const read = readComposite(parent, element, index, cue);
  if (!read.ok) return read;
  const { pattern: value, params, group, where } = read.value;
  cue.blame(value, `${parent.pattern} → composites[${index}]`);
  const pattern = `${parent.pattern} → ${readString(value, "name", cue) ?? `composites[${index}]`}`;
  cue.blame(value, pattern);
  const definition = cue.definition(value);
  const hidden = hiddenPartProblems(definition?.hidden ?? [], { pattern, where });
  if (hidden.length > 0) return failed(hidden);
  return ok({
    pattern,
    definition,
    value,
    params,
    sources: {},
    origins: tracing ? traceParams(params, bound, cue) : undefined,
    hidden: new Set(),
    group,
    usedBy: "adapter",
    where,
  });
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

/**
 * Returns the deprecated group that the adapter gives itself. A group from the user of the adapter
 * has priority.
 */
function ownGroup(composed: CueValue, adapter: Adapter, cue: Cue): Result<string | undefined> {
  return readGroup(composed, `Adapter "${adapter.pattern}"`, adapter.where, cue);
}

function layoutNode(
  adapter: Adapter,
  bound: CueValue,
  resources: readonly string[],
  composites: readonly LayoutNode[],
  cue: Cue,
): LayoutNode {
  const { definition } = adapter;
  const place = definition?.at ?? cue.position(adapter.value) ?? adapter.where;
  const node: LayoutNode = {
    pattern: definition?.package ?? adapter.pattern,
    name: readString(adapter.value, "name", cue) ?? "",
    ...place,
    use: adapter.where,
    group: adapter.group,
    params: boundParams(adapter, bound, cue),
    ...(adapter.hidden.size === 0 ? {} : { hidden: [...adapter.hidden].sort() }),
    ...(adapter.origins === undefined ? {} : { sources: adapter.origins }),
    resources,
    composites,
  };
  return node.group === undefined ? node : prefixIds(node.group, node);
}

/**
 * Adds the group to all ids of a node, because the ids of compiled resources contain all
 * surrounding groups.
 */
function prefixIds(group: string, node: LayoutNode): LayoutNode {
  return {
    ...node,
    resources: node.resources.map((resource) => addGroup(resource, group)),
    composites: node.composites.map((composite) => prefixIds(group, composite)),
  };
}

function resourceIds(...all: readonly ResourceValues[]): readonly string[] {
  return stages.flatMap((stage) => {
    const ids = new Set(all.flatMap((resources) => [...resources[stage].keys()]));
    return [...ids].sort().map((id) => `${stage}/${id}`);
  });
}

function boundParams(adapter: Adapter, bound: CueValue, cue: Cue): JsonObject {
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

function readString(value: CueValue, field: string, cue: Cue): string | undefined {
  const found = cue.lookup(value, [field]);
  const exported = found === undefined ? undefined : cue.export(found);
  return exported?.ok && typeof exported.value === "string" && exported.value !== ""
    ? exported.value
    : undefined;
}
