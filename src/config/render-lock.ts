import { stringify } from "yaml";
import { type LockEntry, lockKey } from "./lock.ts";
import { lockVersion } from "./parse-lock.ts";

const heading =
  "# Which commits the git modules of the QVS configs in this folder are. Written by `qvs lock`; to be committed.\n";

/** The text of a `qvs.lock`: the same bytes for the same modules, in whatever order they are given, each once. */
export function renderLock(entries: readonly LockEntry[]): string {
  const byKey = new Map(entries.map((entry) => [lockKey(entry), entry]));
  const sorted = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1));
  const modules = sorted.map(([, { repository, path, revision, commit, hash }]) => ({
    repository,
    ...(path === "" ? {} : { path }),
    revision,
    commit,
    hash,
  }));
  // Long values stay on their line.
  return heading + stringify({ version: Number(lockVersion), modules }, { lineWidth: 0 });
}
