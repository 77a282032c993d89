import { checkOnBranch } from "../../io/github/branch.ts";
import type { GitHubRefusal } from "../../io/github/explain-refusal.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import type { GitRepository } from "../../ports/git.ts";
import { type ActionContext, openGitHubClient } from "../context.ts";
import { emptyToken, sentence } from "../github-errors.ts";
import type { Inputs } from "../inputs/inputs.ts";

/**
 * Throws a UserError unless the checked-out commit, which is deployed, is on the branch.
 * The event's own commit isn't sufficient. A workflow can check out another commit, and a restarted
 * run can have a commit that a force push removed. qvs asks GitHub first. If GitHub doesn't answer,
 * qvs uses the clone's remote branch.
 */
export async function requireMerged(
  branch: string,
  inputs: Pick<Inputs, "token">,
  context: ActionContext,
): Promise<void> {
  const { repository, signal } = context.world;
  const commit = await repository?.resolve("HEAD");
  if (repository === undefined || commit === undefined)
    throw new Error("a world that reads a commit has none");
  const client = openGitHubClient({ ...context, signal }, inputs);
  const answer = client && (await checkOnBranch(client, context.repository, branch, commit));
  // If a user cancels the run during the request, an error about GitHub's answer would be wrong.
  signal.throwIfAborted();
  if (answer?.known) {
    if (answer.isOnBranch) return;
    throw notMerged(commit, branch);
  }
  if (await isOnRemoteBranch(branch, commit, repository, context)) return;
  throw notKnown(commit, branch, answer?.refusal ?? emptyToken("contents: read"));
}

/**
 * Reports whether the clone's remote branch contains the commit.
 * actions/checkout sets the branch of `origin` to the commit of the event. In a new run, that is
 * the position of the branch. In a restarted run it proves nothing, because a force push might have
 * removed that commit.
 */
async function isOnRemoteBranch(
  branch: string,
  commit: string,
  repository: GitRepository,
  { commit: ofEvent, env }: Pick<ActionContext, "commit" | "env">,
): Promise<boolean> {
  const tip = await repository.tipAtOrigin(branch);
  const isAgain = Number(env.GITHUB_RUN_ATTEMPT ?? 1) > 1;
  if (isAgain && tip === ofEvent) return false;
  return tip !== undefined && (await repository.mergeBase(commit, tip)) === commit;
}

function notMerged(commit: string, branch: string) {
  return userError(
    "code-not-merged",
    `The checked-out commit ${commit.slice(0, 12)} isn't on the branch ${branch}`,
    `Merge it into ${branch}, and remove \`ref\` from actions/checkout to check out the event's commit`,
  );
}

/**
 * Returns the error for an unknown state. If the commit is merged, the user must fix the problem
 * that GitHub reported.
 */
function notKnown(commit: string, branch: string, { why, fix }: GitHubRefusal) {
  return new UserError([
    {
      code: "code-not-merged",
      where: [],
      what: `The checked-out commit ${commit.slice(0, 12)} might not be on the branch ${branch}`,
      why: `It isn't on this branch in the clone, and qvs can't check it on GitHub. ${sentence(why)}`,
      fix: `Merge it into ${branch}`,
      otherwise: [
        "set fetch-depth: 0 for actions/checkout, if the commit is merged",
        `let qvs check it on GitHub: ${fix}`,
      ],
    },
  ]);
}
