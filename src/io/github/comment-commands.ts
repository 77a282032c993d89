import type { RepositoryName, RestClient } from "./client.ts";
import { responseStatus } from "./explain-refusal.ts";
import { createsOnce } from "./find-before-retry.ts";
import type { PullRequestBranch } from "./workflow-run.ts";

/** The reactions that answer a command without a comment. */
export type Reaction = "eyes" | "rocket" | "confused" | "-1";

/**
 * Reports whether a user can push to the repository, by GitHub's own record.
 * The `author_association` of the event isn't sufficient: a member of the organization or a former
 * contributor might have no write access
 * (docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user, which
 * answers `write` for the role `maintain`, and `read` for `triage`).
 */
export async function canWrite(
  { rest }: RestClient,
  repository: RepositoryName,
  login: string,
): Promise<boolean> {
  try {
    const { data } = await rest.repos.getCollaboratorPermissionLevel({
      ...repository,
      username: login,
    });
    return data.permission === "admin" || data.permission === "write";
  } catch (error) {
    // GitHub knows no user with this name, such as that of an app.
    if (responseStatus(error) === 404) return false;
    throw error;
  }
}

export async function react(
  { rest }: RestClient,
  repository: RepositoryName,
  commentId: number,
  content: Reaction,
): Promise<void> {
  await rest.reactions.createForIssueComment({ ...repository, comment_id: commentId, content });
}

/** A run of the workflow that previews a pull request. */
export interface PreviewRun {
  readonly id: number;
  readonly url: string;
  readonly isCompleted: boolean;
}

/**
 * Returns the newest run of a workflow file for the commit of a pull request; undefined if there is
 * none, or no such workflow. Another branch or a fork can have the same commit.
 */
export async function newestPreviewRun(
  { rest }: RestClient,
  repository: RepositoryName,
  workflow: string,
  { head, branch, from }: PullRequestBranch,
): Promise<PreviewRun | undefined> {
  try {
    const { data } = await rest.actions.listWorkflowRuns({
      ...repository,
      workflow_id: workflow,
      event: "pull_request",
      head_sha: head,
      per_page: 100,
    });
    const newest = data.workflow_runs.find(
      (run) => run.head_branch === branch && run.head_repository?.full_name === from,
    );
    return (
      newest && { id: newest.id, url: newest.html_url, isCompleted: newest.status === "completed" }
    );
  } catch (error) {
    if (responseStatus(error) === 404) return undefined;
    throw error;
  }
}

/**
 * Starts all jobs of a run again. The run keeps its commit, its event and the rights of the user
 * who started it, so the run of a fork stays without secrets
 * (docs.github.com/actions/how-tos/manage-workflow-runs/re-run-workflows-and-jobs). GitHub rejects
 * a second start of a run that isn't completed, as if a permission were missing.
 */
export async function startAgain(
  { rest }: RestClient,
  repository: RepositoryName,
  id: number,
  readNewest: () => Promise<PreviewRun | undefined>,
): Promise<void> {
  const find = async () => {
    const newest = await readNewest();
    return newest?.id === id && !newest.isCompleted ? newest : undefined;
  };
  await rest.actions.reRunWorkflow({
    ...repository,
    run_id: id,
    enable_debug_logging: false,
    ...createsOnce(find),
  });
}

/**
 * Starts a workflow on a branch, as the button "Run workflow" does.
 * Of the events that the job's own token causes, GitHub starts workflows only for this one and
 * `repository_dispatch` (docs.github.com/actions/concepts/security/github_token).
 * The request is sent only once. GitHub can start the workflow and still answer with an error. A
 * second run would ask the reviewers of the environment again.
 */
export async function startWorkflow(
  { rest }: RestClient,
  repository: RepositoryName,
  workflow: string,
  ref: string,
  inputs: Readonly<Record<string, string>>,
): Promise<void> {
  await rest.actions.createWorkflowDispatch({
    ...repository,
    workflow_id: workflow,
    ref,
    inputs: { ...inputs },
    request: { retries: 0 },
  });
}
