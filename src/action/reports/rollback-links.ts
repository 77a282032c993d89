import type { OutcomeLink } from "../../report/comment/outcome-comment.ts";
import type { ActionContext } from "../context.ts";

/** The rollback workflows of users, named as in workflows/ and by `qvs init`. */
const rollbackWorkflows = [
  "rollback.yml",
  "rollback.yaml",
  "qvs-rollback.yml",
  "qvs-rollback.yaml",
];

/** GitHub's documentation of the revert button on a merged pull request. */
const revertPage =
  "https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/reverting-a-pull-request";

/**
 * Returns links for undoing the deployment: the rollback workflow, and the revert of the pull
 * request.
 */
export async function rollbackLinks({
  world,
  env,
}: Pick<ActionContext, "world" | "env">): Promise<readonly OutcomeLink[]> {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = env;
  const revert = { label: "revert", url: revertPage };
  if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY) return [revert];
  const workflows = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/workflows`;
  for (const name of rollbackWorkflows) {
    const text = await world.source.tree.read(`.github/workflows/${name}`).catch(() => undefined);
    if (text !== undefined) return [{ label: "roll back", url: `${workflows}/${name}` }, revert];
  }
  return [revert];
}
