import type { Problem } from "../../model/problems/problem.ts";
import {
  baseItem,
  chartItem,
  type LockEntries,
  type Lockfile,
  type LockItem,
  moduleItem,
} from "./lockfile.ts";

/** A change of one entry when the lockfile is rewritten. */
export type LockChange =
  | { readonly kind: "added"; readonly entry: LockItem }
  | { readonly kind: "removed"; readonly entry: LockItem }
  | { readonly kind: "moved"; readonly entry: LockItem; readonly before: LockItem };

/** Returns the changes between two lockfiles, sorted like the file. */
export function compareLockfiles(before: LockEntries, after: LockEntries): readonly LockChange[] {
  return [
    ...compareItems(before.modules.map(moduleItem), after.modules.map(moduleItem)),
    ...compareItems(before.charts.map(chartItem), after.charts.map(chartItem)),
    ...compareItems(before.bases.map(baseItem), after.bases.map(baseItem)),
  ];
}

function compareItems(
  before: readonly LockItem[],
  after: readonly LockItem[],
): readonly LockChange[] {
  const [old, now] = [byKey(before), byKey(after)];
  const keys = [...new Set([...old.keys(), ...now.keys()])].sort();
  return keys.flatMap((key): readonly LockChange[] => {
    const [was, is] = [old.get(key), now.get(key)];
    if (is === undefined) return was === undefined ? [] : [{ kind: "removed", entry: was }];
    if (was === undefined) return [{ kind: "added", entry: is }];
    const same = was.pinned === is.pinned && was.hash === is.hash;
    return same ? [] : [{ kind: "moved", entry: is, before: was }];
  });
}

function byKey(items: readonly LockItem[]): ReadonlyMap<string, LockItem> {
  return new Map(items.map((item) => [item.key, item]));
}

/** Formats a change as one line. */
export function describeLockChange(change: LockChange): string {
  const { entry } = change;
  switch (change.kind) {
    case "added":
      return `+ ${entry.label}: ${entry.pinned}`;
    case "removed":
      return `- ${entry.label}: no longer used`;
    case "moved": {
      const { before } = change;
      if (before.pinned === entry.pinned)
        return `~ ${entry.label}: ${entry.pinned}, with a new hash`;
      return `~ ${entry.label}: ${before.pinned} → ${entry.pinned}`;
    }
  }
}

/** Returns every reason why a lockfile is outdated, for a check that doesn't write the file. */
export function staleEntryProblems(lock: Lockfile, after: LockEntries): readonly Problem[] {
  const places = new Map([
    ...lock.modules.map((entry) => [moduleItem(entry).key, entry.where] as const),
    ...lock.charts.map((entry) => [chartItem(entry).key, entry.where] as const),
    ...lock.bases.map((entry) => [baseItem(entry).key, entry.where] as const),
  ]);
  return compareLockfiles(lock, after).map((change) => {
    const where = places.get(change.entry.key) ?? { file: lock.file, line: 1, column: 1 };
    return {
      code: "lock-file-outdated",
      where: [where],
      ...describeStale(change),
      fix: `Run \`qvs lock\` and commit ${lock.file}`,
    };
  });
}

function describeStale(change: LockChange): Pick<Problem, "what" | "why" | "facts"> {
  const { title } = change.entry;
  switch (change.kind) {
    case "added":
      return { what: `${title} isn't locked` };
    case "removed":
      return {
        what: `${title} is locked but not used`,
        why: "No config in this directory uses it",
      };
    case "moved": {
      const { before, entry } = change;
      const isMoved = before.pinned !== entry.pinned;
      const pinned = entry.hash === undefined ? "digest" : "commit";
      const [locked, current] = [before, entry].map((each) => (isMoved ? each.pinned : each.hash));
      return {
        what: `${title} has a new ${isMoved ? pinned : "hash"}`,
        facts: [
          { label: "locked", value: locked ?? "" },
          { label: "current", value: current ?? "" },
        ],
      };
    }
  }
}
