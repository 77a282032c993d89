import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import type { GitSource, ModuleReference } from "../../model/sources/config.ts";
import type { MovedRevision } from "../../model/text/reference-text.ts";
import {
  type LockedModule,
  type Lockfile,
  lockEntryKey,
  lockEntryName,
  sourceKey,
} from "./lockfile.ts";

/** A module of the config that qvs fetches from Git. */
export interface GitModule extends ModuleReference {
  readonly source: GitSource;
}

/** A module or a remote base that the lockfile contains. `name` is that in messages. */
export interface LockedSubject extends GitModule {
  /** Undefined for a module. */
  readonly noun?: "remote base";
}

export function isGitModule(module: ModuleReference): module is GitModule {
  return module.source.from === "git";
}

/** The result of fetching a module. */
export interface FetchedRevision {
  readonly hash: string;
  readonly moved: MovedRevision | undefined;
}

/**
 * Returns the entry of a module. A missing entry is an error in every command, as with `npm ci` and
 * Terraform. A preview must not use a different commit than the deployment.
 */
export function findLockEntry(lock: Lockfile, module: LockedSubject): Result<LockedModule> {
  const { source, where } = module;
  const key = sourceKey(source);
  const entries = module.noun === undefined ? lock.modules : lock.bases;
  const entry = entries.find((each) => lockEntryKey(each) === key);
  if (entry === undefined) return failed([notLockedProblem(lock.file, entries, module)]);
  // A full commit ID needs no resolution, so a different commit comes from a manual edit.
  const isOther = /^[0-9a-f]{40,}$/.test(source.revision) && entry.commit !== source.revision;
  if (!isOther) return ok(entry);
  return failed([
    {
      code: "lock-file-outdated",
      where: [where, entry.where],
      what: `${titleOf(module)} is locked to another commit`,
      facts: [
        { label: "config", value: source.revision },
        { label: "locked", value: entry.commit },
      ],
      fix: runLockFix(lock),
    },
  ]);
}

/** Returns the subject of a sentence. */
function titleOf({ noun, name }: LockedSubject): string {
  return `${noun === undefined ? "Module" : "Remote base"} "${name}"`;
}

function runLockFix({ file }: Pick<Lockfile, "file">): string {
  return `Run \`qvs lock\` and commit ${file}`;
}

function notLockedProblem(
  file: string,
  entries: readonly LockedModule[],
  module: LockedSubject,
): Problem {
  const { source, where } = module;
  const { repo, revision, path } = source;
  const others = entries.filter((each) => each.repository === repo && each.path === path);
  const [other] = others;
  if (other === undefined) {
    const what = `${titleOf(module)} isn't in ${file}`;
    return { code: "lock-file-outdated", where: [where], what, fix: runLockFix({ file }) };
  }
  return {
    code: "lock-file-outdated",
    where: [where, other.where],
    what: `${titleOf(module)} is locked at another revision`,
    facts: [
      { label: "config", value: `"${revision}"` },
      { label: "locked", value: others.map((each) => `"${each.revision}"`).join(" and ") },
    ],
    fix: runLockFix({ file }),
  };
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
export function verifyModule(
  module: LockedSubject,
  entry: LockedModule,
  found: FetchedRevision,
  past: boolean,
): { readonly problems: readonly Problem[]; readonly notices: readonly Problem[] } {
  if (found.hash !== entry.hash)
    return { problems: [contentProblem(module, entry, found)], notices: [] };
  const { moved } = found;
  if (moved === undefined) return { problems: [], notices: [] };
  const problem = movedProblem(module, entry, moved);
  return moved.what === "branch" || past
    ? { problems: [], notices: [problem] }
    : { problems: [problem], notices: [] };
}

function contentProblem(
  module: LockedSubject,
  entry: LockedModule,
  { hash }: FetchedRevision,
): Problem {
  return {
    code: module.noun === undefined ? "module-content-changed" : "base-content-changed",
    where: [module.where, entry.where],
    what: `${titleOf(module)} doesn't match the lockfile`,
    facts: [
      { label: "commit", value: entry.commit },
      { label: "locked hash", value: entry.hash },
      // A lockfile can name a private repository, so a message shows nothing of other content.
      ...(module.noun === undefined ? [{ label: "found hash", value: hash }] : []),
    ],
    why: "A manual change of the lockfile can cause this",
    fix: `Run \`git log -p ${entry.where.file}\` to find the change`,
    otherwise: ["run `qvs lock` to lock the current content of the revision"],
  };
}

function movedProblem(
  { name, noun, where }: LockedSubject,
  entry: LockedModule,
  moved: MovedRevision,
): Problem {
  const subject = `${noun ?? "module"} "${name}"`;
  const { revision, commit } = entry;
  const { file } = entry.where;
  const places = [where, entry.where];
  const locked = { label: "locked", value: commit };
  const { to = "" } = moved;
  const current = noun === undefined ? [{ label: "current", value: to }] : [];
  switch (moved.what) {
    case "branch":
      return {
        code: "branch-moved",
        where: places,
        what: `Branch "${revision}" of ${subject} has moved`,
        facts: [locked, ...current],
        fix: "Nothing to do: qvs uses the locked commit",
        otherwise: [`run \`qvs lock\` and commit ${file} to use the current commit`],
      };
    case "tag":
      return {
        code: "tag-moved",
        where: places,
        what: `Tag "${revision}" of ${subject} was moved`,
        facts: [locked, ...current],
        fix: "Ask who moved the tag, and compare both commits",
        otherwise: [`run \`qvs lock\` and commit ${file} to accept the current commit`],
      };
    case "missing":
      return {
        code: "revision-not-found",
        where: places,
        what: `Revision "${revision}" of ${subject} no longer exists`,
        facts: [{ label: "repository", value: lockEntryName(entry) }, locked],
        fix: "Name a tag, branch or commit that exists, run `qvs lock`, and commit both files",
      };
  }
}
