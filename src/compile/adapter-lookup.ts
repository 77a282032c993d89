import { at, type Json } from "../model/json.ts";
import type { Position } from "../model/problems/problem.ts";
import type { LayoutNode } from "../model/sources/compilation.ts";
import type { Config } from "../model/sources/config.ts";

export interface AdapterLookup {
  /**
   * Returns the adapter that a place belongs to. Its argument is written there, or it is declared
   * in that file.
   */
  adapterAt(place: Position): string | undefined;
  /** Returns the value that the config passes to an adapter at a place. */
  argumentAt(place: Position): Json | undefined;
  /** Returns the adapter that is used twice, if both uses contribute to a resource (`stage/id`). */
  repeatedUse(resource: string): RepeatedUse | undefined;
}

export interface RepeatedUse {
  readonly pattern: string;
  readonly where: readonly Position[];
  /** The resources that both uses contribute to, as `stage/id`. */
  readonly resources: readonly string[];
}

export function createAdapterLookup(config: Config, layout: LayoutNode): AdapterLookup {
  const { designPatterns, inputs = [] } = config;
  const owners = new Map<string, string>();
  const values = new Map<string, Json | undefined>();
  const own = (key: string, pattern: string) => {
    if (!owners.has(key)) owners.set(key, pattern);
  };
  for (const { pattern, params } of designPatterns) {
    for (const { where, places = [], value } of params) {
      for (const place of [{ where, path: [] }, ...places]) {
        own(positionKey(place.where), pattern);
        values.set(positionKey(place.where), at(value, ...place.path));
      }
    }
  }
  for (const { title, files } of inputs) for (const file of files) own(file, title);
  const visit = (node: LayoutNode) => {
    for (const composite of node.composites) {
      // The node of an entry with files has the place of the entry in the config.
      if (composite.file !== config.file) own(composite.file, composite.pattern);
      visit(composite);
    }
  };
  visit(layout);
  const adapters = layout.composites.slice(0, designPatterns.length);
  const repeated = findRepeatedUses({ ...layout, composites: adapters });
  return {
    adapterAt: (place) => owners.get(positionKey(place)) ?? owners.get(place.file),
    argumentAt: (place) => values.get(positionKey(place)),
    repeatedUse: (resource) => repeated.find(({ resources }) => resources.includes(resource)),
  };
}

function findRepeatedUses({ composites }: LayoutNode): readonly RepeatedUse[] {
  const pairs = composites.flatMap((one, index) =>
    composites.slice(index + 1).flatMap((other) => {
      if (other.file !== one.file || other.line !== one.line) return [];
      const resources = contributedIds(one).filter((id) => contributedIds(other).includes(id));
      const where = [one.use, other.use].filter((use) => use !== undefined);
      return resources.length === 0 ? [] : [{ pattern: one.pattern, where, resources }];
    }),
  );
  return [...pairs, ...composites.flatMap(findRepeatedUses)];
}

function contributedIds({ resources, composites }: LayoutNode): readonly string[] {
  return [...new Set([...resources, ...composites.flatMap(contributedIds)])].sort();
}

function positionKey({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}
