import { askWhetherOnBranch } from "../../io/github/branch.ts";
import type { Refusal } from "../../io/github/refusal.ts";
import { userError } from "../../model/problems/errors.ts";
import type { Repository } from "../../ports/git.ts";
import { type ActionContext, clientFor } from "../context.ts";
import type { Inputs } from "../inputs/inputs.ts";

/**
 * Throws a UserError unless the commit that is checked out, which is the one that is deployed, is on the branch. The
 * event's own commit is not sufficient: a workflow may check out another one, and a run that is started again may be
 * for a commit that a force push has removed. GitHub is asked first; if it can't be asked, the branch is where the
 * clone has it as a remote branch.
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
  // Whoever cancels the run while GitHub is asked is not told that GitHub did not answer.
  signal.throwIfAborted();
  if (told?.known) {
    if (told.isOnBranch) return;
    throw notMerged(commit, branch);
  }
  if (await wasSeenOn(branch, commit, repository, context)) return;
  throw notKnown(commit, branch, told?.refusal ?? noToken);
}

/**
 * actions/checkout sets the branch of `origin` to the commit of the event. Of a run that GitHub has just started, that is where the branch
 * was; of one that somebody starts again it says nothing, since a force push may have removed that commit long ago.
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

/** Why GitHub did not tell is what there is to mend, where the commit is merged. */
function notKnown(commit: string, branch: string, { why, fix }: Refusal) {
  return userError(
    "code-not-merged",
    `The commit that is checked out, ${commit.slice(0, 12)}, is not on the branch ${branch} as far as this clone knows, and GitHub did not tell: ${why}`,
    `Merge it into ${branch}. If it is merged, check out with fetch-depth: 0. Or have GitHub tell: ${fix}`,
  );
}
