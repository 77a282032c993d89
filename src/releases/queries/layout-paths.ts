import type { LayoutNode } from "../../model/compilation.ts";

/**
 * The ways from the config down to each adapter that contributed to a resource (`app/web`), outermost adapter first. Several, where
 * adapters were composed into one object; none where the record doesn't say.
 */
export function layoutPaths(layout: LayoutNode, resource: string): readonly (readonly string[])[] {
  return layout.composites.flatMap((node) => pathsBelow(node, resource));
}

function pathsBelow(node: LayoutNode, resource: string): readonly (readonly string[])[] {
  const own = node.resources.includes(resource) ? [[node.pattern]] : [];
  const below = node.composites.flatMap((composite) => pathsBelow(composite, resource));
  return [...own, ...below.map((path) => [node.pattern, ...path])];
}
