import { type Stage, stages } from "../model/sources/compilation.ts";
import {
  type FieldOrigin,
  type ParameterSource,
  type ParameterUse,
  pathKey,
} from "../model/sources/trace.ts";
import type { Cue, CueLeaf, CueParameterUse, CueValue } from "../ports/cue.ts";

/** The known origins of one field, by node of the layout. */
export interface TracedField {
  readonly path: readonly string[];
  readonly origins: readonly TracedOrigin[];
}

export interface TracedOrigin extends FieldOrigin {
  /** True if the adapter only constrains the value. */
  readonly constrained: boolean;
}

/**
 * The fields by `stage/id` and `pathKey`, for an adapter with all its composites. Undefined if the
 * trace of a part would take too long: a partial trace would be wrong.
 */
export type TracedResources = ReadonlyMap<string, ReadonlyMap<string, TracedField>> | undefined;

type FieldsByResource = NonNullable<TracedResources>;

export const emptyTrace: TracedResources = new Map();

/**
 * Traces the fields of an adapter's resources. `bound` contains its params, and `composed` also
 * contains the resources of its composites.
 * The adapter wrote a field that exists without the composites, or that is written at a place
 * outside them. The ids are those within the adapter.
 */
export function traceAdapter(
  bound: CueValue,
  composed: CueValue,
  composites: TracedResources,
  cue: Cue,
): TracedResources {
  if (composites === undefined) return undefined;
  const own = traceField(bound, "resources", cue);
  const all = composed === bound ? own : own && traceField(composed, "resources", cue);
  const deferred = all && traceField(composed, "defer", cue);
  if (own === undefined || all === undefined) return undefined;
  return mergeTraced([ownFields(all, own, composites), deferred, composites]);
}

/** Returns the fields of a composite as seen from the surrounding adapter. */
export function nestTrace(traced: TracedResources, place: number): TracedResources {
  if (traced === undefined) return undefined;
  const moved = ({ path, origins }: TracedField): TracedField => ({
    path,
    origins: origins.map((origin) => ({ ...origin, node: [place, ...origin.node] })),
  });
  return mapFields(traced, moved);
}

/** Adds a group to all resources, like `groupResources`. */
export function groupTraced(traced: TracedResources, group: string | undefined): TracedResources {
  if (traced === undefined || group === undefined || group === "") return traced;
  const named = mapFields(traced, ({ path, origins }) => ({
    path,
    origins: origins.map((origin) => ({
      ...origin,
      reads: origin.reads.map((read) => ({ ...read, resource: addGroup(read.resource, group) })),
    })),
  }));
  return new Map([...named].map(([resource, fields]) => [addGroup(resource, group), fields]));
}

/** Adds a group to a resource name: `app/web` → `app/GROUP/web`. */
export function addGroup(resource: string, group: string): string {
  return resource.replace("/", () => `/${group}/`);
}

export function mergeTraced(all: readonly TracedResources[]): TracedResources {
  const merged = new Map<string, Map<string, TracedField>>();
  for (const traced of all) {
    if (traced === undefined) return undefined;
    for (const [resource, fields] of traced) {
      const present = merged.get(resource) ?? new Map<string, TracedField>();
      merged.set(resource, present);
      for (const [key, { path, origins }] of fields) {
        present.set(key, { path, origins: [...(present.get(key)?.origins ?? []), ...origins] });
      }
    }
  }
  return merged;
}

/**
 * Returns the source of each param that an adapter gives to a composite; undefined if the trace
 * would take too long.
 */
export function traceParams(
  params: CueValue | undefined,
  parent: CueValue,
  cue: Cue,
): Readonly<Record<string, ParameterSource>> | undefined {
  const leaves = params === undefined ? [] : cue.trace(params, parent);
  if (leaves === undefined) return undefined;
  const byName = Map.groupBy(leaves, ({ path }) => path[0] ?? "");
  const sources = [...byName].map(([name, of]): [string, ParameterSource] => {
    const from = of.flatMap(({ made, decided }) => [...made, ...decided].map((use) => use.name));
    return [name, { at: of[0]?.at[0], from: [...new Set(from)] }];
  });
  return Object.fromEntries(sources);
}

function traceField(adapter: CueValue, field: "resources" | "defer", cue: Cue): TracedResources {
  const traced = new Map<string, Map<string, TracedField>>();
  for (const stage of stages) {
    const value = cue.lookup(adapter, [field, stage]);
    const leaves = value === undefined ? [] : cue.trace(value, adapter);
    if (leaves === undefined) return undefined;
    for (const { path, ...leaf } of leaves) {
      const resource = resourceName(stage, path);
      const fields = traced.get(resource) ?? new Map<string, TracedField>();
      traced.set(resource, fields);
      const below = path.slice(1);
      fields.set(pathKey(below), { path: below, origins: [toTracedOrigin(leaf)] });
    }
  }
  return traced;
}

function toTracedOrigin({
  at,
  constrained,
  made,
  decided,
  reads,
}: Omit<CueLeaf, "path">): TracedOrigin {
  const fields = reads.flatMap(([stage = "", ...path]) =>
    path.length > 1 ? [{ resource: resourceName(stage as Stage, path), path: path.slice(1) }] : [],
  );
  return {
    node: [],
    at,
    constrained,
    made: made.map(toParameterUse),
    decided: decided.map(toParameterUse),
    reads: fields,
  };
}

function toParameterUse({ name, at }: CueParameterUse): ParameterUse {
  return { name, at };
}

function resourceName(stage: Stage, [id = ""]: readonly string[]): string {
  return `${stage}/${id}`;
}

/** Returns the part of the composed adapter that the adapter itself wrote. */
function ownFields(
  all: FieldsByResource,
  own: FieldsByResource,
  composites: FieldsByResource,
): TracedResources {
  if (all === own) return own;
  const left = [...all].map(([resource, fields]) => {
    const kept = [...fields].flatMap(([key, { path, origins }]) => {
      const alone = own.get(resource)?.get(key)?.origins[0];
      const others =
        composites
          .get(resource)
          ?.get(key)
          ?.origins.flatMap((each) => each.at) ?? [];
      return origins.flatMap((origin) => {
        const at =
          alone?.at ?? origin.at.filter((place) => !others.some((o) => isSamePosition(o, place)));
        const constrained = alone?.constrained ?? origin.constrained;
        return at.length === 0
          ? []
          : [[key, { path, origins: [{ ...origin, at, constrained }] }] as const];
      });
    });
    return [resource, new Map<string, TracedField>(kept)] as const;
  });
  return new Map(left);
}

type OriginPosition = FieldOrigin["at"][number];

function isSamePosition(a: OriginPosition, b: OriginPosition): boolean {
  return a.file === b.file && a.line === b.line && a.column === b.column;
}

function mapFields(
  traced: FieldsByResource,
  change: (field: TracedField) => TracedField,
): FieldsByResource {
  return new Map(
    [...traced].map(([resource, fields]) => [
      resource,
      new Map([...fields].map(([key, field]) => [key, change(field)])),
    ]),
  );
}
