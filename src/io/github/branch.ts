import type { CommitRelation } from "../../ports/git.ts";
import type { GitHubClient, RepositoryName } from "./client.ts";
import { explainRefusal, type Refusal, statusOf } from "./refusal.ts";

/** `main` of `refs/heads/main`. */
export function branchOfRef(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}

/** GitHub's word on a commit, or why it does not give it. */
export type BranchAnswer =
  | { readonly known: true; readonly isOnBranch: boolean }
  | { readonly known: false; readonly refusal: Refusal };

/**
 * Whether a commit is the tip of a branch or behind it, by GitHub's current state; a push may have removed it since the workflow was
 * started. GitHub may not tell: it can't be reached, or the token may not ask.
 */
export async function askWhetherOnBranch(
  { rest }: Pick<GitHubClient, "rest">,
  repository: RepositoryName,
  branch: string,
  commit: string,
): Promise<BranchAnswer> {
  try {
    // Compared by name, a tag of that name could be taken for the branch.
    const reference = await rest.git.getRef({ ...repository, ref: `heads/${branch}` });
    const tip = reference.data.object.sha;
    const isOnBranch = tip === commit || (await isBehind({ rest }, repository, tip, commit));
    return { known: true, isOnBranch };
  } catch (error) {
    return { known: false, refusal: explainRefusal(error, "contents: read") };
  }
}

/** How a commit stands to another one by what GitHub knows; "unknown" when it does not tell. */
export async function relationAtGitHub(
  { rest }: Pick<GitHubClient, "rest">,
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

/** GitHub answers 404 where two commits have nothing in common, for example after all of a branch was rewritten. */
async function isBehind(
  { rest }: Pick<GitHubClient, "rest">,
  repository: RepositoryName,
  tip: string,
  commit: string,
): Promise<boolean> {
  try {
    const status = await compare({ rest }, repository, tip, commit);
    return status === "identical" || status === "behind";
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}

/** Where `head` is, seen from `base`. */
async function compare(
  { rest }: Pick<GitHubClient, "rest">,
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
