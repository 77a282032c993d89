/** GitHub: events, its API, jobs and what they leave for each other. */
export const codesOfGithub = {
  "branch-not-deployed":
    "The event is about a branch that is not deployed, or that was deleted. Limit the workflow to the default branch, or name the branch in the input `branch`.",
  "github-api-error":
    "GitHub's API refused a request, or its answer could not be read. Check the permissions of the job; the summary of the run says the same as the comment.",
  "id-token-not-issued":
    "GitHub did not issue an ID token, which the input `server` needs to log in to the cluster. Give the job `permissions: id-token: write`.",
  "plan-file-refused":
    "A plan.json that a job has left for the comment can't be used: it is not of this form, of another commit, too large, or not what the run says it is. Let the same version of the action write and read it, and plan again.",
  "plan-missing":
    "A job has left no plan of a deployment, since it failed, was cancelled or did not upload it. Look at the log of the job, and run it again.",
  "too-many-jobs":
    "The changed deployments need more jobs, or more levels of them, than a workflow can have. Choose fewer of them, or shorten the chain of `dependsOn`.",
  "unsupported-event":
    "The Action has nothing to do on this event, or its payload is unusable. Run it on `pull_request`, `merge_group`, `workflow_run`, `push`, `schedule` or `workflow_dispatch`.",
} as const;
