import type { CommitRelation, LineRange } from "../../ports/git.ts";
import { isFullId } from "./modules/fetch-commit.ts";
import { type GitCall, runGit } from "./run-git.ts";

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
  const [isOlder, isNewer] = await Promise.all([
    isAncestor(commit, other, call),
    isAncestor(other, commit, call),
  ]);
  if (isOlder === true) return "older";
  if (isNewer === true) return "newer";
  if (isOlder === undefined || isNewer === undefined) return "unknown";
  return (await isShallow(call)) ? "unknown" : "diverged";
}

/**
 * Reports whether a commit is an ancestor of another one. Undefined if the clone lacks one of them.
 */
async function isAncestor(
  commit: string,
  other: string,
  call: GitCall,
): Promise<boolean | undefined> {
  const { code } = await runGit(["merge-base", "--is-ancestor", commit, other], call);
  return code === 0 || code === 1 ? code === 0 : undefined;
}

async function isShallow(call: GitCall): Promise<boolean> {
  const answer = await runGit(["rev-parse", "--is-shallow-repository"], call);
  return answer.stdout.toString().trim() !== "false";
}
