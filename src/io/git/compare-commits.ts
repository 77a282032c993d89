import { UserError } from "../../model/problems/errors.ts";
import type { CommitRelation, LineRange } from "../../ports/git.ts";
import { isFullId } from "./modules/fetch-commit.ts";
import { type GitCall, gitError, runGit } from "./run-git.ts";

/**
 * Implements `commitsSince` of Repository. It accepts only full ids, so that git takes none of them
 * for an option.
 */
export async function commitsSince(
  base: string,
  tip: string,
  most: number,
  call: GitCall,
): Promise<readonly string[] | undefined> {
  if (![base, tip].every(isFullId)) return undefined;
  const list = async (...flags: readonly string[]) => {
    const args = ["rev-list", `--max-count=${most}`, ...flags, tip, `^${base}`, "--"];
    const answer = await runGit(args, call);
    return answer.code === 0 ? answer.stdout.toString().split("\n").filter(isFullId) : undefined;
  };
  const own = await list("--first-parent");
  const all = await list();
  if (own === undefined || all === undefined) return undefined;
  return [...new Set([...own, ...all])].slice(0, most);
}

/** Implements `linesShown` of Repository. Returns no lines if git fails. */
export async function linesShown(
  base: string,
  head: string,
  path: string,
  call: GitCall,
): Promise<readonly LineRange[]> {
  if (![base, head].every(isFullId)) return [];
  const flags = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"];
  // GitHub also shows three lines around a change.
  const args = ["diff", ...flags, "--unified=3", base, head, "--", path];
  const answer = await runGit(args, call);
  if (answer.code !== 0) return [];
  // In the output, a line of a file begins with its sign and can't match.
  const headers = answer.stdout.toString().matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm);
  return Array.from(headers, ([, start, length = "1"]) => {
    const first = Number(start);
    return { first, last: first + Number(length) - 1 };
  });
}

/**
 * Returns the relation of a commit to another one in this clone.
 * In a shallow clone, two commits can follow each other although they have another common ancestor
 * or none. The answer is then `unknown`.
 */
export async function relationInClone(
  commit: string,
  other: string,
  call: GitCall,
): Promise<CommitRelation> {
  if (!isFullId(commit) || !isFullId(other)) return "unknown";
  if (commit === other) return "same";
  const { code, stdout } = await runGit(["merge-base", commit, other], call);
  const base = stdout.toString().trim();
  if (code === 0 && base === commit) return "older";
  if (code === 0 && base === other) return "newer";
  // Git ends with 1 if they have no common ancestor, and with 128 if the clone lacks one of them.
  if (code !== 0 && code !== 1) return "unknown";
  return (await isShallow(call)) ? "unknown" : "diverged";
}

async function isShallow(call: GitCall): Promise<boolean> {
  const answer = await runGit(["rev-parse", "--is-shallow-repository"], call);
  return answer.stdout.toString().trim() !== "false";
}

/** Implements `changedPaths` of Repository. */
export async function changedPaths(
  base: string,
  head: string | undefined,
  call: GitCall,
): Promise<readonly string[]> {
  const revisions = head === undefined ? [base] : [base, head];
  const unreadable = revisions.find((revision) => !isRevision(revision));
  if (unreadable !== undefined) throw missingCommit(unreadable);
  const commits = revisions.map((revision) => `${revision}^{commit}`);
  const compare = head === undefined ? compareWithDisk : ["diff-tree", "-r"];
  const answer = await runGit([...compare, ...rawFormat, ...commits, "--"], call);
  if (answer.code === 0) {
    const changed = readDifferences(answer.stdout.toString().split("\0"));
    return head === undefined ? [...changed, ...(await untrackedPaths(call))] : changed;
  }
  for (const revision of revisions) {
    if ((await resolveRevision(revision, call)) === undefined) throw missingCommit(revision);
  }
  const place = head === undefined ? "a commit with the working tree" : "two commits";
  throw gitError(`compare ${place}`, answer);
}

const rawFormat: readonly string[] = ["-z", "--raw", "--no-abbrev", "--no-renames"];

/**
 * Compares the tracked files on disk. Unlike diff-index, `git diff` reads a file whose time differs
 * before it reports it. Changes within a submodule don't count, because it is a separate
 * repository.
 */
const compareWithDisk: readonly string[] = [
  ...["-c", "core.fileMode=false", "diff", "--no-ext-diff", "--no-textconv"],
  "--ignore-submodules=dirty",
];

/** Lists the files that git doesn't know and doesn't ignore. A commit would add them. */
async function untrackedPaths(call: GitCall): Promise<readonly string[]> {
  const answer = await runGit(["ls-files", "-z", "--others", "--exclude-standard"], call);
  if (answer.code !== 0) throw gitError("list the new files of the working tree", answer);
  return answer.stdout
    .toString()
    .split("\0")
    .filter((path) => path !== "");
}

/**
 * Returns the paths with changes. `:<mode> <mode> <object> <object> <status>` precedes each path. A
 * file that only became executable has no change.
 */
function readDifferences(fields: readonly string[]): readonly string[] {
  return fields.flatMap((field, index) => {
    if (index % 2 === 0) return [];
    const [from, to, before, after] = (fields[index - 1] ?? "").slice(1).split(" ");
    const isSame = before === after && from?.startsWith("100") && to?.startsWith("100");
    return isSame ? [] : [field];
  });
}

function missingCommit(commit: string): Error {
  return new UserError([
    {
      code: "commit-not-found",
      where: [],
      what: `The commit "${commit}" isn't in this clone of the repository`,
      fix: `Run git fetch origin ${commit}`,
      otherwise: ["set fetch-depth: 0 for actions/checkout"],
    },
  ]);
}

/** Returns the full commit id of a revision; undefined if the revision doesn't exist. */
export async function resolveRevision(
  revision: string,
  call: GitCall,
): Promise<string | undefined> {
  if (!isRevision(revision)) return undefined;
  const answer = await runGit(["rev-parse", "--verify", "--quiet", `${revision}^{commit}`], call);
  return answer.code === 0 ? answer.stdout.toString().trim() : undefined;
}

/**
 * Reports whether git can resolve the string. An option of git is never a revision, even if a ref
 * has such a name.
 */
function isRevision(text: string): boolean {
  return text !== "" && !text.startsWith("-") && !text.includes("\0") && !text.includes("\n");
}
