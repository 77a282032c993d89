import type { Deployment } from "../model/deployment.ts";
import { walkDepthFirst } from "../model/depth-first.ts";

/**
 * The names of those among `chosen` that each one waits for, directly or through deployments of `all` that are not chosen: what is not
 * changed is not deployed, and still orders what is (docs/reference/deployments-yaml.md#order-of-deployments).
 */
export function dependenciesAmong(
  chosen: readonly Deployment[],
  all: readonly Deployment[],
): ReadonlyMap<string, readonly string[]> {
  const names = new Set(chosen.map(({ name }) => name));
  return reachedFrom(chosen, [...all, ...chosen], (name) => (names.has(name) ? "end" : "way"));
}

/**
 * `chosen` by levels: each holds what waits for nothing but earlier ones, as early as possible. Sorted by name within a level, so that
 * the order of the list makes no difference.
 */
export function levelsOf(
  chosen: readonly Deployment[],
  all: readonly Deployment[],
): readonly (readonly Deployment[])[] {
  const dependencies = dependenciesAmong(chosen, all);
  const levels = new Map<string, number>();
  const levelOf = (name: string) => levels.get(name) ?? 0;
  const before = (name: string) => dependencies.get(name) ?? [];
  walkDepthFirst<string>(
    chosen.map(({ name }) => name),
    {
      edgesOf: before,
      targetOf: (name) => name,
      leave: (name) => {
        const highest = before(name).reduce((max, each) => Math.max(max, levelOf(each)), -1);
        levels.set(name, highest + 1);
      },
    },
  );
  const byLevel = Map.groupBy(chosen, ({ name }) => levelOf(name));
  return [...byLevel]
    .sort(([a], [b]) => a - b)
    .map(([, level]) => level.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
}

/** Every deployment that goes before one of `all`, directly or through others, by its name; sorted. */
export function allBefore(all: readonly Deployment[]): ReadonlyMap<string, readonly string[]> {
  return reachedFrom(all, all, () => "both");
}

/** What `dependsOn` leads to from each of `starts`; a name on the way is an end, leads further, or both. */
function reachedFrom(
  starts: readonly Deployment[],
  all: readonly Deployment[],
  roleOf: (name: string) => "end" | "way" | "both",
): ReadonlyMap<string, readonly string[]> {
  const byName = new Map(all.map((each) => [each.name, each]));
  const dependenciesOf = (name: string) => byName.get(name)?.dependsOn ?? [];
  const known = new Map<string, ReadonlySet<string>>();
  walkDepthFirst<string>(
    starts.map(({ name }) => name),
    {
      edgesOf: dependenciesOf,
      targetOf: (name) => name,
      leave: (name) => {
        const reached = dependenciesOf(name).flatMap((next) => [
          ...(roleOf(next) === "way" ? [] : [next]),
          ...(roleOf(next) === "end" ? [] : (known.get(next) ?? [])),
        ]);
        known.set(name, new Set(reached));
      },
    },
  );
  return new Map(starts.map(({ name }) => [name, [...(known.get(name) ?? [])].sort()]));
}

/** Removed deployments by the levels in which they are deleted: what depends on another one is deleted before it. */
export function deletionLevelsOf(
  removed: readonly Deployment[],
  all: readonly Deployment[],
): readonly (readonly Deployment[])[] {
  return levelsOf(removed, all).toReversed();
}
