import { fieldOf, type Json, textAt } from "../../model/json.ts";
import type { Position } from "../../model/problems/problem.ts";
import {
  type Compilation,
  type LayoutNode,
  type Resource,
  resourceKey,
} from "../../model/sources/compilation.ts";
import {
  type FieldOrigin,
  type FieldTrace,
  leafEntries,
  pathKey,
} from "../../model/sources/trace.ts";
import { isSensitiveName } from "../../redaction/sensitive-name.ts";
import { canContainSecrets } from "../../redaction/sensitive-object.ts";
import { resourceContent } from "../diff/render-manifests.ts";

/** The origin of the fields of a resource that differ between two compilations. */
export interface DifferenceOrigin {
  /**
   * The path to the adapter that wrote most of them, or most of the resource if no field differs.
   */
  readonly writer: readonly number[] | undefined;
  /** The places in that adapter, without duplicates. */
  readonly places: readonly Position[];
  /** The arguments in the config that they derive from: indexes of designPatterns, with names. */
  readonly inHead: ReadonlyMap<number, ReadonlySet<string>>;
  readonly inBase: ReadonlyMap<number, ReadonlySet<string>>;
}

/**
 * Returns the origin of the differing fields. `resource` is `stage/id`.
 * If one compilation doesn't have the resource, all fields of the other one differ.
 */
export function traceDifference(
  resource: string,
  head: ResourceIndex,
  base: ResourceIndex | undefined,
): DifferenceOrigin {
  const [after, before] = [resourceValues(resource, head), resourceValues(resource, base)];
  const changed = differing(tracedFields(resource, head), after, before);
  const removed = differing(tracedFields(resource, base), before, after);
  const all = changed.length > 0 ? changed : tracedFields(resource, head);
  const writer = mostFrequent(all.flatMap(({ origins }) => origins.map(({ node }) => node)));
  return {
    writer,
    places: changed.length === 0 ? [] : writerPlaces(writer, changed),
    inHead: collectArguments(changed, head),
    inBase: base === undefined ? new Map() : collectArguments(removed, base),
  };
}

function tracedFields(resource: string, of: ResourceIndex | undefined): readonly FieldTrace[] {
  return of?.fields.get(resource) ?? [];
}

function resourceValues(
  resource: string,
  of: ResourceIndex | undefined,
): ReadonlyMap<string, Json> {
  const found = of?.resources.get(resource);
  const leaves = found === undefined ? [] : leafEntries(resourceContent(found));
  return new Map(leaves.map(([path, value]) => [pathKey(path), value]));
}

function differing(
  fields: readonly FieldTrace[],
  own: ReadonlyMap<string, Json>,
  others: ReadonlyMap<string, Json>,
): readonly FieldTrace[] {
  return fields.filter(({ path }) => {
    const key = pathKey(path);
    return JSON.stringify(own.get(key)) !== JSON.stringify(others.get(key));
  });
}

function mostFrequent(places: readonly (readonly number[])[]): readonly number[] | undefined {
  const groups = [...Map.groupBy(places, (place) => place.join()).values()];
  return groups.toSorted((a, b) => b.length - a.length)[0]?.[0];
}

function writerPlaces(
  writer: readonly number[] | undefined,
  fields: readonly FieldTrace[],
): readonly Position[] {
  const origins = fields.flatMap((field) => field.origins);
  const places = origins.filter(({ node }) => node.join() === writer?.join()).flatMap((o) => o.at);
  const byLine = new Map(places.map((place) => [`${place.file}:${place.line}`, place]));
  return [...byLine.values()];
}

type ArgumentPaths = Map<number, Set<string>>;

function collectArguments(fields: readonly FieldTrace[], of: ResourceIndex): ArgumentPaths {
  const found: ArgumentPaths = new Map();
  const seen = new Set<FieldTrace>();
  const open = fields.toReversed();
  for (let field = open.pop(); field !== undefined; field = open.pop()) {
    if (seen.has(field)) continue;
    seen.add(field);
    for (const origin of field.origins) addArguments(origin, of.compilation.layout, found);
    open.push(...readFields(field, of).toReversed());
  }
  return found;
}

function readFields({ origins }: FieldTrace, of: ResourceIndex): readonly FieldTrace[] {
  return origins
    .flatMap(({ reads }) => reads)
    .flatMap(({ resource, path }) =>
      tracedFields(resource, of).filter((other) => path.every((step, i) => other.path[i] === step)),
    );
}

function addArguments({ node, made, decided }: FieldOrigin, layout: LayoutNode, to: ArgumentPaths) {
  const [use = 0] = node;
  const names = [...made, ...decided].map(({ name }) => name);
  const known = to.get(use) ?? new Set<string>();
  for (const name of outerArguments(layout, node, names)) known.add(name);
  to.set(use, known);
}

/**
 * Maps parameters of an adapter to the arguments of the config's own adapter that they derive from.
 */
function outerArguments(
  layout: LayoutNode,
  [first, ...rest]: readonly number[],
  names: readonly string[],
): readonly string[] {
  const node = first === undefined ? undefined : layout.composites[first];
  if (node === undefined || rest.length === 0) return names;
  const [second = 0] = rest;
  const sources = node.composites[second]?.sources ?? {};
  const inside = outerArguments(node, rest, names);
  return inside.flatMap((name) => fieldOf(sources, name)?.from ?? []);
}

/** A compilation indexed by `stage/id`, for fast lookups in thousands of resources. */
export interface ResourceIndex {
  readonly compilation: Compilation;
  readonly resources: ReadonlyMap<string, Resource>;
  /** Empty without a trace. */
  readonly fields: ReadonlyMap<string, readonly FieldTrace[]>;
  /** The resources that contain secrets. */
  readonly secrets: ReadonlySet<string>;
  /** The indexes of the config's own adapters that contributed to a resource. */
  readonly users: ReadonlyMap<string, readonly number[]>;
}

export function indexResources(compilation: Compilation): ResourceIndex {
  const { resources, trace = [], layout } = compilation;
  return {
    compilation,
    resources: new Map(resources.map((each) => [resourceKey(each), each])),
    fields: new Map(trace.map(({ resource, fields }) => [resource, fields])),
    secrets: new Set(resources.filter(isSecret).map(resourceKey)),
    users: indexUsers(layout),
  };
}

/** Returns all resources that an adapter contributed to, including those of its composites. */
export function nodeResources({ resources, composites }: LayoutNode): readonly string[] {
  return [...resources, ...composites.flatMap(nodeResources)];
}

function indexUsers({ composites }: LayoutNode): ReadonlyMap<string, readonly number[]> {
  const users = new Map<string, number[]>();
  for (const [place, node] of composites.entries()) {
    for (const resource of new Set(nodeResources(node))) {
      const known = users.get(resource) ?? [];
      known.push(place);
      users.set(resource, known);
    }
  }
  return users;
}

/**
 * Reports whether a resource contains secrets. For other providers, the name of its type can be
 * enough.
 */
function isSecret(resource: Resource): boolean {
  const isNamed =
    resource.type === "foreign" && isSensitiveName(textAt(resource.content, "type") ?? "");
  return isNamed || canContainSecrets(resourceContent(resource));
}
