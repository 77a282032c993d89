/** Releases, and whether a plan may be carried out: approvals, order of commits, freezes. */
export const codesOfReleases = {
  "code-not-merged":
    "Deploying was asked for with code that is not merged, which may come from a fork. Deploy on `push`, `workflow_dispatch` or `schedule`, from the branch that the event is about.",
  "commit-order-unknown":
    "Whether the commit to deploy is older than the one that runs can't be told, or the two have no common line of history. Deploy from a clone with its whole history, and check that nothing of the other commit is missing.",
  "completed-job-deleted":
    "A Job of the running release is not there any more. It had completed, so it is no drift, and a correction does not run it again. Deploy to run it again.",
  "confirmation-missing":
    "A whole deployment would be deleted, and there is no terminal to ask on. Look at the plan with `--dry-run`, then add `--yes` or `--expect-digest`.",
  "deployments-frozen":
    "Somebody has frozen the deployments of the namespace by the ConfigMap `qvs-freeze`. Wait until it ends, or name it in `--override-freeze`.",
  "invalid-approved-plan":
    "The file that was given is not a plan of this version. Write it with `qvs diff --format json`.",
  "irreversible-correction":
    "A correction would create something that is not what it was, such as a claim without its data, or would run a migration again. Restore it, deploy without it, or allow it with `--allow-irreversible`.",
  "irreversible-rollback":
    "Something of the release can't be brought back by its manifests, as the findings of `--dry-run` say. What is lost, such as the data of a claim, must be allowed with `--allow-irreversible`; a version of an API that the cluster no longer serves can't be.",
  "moved-deployment":
    "An entry is no longer in one list of deployments and is in the list of another folder, so nothing of it is deleted. If these are two deployments, in two clusters, delete the one that was removed yourself.",
  "no-longer-listed":
    "Nothing of a deployment runs, and the newest commit of the branch does not list it any more: a run that is late or was started again would bring back what was deleted. To have it again, list it again.",
  "nothing-to-change":
    "The rollback would change nothing: what it names runs already. Choose the release that the message names.",
  "older-commit":
    "The commit to deploy is an ancestor of the one that runs. A late run is skipped; to go back on purpose, roll back, or deploy it all the same with `--allow-older`.",
  "orphaned-deployment":
    "A deployment was removed or moved, and nothing deletes what it deployed before. Delete it yourself, as the message describes.",
  "plan-approved": "The plan does what somebody has approved. Nothing has to be done.",
  "plan-approved-in-part":
    "Less is done than was approved, or, besides it, what others have changed becomes again what the running release declares. Nothing has to be done if that is expected.",
  "plan-changed":
    "The plan is not the approved one: the cluster or the configuration has changed since. Look at the new plan and approve that one.",
  "plan-not-approved":
    "Nobody has approved what the plan does: no pull request brought the commit, or its comment does not count. Look at the plan, and approve it by its digest or in a pull request.",
  "release-not-found":
    "There is no release with that number, or none that succeeded before. Choose one that the message names.",
  "release-not-succeeded":
    "The release failed or never ended, so what it declares may never have worked. Choose one that succeeded, or take it all the same with `--allow-failed`.",
  "release-record-unreadable":
    "The record of a release (a Secret) is damaged or was written by a newer version. Use that version, or restore the Secret.",
  "removed-not-deleted":
    "A deployment was removed from the list with `on-removed: delete`, and was not deleted: the merged pull request has not shown exactly that, or something speaks against it. The message says what, and how to delete it by hand.",
  "revision-limit":
    "The highest possible number is in use already, so none can follow. Find out who has written it.",
  "stage-half-deployed":
    "An earlier release may have left the other stage half deployed, so one stage alone cannot be recorded. Deploy both stages, without `--only-stage`.",
  "unfinished-release":
    "The newest release failed, gave way to a newer run, or has not said how it ended. What it did not get done is part of the next plan. Find out why it did not succeed before you deploy again.",
} as const;
