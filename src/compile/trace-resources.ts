import type { Resource } from "../model/compilation.ts";
import { type FieldOrigin, leavesOf, pathKey, type ResourceTrace } from "../model/trace.ts";
import type { Traced, TracedField, TracedOrigin } from "./trace-adapter.ts";

type Fields = ReadonlyMap<string, TracedField>;

/** Every leaf of every manifest with the adapters that wrote it. */
export function traceResources(
  resources: readonly Resource[],
  traced: Traced,
): readonly ResourceTrace[] {
  return resources.map((each) => {
    const resource = `${each.stage}/${each.id}`;
    const fields = traced.get(resource) ?? new Map<string, TracedField>();
    const content = each.type === "manifest" ? each.object : each.content;
    const isWrapped =
      each.type === "manifest" && isInProperties(fields) && !("properties" in each.object);
    const traceOf = (path: readonly string[]) =>
      originsOf(isWrapped ? pathInProperties(path) : path, fields);
    return {
      resource,
      fields: leavesOf(content).map(([path]) => ({ path, origins: traceOf(path) })),
    };
  });
}

/** A Kubernetes object behind a `pulumi-yaml` resource: see kubernetesObject. */
function isInProperties(fields: Fields): boolean {
  return [...fields.values()].some(({ path }) => path[0] === "properties");
}

function pathInProperties(path: readonly string[]): readonly string[] {
  return path.length === 1 && (path[0] === "apiVersion" || path[0] === "kind")
    ? ["type"]
    : ["properties", ...path];
}

/** Who writes a field is its origin; who only says what type it has counts where nobody else does. */
function originsOf(path: readonly string[], fields: Fields): readonly FieldOrigin[] {
  const found = nearest(path, fields);
  const writers = found.filter((origin) => !origin.constrained);
  return (writers.length > 0 ? writers : found).toSorted(byNode).map(withoutConstrained);
}

/** What was read from a computed value may have no place of its own; then what it is part of, or holds, has. */
function nearest(path: readonly string[], fields: Fields): readonly TracedOrigin[] {
  for (let length = path.length; length >= 0; length--) {
    const found = fields.get(pathKey(path.slice(0, length)));
    if (found !== undefined) return found.origins;
  }
  const beside = path.slice(0, -1);
  const others = [...fields.values()];
  for (let length = beside.length; length >= 0; length--) {
    const start = beside.slice(0, length);
    const near = others.filter((other) => start.every((step, i) => other.path[i] === step));
    if (near.length > 0) return near[0]?.origins ?? [];
  }
  return [];
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
