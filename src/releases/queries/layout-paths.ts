import type { LayoutNode } from "../../model/compilation.ts";

/**
 * Returns the paths from the config to each adapter that contributed to a resource (`app/web`).
 * The outermost adapter is first. There are several paths if adapters were composed into one
 * object, and none if the record doesn't contain them.
 */
export function layoutPaths(layout: LayoutNode, resource: string): readonly (readonly string[])[] {
  return layout.composites.flatMap((node) => nodePaths(node, resource));
}

function nodePaths(node: LayoutNode, resource: string): readonly (readonly string[])[] {
  const own = node.resources.includes(resource) ? [[node.pattern]] : [];
  const below = node.composites.flatMap((composite) => nodePaths(composite, resource));
  return [...own, ...below.map((path) => [node.pattern, ...path])];
}
