import type { CommitRelation } from "../../ports/git.ts";
import type { RepositoryName, RestClient } from "./client.ts";
import { explainRefusal, type GitHubRefusal, responseStatus } from "./explain-refusal.ts";

/** Returns `main` for `refs/heads/main`. */
export function branchName(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}

/** GitHub's answer about a commit, or the reason for a missing answer. */
export type BranchAnswer =
  | { readonly known: true; readonly isOnBranch: boolean }
  | { readonly known: false; readonly refusal: GitHubRefusal };

/**
 * Asks GitHub whether a commit is the tip of a branch or behind it now. A push might have removed
 * it since the workflow started.
 * The answer is unknown if qvs can't reach GitHub, or if the token lacks the permission.
 */
export async function checkOnBranch(
  { rest }: RestClient,
  repository: RepositoryName,
  branch: string,
  commit: string,
): Promise<BranchAnswer> {
  try {
    // A comparison by name could use a tag with the name of the branch.
    const reference = await rest.git.getRef({ ...repository, ref: `heads/${branch}` });
    const tip = reference.data.object.sha;
    const isOnBranch = tip === commit || (await isAtOrBehind({ rest }, repository, tip, commit));
    return { known: true, isOnBranch };
  } catch (error) {
    return { known: false, refusal: explainRefusal(error, "contents: read") };
  }
}

/**
 * Returns the relation of a commit to another one from GitHub; `unknown` if GitHub doesn't answer.
 */
export async function relationAtGitHub(
  { rest }: RestClient,
  repository: RepositoryName,
  commit: string,
  other: string,
): Promise<CommitRelation> {
  try {
    return relations[await compare({ rest }, repository, other, commit)];
  } catch {
    return "unknown";
  }
}

const relations = {
  identical: "same",
  behind: "older",
  ahead: "newer",
  diverged: "diverged",
} as const satisfies Record<string, CommitRelation>;

/**
 * Reports whether a commit is the tip or behind it. GitHub answers 404 if two commits have no
 * common history, for example after a rewrite of the whole branch.
 */
async function isAtOrBehind(
  { rest }: RestClient,
  repository: RepositoryName,
  tip: string,
  commit: string,
): Promise<boolean> {
  try {
    const status = await compare({ rest }, repository, tip, commit);
    return status === "identical" || status === "behind";
  } catch (error) {
    if (responseStatus(error) === 404) return false;
    throw error;
  }
}

/** Returns the position of `head` relative to `base`. */
async function compare(
  { rest }: RestClient,
  repository: RepositoryName,
  base: string,
  head: string,
) {
  const basehead = `${base}...${head}`;
  const { data } = await rest.repos.compareCommitsWithBasehead({
    ...repository,
    basehead,
    per_page: 1,
  });
  return data.status;
}
