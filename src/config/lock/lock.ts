import type { GitSource } from "../../model/config.ts";
import type { Position } from "../../model/problems/problem.ts";

/** What a module from git was when it was locked. */
export interface LockEntry {
  /** As the QVS config writes it. */
  readonly repository: string;
  readonly revision: string;
  /** The module's folder in it; "" for the root. */
  readonly path: string;
  /** Full id of the commit that the revision was. */
  readonly commit: string;
  /** `sha256:…` over the module's CUE files, as the module store computes it. */
  readonly hash: string;
}

export interface LockedModule extends LockEntry {
  readonly where: Position;
}

/** A `qvs.lock`, which is for all QVS configs of its folder. */
export interface Lock {
  readonly file: string;
  readonly modules: readonly LockedModule[];
}

/** The lock of a QVS config lies next to it. */
export function lockBeside(config: string): string {
  return config.replace(/(?<![^/])[^/]*$/, "qvs.lock");
}

/** Two modules with the same key are the same content, and one entry. */
export function lockKey(source: Pick<LockEntry, "repository" | "revision" | "path">): string {
  return JSON.stringify([source.repository, source.path, source.revision]);
}

export function keyOfSource({ repo, revision, path }: GitSource): string {
  return lockKey({ repository: repo, revision, path });
}

/** An entry as messages name it: `github.com/acme/mono (adapters)`. */
export function nameOfEntry({ repository, path }: Pick<LockEntry, "repository" | "path">): string {
  return path === "" ? repository : `${repository} (${path})`;
}
