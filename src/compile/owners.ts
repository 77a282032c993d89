import type { LayoutNode } from "../model/compilation.ts";
import type { Config } from "../model/config.ts";
import { at, type Json } from "../model/json.ts";
import type { Position } from "../model/problems/problem.ts";

export interface Owners {
  /**
   * Returns the adapter that a place belongs to. Its argument is written there, or it is declared
   * in that file.
   */
  at(place: Position): string | undefined;
  /** Returns the value that the config passes to an adapter at a place. */
  argumentAt(place: Position): Json | undefined;
  /** Returns the adapter that is used twice, if both uses contribute to a resource (`stage/id`). */
  usedTwice(resource: string): UsedTwice | undefined;
}

export interface UsedTwice {
  readonly pattern: string;
  readonly where: readonly Position[];
  /** The resources that both uses contribute to, as `stage/id`. */
  readonly resources: readonly string[];
}

export function ownersOf({ designPatterns }: Config, layout: LayoutNode): Owners {
  const owners = new Map<string, string>();
  const values = new Map<string, Json | undefined>();
  const own = (key: string, pattern: string) => {
    if (!owners.has(key)) owners.set(key, pattern);
  };
  for (const { pattern, params } of designPatterns) {
    for (const { where, places = [], value } of params) {
      for (const place of [{ where, path: [] }, ...places]) {
        own(keyOf(place.where), pattern);
        values.set(keyOf(place.where), at(value, ...place.path));
      }
    }
  }
  const visit = (node: LayoutNode) => {
    for (const composite of node.composites) {
      own(composite.file, composite.pattern);
      visit(composite);
    }
  };
  visit(layout);
  const twice = usedTwice(layout);
  return {
    at: (place) => owners.get(keyOf(place)) ?? owners.get(place.file),
    argumentAt: (place) => values.get(keyOf(place)),
    usedTwice: (resource) => twice.find(({ resources }) => resources.includes(resource)),
  };
}

function usedTwice({ composites }: LayoutNode): readonly UsedTwice[] {
  const pairs = composites.flatMap((one, index) =>
    composites.slice(index + 1).flatMap((other) => {
      if (other.file !== one.file || other.line !== one.line) return [];
      const resources = idsBelow(one).filter((id) => idsBelow(other).includes(id));
      const where = [one.use, other.use].filter((use) => use !== undefined);
      return resources.length === 0 ? [] : [{ pattern: one.pattern, where, resources }];
    }),
  );
  return [...pairs, ...composites.flatMap(usedTwice)];
}

function idsBelow({ resources, composites }: LayoutNode): readonly string[] {
  return [...new Set([...resources, ...composites.flatMap(idsBelow)])].sort();
}

function keyOf({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}
