import type { GitSource, ModuleReference } from "../../model/config.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import type { Moved } from "../../model/text/reference-text.ts";
import { keyOfSource, type Lock, type LockedModule, lockKey, nameOfEntry } from "./lock.ts";

/** A module of the config that qvs fetches from Git. */
export interface GitModule extends ModuleReference {
  readonly source: GitSource;
}

export function isFromGit(module: ModuleReference): module is GitModule {
  return module.source.from === "git";
}

/** The result of fetching a module. */
export interface Found {
  readonly hash: string;
  readonly moved: Moved | undefined;
}

/**
 * Returns the entry of a module. A missing entry is an error in every command, as with `npm ci` and
 * Terraform. A preview must not use a different commit than the deployment.
 */
export function findLocked(lock: Lock, module: GitModule): Result<LockedModule> {
  const { source, where } = module;
  const key = keyOfSource(source);
  const entry = lock.modules.find((each) => lockKey(each) === key);
  if (entry === undefined) return failed([notLocked(lock, module)]);
  // A full commit ID needs no resolution, so a different commit comes from a manual edit.
  const isOther = /^[0-9a-f]{40,}$/.test(source.revision) && entry.commit !== source.revision;
  if (!isOther) return ok(entry);
  const what = `The module "${module.name}" must be the commit ${source.revision}, but is locked to ${entry.commit}`;
  return failed([{ code: "lock-file-outdated", where: [where, entry.where], what, fix: runLock }]);
}

const runLock = "Run `qvs lock` and commit the file";

function notLocked({ file, modules }: Lock, { name, source, where }: GitModule): Problem {
  const { repo, revision, path } = source;
  const others = modules.filter((each) => each.repository === repo && each.path === path);
  const [other] = others;
  if (other === undefined) {
    const what = `The module "${name}" is not in the lock ${file}`;
    return { code: "lock-file-outdated", where: [where], what, fix: runLock };
  }
  const revisions = others.map((each) => `"${each.revision}"`).join(" and ");
  const what = `The module "${name}" is used at "${revision}", but locked at ${revisions}`;
  return { code: "lock-file-outdated", where: [where, other.where], what, fix: runLock };
}

/**
 * Compares a fetched module with its lockfile entry. qvs always uses the locked commit, so a moved
 * tag can't change the deployed content.
 * A moved tag is still an error. Tags aren't expected to move, so either the old or the new content
 * is unexpected. Git hosts also serve commits of forks under the name of the repository. A changed
 * lockfile can thus contain foreign code that looks like the old version.
 * A branch is expected to move, so that is a notice. `past` is for commits that are already merged:
 * a tag that moved later doesn't prevent a comparison with them.
 */
export function verifyLocked(
  module: GitModule,
  entry: LockedModule,
  found: Found,
  past: boolean,
): { readonly problems: readonly Problem[]; readonly notices: readonly Problem[] } {
  if (found.hash !== entry.hash)
    return { problems: [otherContent(module, entry, found)], notices: [] };
  const { moved } = found;
  if (moved === undefined) return { problems: [], notices: [] };
  const told = movedProblem(module, entry, moved);
  return moved.what === "branch" || past
    ? { problems: [], notices: [told] }
    : { problems: [told], notices: [] };
}

function otherContent({ name, where }: GitModule, entry: LockedModule, { hash }: Found): Problem {
  return {
    code: "module-content-changed",
    where: [where, entry.where],
    what: `The module "${name}" is not what was locked: the CUE files of commit ${entry.commit} have the hash ${hash}, the lock says ${entry.hash}`,
    fix: "Somebody may have edited the lock: look at its history; `qvs lock` writes what the revision is now",
  };
}

function movedProblem(
  { name, where }: GitModule,
  entry: LockedModule,
  { what, to }: Moved,
): Problem {
  const { revision, commit } = entry;
  const places = [where, entry.where];
  switch (what) {
    case "branch":
      return {
        code: "branch-moved",
        where: places,
        what: `The branch "${revision}" of the module "${name}" has moved on: locked is ${commit}, which is used; it is at ${to} now`,
        fix: "Nothing has to be done; to take the newer one, run `qvs lock` and commit the file",
      };
    case "tag":
      return {
        code: "tag-moved",
        where: places,
        what: `The tag "${revision}" of the module "${name}" was moved: locked is ${commit}, but it is ${to} now`,
        fix: "Ask who moved it, and look at what changed; if the new content is what you want, run `qvs lock` and commit the file",
      };
    case "missing":
      return {
        code: "revision-not-found",
        where: places,
        what: `There is no "${revision}" in ${nameOfEntry(entry)} any more, which the module "${name}" wants: locked is ${commit}`,
        fix: "Name a tag, branch or commit that exists, then run `qvs lock` and commit both files",
      };
  }
}
