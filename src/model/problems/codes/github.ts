/** Errors of GitHub: its events, its API, and jobs and their artifacts. */
export const githubCodes = {
  "branch-not-deployed":
    "The event belongs to a branch that isn't deployed, or that was deleted. Limit the workflow to the default branch, or name the branch in the input `branch`.",
  "github-api-error":
    "GitHub's API rejected a request, or its answer was unreadable. Check the permissions of the job. The summary of the run has the same content as the comment.",
  "id-token-not-issued":
    "GitHub did not issue an ID token, which the input `server` needs to log in to the cluster. Give the job `permissions: id-token: write`.",
  "plan-file-rejected":
    "qvs can't use a plan.json that a job provided for the comment: its form is wrong, it belongs to another commit, is too large, or contradicts the run. Use the same version of the Action in all jobs, and run the preview again.",
  "plan-missing":
    "A job provided no plan of a deployment, because it failed, was canceled or didn't upload it. Read the log of the job, and run it again.",
  "too-many-jobs":
    "The changed deployments need more jobs, or more levels, than a workflow can have. Select fewer of them, or shorten the chain of `dependsOn`.",
  "unsupported-event":
    "The Action doesn't support this event, or its payload is unusable. Run it on `pull_request`, `merge_group`, `workflow_run`, `push`, `schedule` or `workflow_dispatch`.",
  "webhook-failed":
    "qvs couldn't send a notification to the address in the input `webhook-url`. The result of the run stays the same. Check the address in the secret, and the receiver.",
} as const;
