import { type GitCall, runGit } from "./run-git.ts";

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
export function isRevision(text: string): boolean {
  return text !== "" && !text.startsWith("-") && !text.includes("\0") && !text.includes("\n");
}
