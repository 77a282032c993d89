import type { GitSource, ModuleReference } from "../../model/config.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import type { Moved } from "../../model/text/reference-text.ts";
import { keyOfSource, type Lock, type LockedModule, lockKey, nameOfEntry } from "./lock.ts";

/** A module of the config that is fetched from git. */
export interface GitModule extends ModuleReference {
  readonly source: GitSource;
}

export function isFromGit(module: ModuleReference): module is GitModule {
  return module.source.from === "git";
}

/** What came when the module was asked for. */
export interface Found {
  readonly hash: string;
  readonly moved: Moved | undefined;
}

/**
 * The entry for a module. A lock that does not have it is an error everywhere, as for `npm ci` and Terraform: a preview that went
 * on with another commit than the deployment later would lie.
 */
export function findLocked(lock: Lock, module: GitModule): Result<LockedModule> {
  const { source, where } = module;
  const key = keyOfSource(source);
  const entry = lock.modules.find((each) => lockKey(each) === key);
  if (entry === undefined) return failed([notLocked(lock, module)]);
  // A full id leaves nothing to resolve, so that another one can only have been put there by hand.
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
 * Compares what came with the lock. What is used is the locked commit in any case, so nobody who moves a tag can change what is
 * deployed. That a tag has moved is still an error: tags are not meant to, so either its old or its new content
 * is not what somebody thinks it is; and hosts give out commits of forks under the name of the repository itself, so that
 * a changed lock can look like the old version and be somebody else's code. A branch is meant to move: that is a notice.
 * `past` is for commits that were merged long ago: what happened to a tag since is no reason not to compare with them.
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
