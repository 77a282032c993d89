import { askWhetherOnBranch } from "../../io/github/branch.ts";
import type { Refusal } from "../../io/github/refusal.ts";
import { userError } from "../../model/problems/errors.ts";
import type { Repository } from "../../ports/git.ts";
import { type ActionContext, clientFor } from "../context.ts";
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
  const client = clientFor({ ...context, signal }, inputs);
  const told = client && (await askWhetherOnBranch(client, context.repository, branch, commit));
  // If a user cancels the run during the request, an error about GitHub's answer would be wrong.
  signal.throwIfAborted();
  if (told?.known) {
    if (told.isOnBranch) return;
    throw notMerged(commit, branch);
  }
  if (await wasSeenOn(branch, commit, repository, context)) return;
  throw notKnown(commit, branch, told?.refusal ?? noToken);
}

/**
 * Reports whether the clone's remote branch contains the commit.
 * actions/checkout sets the branch of `origin` to the commit of the event. In a new run, that is
 * the position of the branch. In a restarted run it proves nothing, because a force push might have
 * removed that commit.
 */
async function wasSeenOn(
  branch: string,
  commit: string,
  repository: Repository,
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
    `The commit that is checked out, ${commit.slice(0, 12)}, is not on the branch ${branch}`,
    `Merge it into ${branch}, and check out what the event is about: leave out \`ref\` of actions/checkout`,
  );
}

const noToken: Refusal = {
  why: "the input token is empty",
  fix: "Leave the input token out to use the job's own, and give the job `permissions: contents: read`",
};

/**
 * Returns the error for an unknown state. If the commit is merged, the user must fix the problem
 * that GitHub reported.
 */
function notKnown(commit: string, branch: string, { why, fix }: Refusal) {
  return userError(
    "code-not-merged",
    `The commit that is checked out, ${commit.slice(0, 12)}, is not on the branch ${branch} as far as this clone knows, and GitHub did not tell: ${why}`,
    `Merge it into ${branch}. If it is merged, check out with fetch-depth: 0. Or have GitHub tell: ${fix}`,
  );
}
