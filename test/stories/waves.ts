import type { InventoryEntry } from "../../src/model/deployments/release.ts";
import { keyOf, nameOf } from "../../src/model/object.ts";

interface Write {
  readonly text: string;
  readonly verb: string;
  readonly key: string | undefined;
  readonly wave: number;
}

/**
 * Returns the writes in their order, but independent of chance. Writes that don't depend on each
 * other, by the recorded edges, share a wave and are sorted in it. A write before its dependency is
 * in an earlier wave, so a wrong order is visible. Each wave has only one verb, because deletions
 * are last.
 */
export function inWaves(
  writes: readonly string[],
  inventory: readonly InventoryEntry[],
): readonly (readonly string[])[] {
  const keys = new Map(inventory.map(({ id }) => [nameOf(id), keyOf(id)]));
  const related = relationOf(inventory);
  const placed: Write[] = [];
  for (const [index, text] of writes.entries()) {
    const [written = "", ...name] = text.split(" ");
    const key = keys.get(name.join(" "));
    // A deletion before a recreation isn't one of the deletions at the end.
    const isRecreation =
      written === "delete" && writes.slice(index).includes(`patch ${name.join(" ")}`);
    const verb = isRecreation ? "patch" : written;
    const before = placed.filter(
      (other) =>
        key === undefined ||
        other.key === undefined ||
        other.key === key ||
        other.verb !== verb ||
        related(key, other.key),
    );
    placed.push({ text, verb, key, wave: Math.max(0, ...before.map(({ wave }) => wave)) + 1 });
  }
  const waves = Map.groupBy(placed, ({ wave }) => wave);
  return [...waves]
    .toSorted(([a], [b]) => a - b)
    .map(([, wave]) => wave.map(({ text }) => text).toSorted());
}

/**
 * Returns a function that is true if one of two objects depends on the other, also indirectly. All
 * of app depends on all of appSetup.
 */
function relationOf(inventory: readonly InventoryEntry[]): (a: string, b: string) => boolean {
  const edges = Map.groupBy(inventory, ({ id }) => keyOf(id));
  const reaches = (from: string, goal: string, seen = new Set<string>()): boolean => {
    if (from === goal) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    const next = (edges.get(from) ?? []).flatMap(({ after }) => after.map(({ on }) => on));
    return next.some((key) => reaches(key, goal, seen));
  };
  const stageOf = (key: string) => edges.get(key)?.at(-1)?.stage;
  return (a, b) => stageOf(a) !== stageOf(b) || reaches(a, b) || reaches(b, a);
}
