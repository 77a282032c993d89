import type { Deployment } from "../model/deployments/deployment.ts";
import { walkDepthFirst } from "../model/depth-first.ts";

/**
 * Returns the names of the deployments in `chosen` that each one depends on, directly or through
 * other deployments of `all`.
 * An unchanged deployment isn't deployed, but it still orders the deployments that are
 * (docs/reference/deployments-yaml.md#order-of-deployments).
 */
export function chosenDependencies(
  chosen: readonly Deployment[],
  all: readonly Deployment[],
): ReadonlyMap<string, readonly string[]> {
  const names = new Set(chosen.map(({ name }) => name));
  return reachableNames(chosen, [...all, ...chosen], (name) => (names.has(name) ? "end" : "way"));
}

/**
 * Divides `chosen` into levels. A deployment is in the first level in which all its dependencies
 * are in earlier levels.
 * A level is sorted by name, so that the order of the list makes no difference.
 */
export function deploymentLevels(
  chosen: readonly Deployment[],
  all: readonly Deployment[],
): readonly (readonly Deployment[])[] {
  const dependencies = chosenDependencies(chosen, all);
  const levels = new Map<string, number>();
  const assignedLevel = (name: string) => levels.get(name) ?? 0;
  const namesBefore = (name: string) => dependencies.get(name) ?? [];
  walkDepthFirst<string>(
    chosen.map(({ name }) => name),
    {
      edgesOf: namesBefore,
      targetOf: (name) => name,
      leave: (name) => {
        const highest = namesBefore(name).reduce(
          (max, each) => Math.max(max, assignedLevel(each)),
          -1,
        );
        levels.set(name, highest + 1);
      },
    },
  );
  const byLevel = Map.groupBy(chosen, ({ name }) => assignedLevel(name));
  return [...byLevel]
    .sort(([a], [b]) => a - b)
    .map(([, level]) => level.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
}

/**
 * Returns the names of all deployments that each one depends on, directly or indirectly; sorted.
 */
export function transitiveDependencies(
  all: readonly Deployment[],
): ReadonlyMap<string, readonly string[]> {
  return reachableNames(all, all, () => "both");
}

/**
 * Returns the names that `dependsOn` reaches from each of `starts`. The search stops at an `end`,
 * continues through a `way` without reporting it, and does both for `both`.
 */
function reachableNames(
  starts: readonly Deployment[],
  all: readonly Deployment[],
  roleOf: (name: string) => "end" | "way" | "both",
): ReadonlyMap<string, readonly string[]> {
  const byName = new Map(all.map((each) => [each.name, each]));
  const directDependencies = (name: string) => byName.get(name)?.dependsOn ?? [];
  const known = new Map<string, ReadonlySet<string>>();
  walkDepthFirst<string>(
    starts.map(({ name }) => name),
    {
      edgesOf: directDependencies,
      targetOf: (name) => name,
      leave: (name) => {
        const reached = directDependencies(name).flatMap((next) => [
          ...(roleOf(next) === "way" ? [] : [next]),
          ...(roleOf(next) === "end" ? [] : (known.get(next) ?? [])),
        ]);
        known.set(name, new Set(reached));
      },
    },
  );
  return new Map(starts.map(({ name }) => [name, [...(known.get(name) ?? [])].sort()]));
}

/**
 * Divides removed deployments into levels for deletion. A dependent deployment is deleted before
 * the deployments that it depends on.
 */
export function levelsForDeletion(
  removed: readonly Deployment[],
  all: readonly Deployment[],
): readonly (readonly Deployment[])[] {
  return deploymentLevels(removed, all).toReversed();
}
