import type { GitSource } from "../../model/config.ts";
import type { Position } from "../../model/problems/problem.ts";

/** The locked state of a Git module. */
export interface LockEntry {
  /** The repository as the config writes it. */
  readonly repository: string;
  readonly revision: string;
  /** The directory of the module in the repository; "" for the root. */
  readonly path: string;
  /** The full ID of the commit that the revision pointed to. */
  readonly commit: string;
  /** `sha256:…` over the module's CUE files, as the module store computes it. */
  readonly hash: string;
}

export interface LockedModule extends LockEntry {
  readonly where: Position;
}

/** A `qvs.lock`. It applies to all configs of its directory. */
export interface Lockfile {
  readonly file: string;
  readonly modules: readonly LockedModule[];
}

/** Returns the path of the lockfile next to a config. */
export function lockfilePath(config: string): string {
  return config.replace(/(?<![^/])[^/]*$/, "qvs.lock");
}

/**
 * Returns the key of an entry. Two modules with the same key have the same content and share one
 * entry.
 */
export function lockEntryKey(source: Pick<LockEntry, "repository" | "revision" | "path">): string {
  return JSON.stringify([source.repository, source.path, source.revision]);
}

export function sourceKey({ repo, revision, path }: GitSource): string {
  return lockEntryKey({ repository: repo, revision, path });
}

/** Returns the name of an entry in messages, e.g. `github.com/acme/mono (adapters)`. */
export function lockEntryName({
  repository,
  path,
}: Pick<LockEntry, "repository" | "path">): string {
  return path === "" ? repository : `${repository} (${path})`;
}
