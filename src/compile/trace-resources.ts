import type { Problem } from "../model/problems/problem.ts";
import type { Resource } from "../model/sources/compilation.ts";
import type { DesignPatternUse } from "../model/sources/config.ts";
import {
  type FieldOrigin,
  leafEntries,
  pathKey,
  type ResourceTrace,
} from "../model/sources/trace.ts";
import type { TracedField, TracedOrigin, TracedResources } from "./trace-adapter.ts";

type FieldsByPath = ReadonlyMap<string, TracedField>;

/** Returns every leaf of every manifest with the adapters that wrote it. */
export function traceResources(
  resources: readonly Resource[],
  traced: NonNullable<TracedResources>,
): readonly ResourceTrace[] {
  return resources.map((each) => {
    const resource = `${each.stage}/${each.id}`;
    const fields = traced.get(resource) ?? new Map<string, TracedField>();
    const content = each.type === "manifest" ? each.object : each.content;
    const isWrapped =
      each.type === "manifest" && isInProperties(fields) && !("properties" in each.object);
    const below = firstBelow(fields);
    const traceLeaf = (path: readonly string[]) =>
      fieldOrigins(isWrapped ? pathInProperties(path) : path, fields, below);
    return {
      resource,
      fields: leafEntries(content).map(([path]) => ({ path, origins: traceLeaf(path) })),
    };
  });
}

/**
 * Returns the leaves that the files of entries write. Adapters can write the other leaves of these
 * resources, so a leaf without a place of its own has no trace.
 */
export function traceInputs(
  resources: readonly Resource[],
  traced: NonNullable<TracedResources>,
): readonly ResourceTrace[] {
  return resources.flatMap((each) => {
    const resource = `${each.stage}/${each.id}`;
    const written = traced.get(resource);
    if (written === undefined || each.type !== "manifest") return [];
    const fields = leafEntries(each.object).flatMap(([path]) => {
      const found = written.get(pathKey(path));
      return found === undefined ? [] : [{ path, origins: found.origins.map(withoutConstrained) }];
    });
    return [{ resource, fields }];
  });
}

/**
 * Reports that these adapters have no trace because it would take too long. The manifests don't
 * depend on the trace.
 */
export function untracedNotices(uses: readonly DesignPatternUse[]): readonly Problem[] {
  if (uses.length === 0) return [];
  const names = [...new Set(uses.map(({ pattern }) => `"${pattern}"`))];
  return [
    {
      code: "trace-omitted",
      where: uses.slice(0, maxPlaces).map(({ where }) => where),
      what: `The origin of fields isn't shown for ${names.length === 1 ? names[0] : `${names.length} adapters`}`,
      ...(names.length === 1 ? {} : { facts: [{ label: "adapters", value: names.join(", ") }] }),
      why: "Tracing takes far longer than compiling here",
      fix: "Nothing to do: manifests and changes are complete",
      otherwise: ["use the adapter with fewer resources at a time"],
    },
  ];
}

/** An adapter can be used hundreds of times. A few places are enough to identify it. */
const maxPlaces = 5;

/**
 * Reports whether the object is in the `properties` of a `pulumi-yaml` resource (see
 * `kubernetesObject`).
 */
function isInProperties(fields: FieldsByPath): boolean {
  return [...fields.values()].some(({ path }) => path[0] === "properties");
}

function pathInProperties(path: readonly string[]): readonly string[] {
  return path.length === 1 && (path[0] === "apiVersion" || path[0] === "kind")
    ? ["type"]
    : ["properties", ...path];
}

/**
 * Returns the adapters that write a field. If none does, it returns the adapters that only
 * constrain it.
 */
function fieldOrigins(
  path: readonly string[],
  fields: FieldsByPath,
  below: FirstBelow,
): readonly FieldOrigin[] {
  const found = nearestOrigins(path, fields, below);
  const writers = found.filter((origin) => !origin.constrained);
  return (writers.length > 0 ? writers : found).toSorted(byNode).map(withoutConstrained);
}

/**
 * Returns the origins of the nearest field. A value that is read from a computed value can have no
 * place; a surrounding field or a field inside it then has one.
 */
function nearestOrigins(
  path: readonly string[],
  fields: FieldsByPath,
  below: FirstBelow,
): readonly TracedOrigin[] {
  for (let length = path.length; length >= 0; length--) {
    const found = fields.get(pathKey(path.slice(0, length)));
    if (found !== undefined) return found.origins;
  }
  for (let length = Math.max(path.length - 1, 0); length >= 0; length--) {
    const near = below().get(pathKey(path.slice(0, length)));
    if (near !== undefined) return near.origins;
  }
  return [];
}

type FirstBelow = () => FieldsByPath;

/**
 * Returns the first field below each path, computed when it is first needed. Few resources need it.
 */
function firstBelow(fields: FieldsByPath): FirstBelow {
  let known: Map<string, TracedField> | undefined;
  return () => {
    if (known !== undefined) return known;
    known = new Map();
    for (const field of fields.values()) {
      for (let length = field.path.length; length >= 0; length--) {
        const key = pathKey(field.path.slice(0, length));
        if (!known.has(key)) known.set(key, field);
      }
    }
    return known;
  };
}

function byNode(a: FieldOrigin, b: FieldOrigin): number {
  const [one, other] = [a.node, b.node];
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) {
    const difference = (one[i] ?? 0) - (other[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

function withoutConstrained({ constrained: _, ...origin }: TracedOrigin): FieldOrigin {
  return origin;
}
