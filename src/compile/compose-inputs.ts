import type { LayoutNode, Resource, Stage } from "../model/sources/compilation.ts";
import type { InputObject, ObjectInput } from "../model/sources/config.ts";
import { pathKey } from "../model/sources/trace.ts";
import type { Cue, CueValue } from "../ports/cue.ts";
import { hiddenParams } from "./problems/quoting.ts";
import { groupResources, type ResourceValues } from "./resource-values.ts";
import {
  emptyTrace,
  groupTraced,
  nestTrace,
  type TracedField,
  type TracedResources,
} from "./trace-adapter.ts";

/** The objects of one entry as resources, with its node of the layout. */
export interface ComposedInput {
  readonly resources: ResourceValues;
  readonly layout: LayoutNode;
  readonly traced: TracedResources;
}

/**
 * Makes resources from the objects of an entry. They carry the places of their parts, so that a
 * conflict with an adapter names both. `place` is the index of the entry's node in the layout.
 * Without `tracing`, the trace is empty.
 */
export function composeInput(
  input: ObjectInput,
  place: number,
  cue: Cue,
  tracing: boolean,
): ComposedInput {
  const { stage, group } = input;
  return {
    resources: groupResources(stageResources(stage, input.objects, cue), group),
    layout: inputNode(input),
    traced: tracing ? nestTrace(groupTraced(traceObjects(input), group), place) : emptyTrace,
  };
}

function stageResources(stage: Stage, objects: readonly InputObject[], cue: Cue): ResourceValues {
  const struct = cue.struct(
    Object.fromEntries(
      objects.map(({ id, object, where, places }) => [id, { value: object, where, places }]),
    ),
  );
  const values = objects.flatMap(({ id }): [string, CueValue][] => {
    const value = cue.lookup(struct, [id]);
    return value === undefined ? [] : [[id, value]];
  });
  const empty = { appSetup: new Map(), app: new Map() };
  return { ...empty, [stage]: new Map(values) };
}

/**
 * Returns the node of an entry, with one node per object. The pattern of an object is its place in
 * the file, as previews show it. The entry has the parameters and the trace of all its objects.
 */
function inputNode(input: ObjectInput): LayoutNode {
  const { title, where, group, params, objects } = input;
  const hidden = [...hiddenParams(input)].sort();
  return {
    ...{ pattern: title, name: "", ...where, use: where, group },
    params: Object.fromEntries(params.map(({ name, value }) => [name, value])),
    ...(hidden.length === 0 ? {} : { hidden }),
    sources: Object.fromEntries(params.map((p) => [p.name, { at: p.where, from: p.from }])),
    resources: [],
    composites: objects.map(({ id, where, base = where }) => ({
      ...{ pattern: `${base.file}:${base.line}`, name: "", ...base },
      ...{ group: undefined, params: {}, composites: [] },
      resources: [`${resourcePrefix(input)}/${id}`],
    })),
  };
}

/** Adds the place in the file to resources without one, because an adapter added fields to them. */
export function withInputPlaces(
  resources: readonly Resource[],
  inputs: readonly ObjectInput[],
): readonly Resource[] {
  const places = new Map(
    inputs.flatMap((input) =>
      input.objects.map(({ id, where }) => [`${resourcePrefix(input)}/${id}`, where] as const),
    ),
  );
  return resources.map((each) => {
    const where = places.get(`${each.stage}/${each.id}`);
    const isPlaced = each.type !== "manifest" || each.where !== undefined;
    return isPlaced || where === undefined ? each : { ...each, where };
  });
}

/** Returns the stage of the objects of an entry, with their group. */
function resourcePrefix({ stage, group }: ObjectInput): string {
  return group === undefined || group === "" ? stage : `${stage}/${group}`;
}

/** Returns the places of all parts of the objects as their origins. */
function traceObjects({ stage, objects }: ObjectInput): TracedResources {
  return new Map(
    objects.map(({ id, places }) => {
      const fields = places.map(({ path, where, from = [] }): [string, TracedField] => {
        const made = from.map((name) => ({ name, at: where }));
        const found = { node: [], at: [where], constrained: false, made, decided: [], reads: [] };
        return [pathKey(path), { path, origins: [found] }];
      });
      return [`${stage}/${id}`, new Map(fields)];
    }),
  );
}
