import type { Problem } from "../../model/problems/problem.ts";
import { type LockEntry, type Lockfile, lockEntryKey, lockEntryName } from "./lockfile.ts";

/** A change of one entry when the lockfile is rewritten. */
export type LockChange =
  | { readonly kind: "added"; readonly entry: LockEntry }
  | { readonly kind: "removed"; readonly entry: LockEntry }
  | { readonly kind: "moved"; readonly entry: LockEntry; readonly before: LockEntry };

/** Returns the changes between two lockfiles, sorted like the file. */
export function compareLockfiles(
  before: readonly LockEntry[],
  after: readonly LockEntry[],
): readonly LockChange[] {
  const [old, now] = [byKey(before), byKey(after)];
  const keys = [...new Set([...old.keys(), ...now.keys()])].sort();
  return keys.flatMap((key): readonly LockChange[] => {
    const [was, is] = [old.get(key), now.get(key)];
    if (is === undefined) return was === undefined ? [] : [{ kind: "removed", entry: was }];
    if (was === undefined) return [{ kind: "added", entry: is }];
    const same = was.commit === is.commit && was.hash === is.hash;
    return same ? [] : [{ kind: "moved", entry: is, before: was }];
  });
}

function byKey(entries: readonly LockEntry[]): ReadonlyMap<string, LockEntry> {
  return new Map(entries.map((entry) => [lockEntryKey(entry), entry]));
}

/** Formats a change as one line. */
export function describeLockChange(change: LockChange): string {
  const { entry } = change;
  const name = `${lockEntryName(entry)} ${entry.revision}`;
  switch (change.kind) {
    case "added":
      return `+ ${name}: ${entry.commit}`;
    case "removed":
      return `- ${name}: no longer used`;
    case "moved": {
      const { before } = change;
      if (before.commit === entry.commit) return `~ ${name}: ${entry.commit}, with a new hash`;
      return `~ ${name}: ${before.commit} → ${entry.commit}`;
    }
  }
}

/** Returns every reason why a lockfile is outdated, for a check that doesn't write the file. */
export function staleEntryProblems(
  lock: Lockfile,
  after: readonly LockEntry[],
): readonly Problem[] {
  const places = new Map(lock.modules.map((entry) => [lockEntryKey(entry), entry.where]));
  return compareLockfiles(lock.modules, after).map((change) => {
    const where = places.get(lockEntryKey(change.entry)) ?? { file: lock.file, line: 1, column: 1 };
    return {
      code: "lock-file-outdated",
      where: [where],
      ...describeStale(change),
      fix: `Run \`qvs lock\` and commit ${lock.file}`,
    };
  });
}

function describeStale(change: LockChange): Pick<Problem, "what" | "why" | "facts"> {
  const { entry } = change;
  const name = `Module ${lockEntryName(entry)} at "${entry.revision}"`;
  switch (change.kind) {
    case "added":
      return { what: `${name} isn't locked` };
    case "removed":
      return {
        what: `${name} is locked but not used`,
        why: "No config in this directory uses it",
      };
    case "moved": {
      const { before } = change;
      const isMoved = before.commit !== entry.commit;
      const [locked, current] = [before, entry].map((each) => (isMoved ? each.commit : each.hash));
      return {
        what: `${name} has a new ${isMoved ? "commit" : "hash"}`,
        facts: [
          { label: "locked", value: locked ?? "" },
          { label: "current", value: current ?? "" },
        ],
      };
    }
  }
}
