import type { Problem } from "../../model/problems/problem.ts";
import { type Lock, type LockEntry, lockKey, nameOfEntry } from "./lock.ts";

/** A change of one entry when the lockfile is rewritten. */
export type LockChange =
  | { readonly kind: "added"; readonly entry: LockEntry }
  | { readonly kind: "removed"; readonly entry: LockEntry }
  | { readonly kind: "moved"; readonly entry: LockEntry; readonly before: LockEntry };

/** Returns the changes between two lockfiles, sorted like the file. */
export function compareLocks(
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
  return new Map(entries.map((entry) => [lockKey(entry), entry]));
}

/** Formats a change as one line. */
export function describeLockChange(change: LockChange): string {
  const { entry } = change;
  const name = `${nameOfEntry(entry)} ${entry.revision}`;
  switch (change.kind) {
    case "added":
      return `+ ${name} is ${entry.commit}`;
    case "removed":
      return `- ${name} is used no longer`;
    case "moved": {
      const { before } = change;
      if (before.commit === entry.commit) return `~ ${name} is ${entry.commit}, with another hash`;
      return `~ ${name} was ${before.commit}, is ${entry.commit} now`;
    }
  }
}

/** Returns every reason why a lockfile is outdated, for a check that doesn't write the file. */
export function staleEntries(lock: Lock, after: readonly LockEntry[]): readonly Problem[] {
  const places = new Map(lock.modules.map((entry) => [lockKey(entry), entry.where]));
  return compareLocks(lock.modules, after).map((change) => {
    const where = places.get(lockKey(change.entry)) ?? { file: lock.file, line: 1, column: 1 };
    return {
      code: "lock-file-outdated",
      where: [where],
      what: whyStale(change),
      fix: "Run `qvs lock` and commit the file",
    };
  });
}

function whyStale(change: LockChange): string {
  const { entry } = change;
  const name = nameOfEntry(entry);
  switch (change.kind) {
    case "added":
      return `${name} at "${entry.revision}" is not locked`;
    case "removed":
      return `${name} at "${entry.revision}" is locked, but no QVS config in this folder uses it`;
    case "moved": {
      const { before } = change;
      if (before.commit !== entry.commit) {
        return `${name} at "${entry.revision}" is locked to ${before.commit}, but is ${entry.commit} now`;
      }
      return `${name} at "${entry.revision}" is locked with the hash ${before.hash}, but has ${entry.hash}`;
    }
  }
}
