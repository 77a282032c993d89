import type { Compilation, LayoutNode } from "../../model/compilation.ts";
import { type FieldOrigin, type FieldTrace, leafEntries, pathKey } from "../../model/trace.ts";
import { redact } from "../../redaction/redact.ts";
import { canContainSecrets } from "../../redaction/sensitive-object.ts";
import { resourceContent, resourceKey } from "../diff/render-manifests.ts";
import { isHidden, type ParameterChain, parameterChain } from "./parameter-chain.ts";
import { shownFields } from "./shown-trace.ts";

/** Reports whether a value with these origins must not be shown. */
export type IsSecret = (origins: readonly FieldOrigin[]) => boolean;

/**
 * Returns a check for values that must not be shown because they derive from secrets.
 * Such a value derives from a hidden parameter, or from a parameter of a Secret's hidden field.
 */
export function createSecretCheck(compilation: Compilation): IsSecret {
  const hidden = new Map<LayoutNode | undefined, Set<string>>();
  const add = ({ node, name, from }: ParameterChain): void => {
    hidden.set(node, (hidden.get(node) ?? new Set<string>()).add(name));
    from.forEach(add);
  };
  for (const field of hiddenFields(compilation))
    originChains(compilation, field.origins).forEach(add);
  const isSecret = (chain: ParameterChain): boolean =>
    hidden.get(chain.node)?.has(chain.name) === true ||
    isHidden(chain) ||
    chain.from.some(isSecret);
  return (origins) => originChains(compilation, origins).some(isSecret);
}

function hiddenFields({ resources, trace = [] }: Compilation): readonly FieldTrace[] {
  const secrets = new Map(
    resources
      .map((each) => [resourceKey(each), resourceContent(each)] as const)
      .filter(([, content]) => canContainSecrets(content)),
  );
  return trace.flatMap((each) => {
    const content = secrets.get(each.resource);
    if (content === undefined) return [];
    const shown = new Map(
      leafEntries(redact(content)).map(([path, value]) => [pathKey(path), value]),
    );
    return shownFields(each, content).fields.filter(
      ({ path }) => (shown.get(pathKey(path)) ?? "(hidden)") === "(hidden)",
    );
  });
}

/** Returns the parameters that a value derives from, also through fields of other resources. */
function originChains(
  compilation: Compilation,
  origins: readonly FieldOrigin[],
  seen = new Set<FieldOrigin>(),
): readonly ParameterChain[] {
  return origins.flatMap((origin) => {
    if (seen.has(origin)) return [];
    seen.add(origin);
    const own = origin.made.map(({ name }) =>
      parameterChain(compilation.layout, origin.node, name),
    );
    const read = origin.reads.flatMap((each) => readOriginFields(compilation, each));
    const behind = read.flatMap((field) => field.origins);
    return [...own, ...originChains(compilation, behind, seen)];
  });
}

/** Returns the fields of a resource at or below a path that a value derives from. */
export function readOriginFields(
  { trace }: Compilation,
  { resource, path }: FieldOrigin["reads"][number],
): readonly FieldTrace[] {
  const fields = trace?.find((each) => each.resource === resource)?.fields ?? [];
  return fields.filter((field) => path.every((step, i) => field.path[i] === step));
}
