import type { LayoutNode } from "../model/compilation.ts";
import type { Config } from "../model/config.ts";
import type { Position } from "../model/problem.ts";

/** The adapter that a place belongs to: the one whose param is written there, or that is declared in that file. */
export type Owners = (place: Position) => string | undefined;

export function ownersOf({ designPatterns }: Config, layout: LayoutNode): Owners {
  const owners = new Map<string, string>();
  const own = (key: string, pattern: string) => {
    if (!owners.has(key)) owners.set(key, pattern);
  };
  for (const { pattern, params } of designPatterns) {
    for (const { where, places = [] } of params) {
      for (const place of [where, ...places.map((each) => each.where)]) own(keyOf(place), pattern);
    }
  }
  const visit = (node: LayoutNode) => {
    for (const composite of node.composites) {
      own(composite.file, composite.pattern);
      visit(composite);
    }
  };
  visit(layout);
  return (place) => owners.get(keyOf(place)) ?? owners.get(place.file);
}

function keyOf({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}
