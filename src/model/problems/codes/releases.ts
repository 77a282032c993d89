/** Errors of releases, approvals, the order of commits and freezes. */
export const releaseCodes = {
  "code-not-merged":
    "A deployment was requested with code that isn't merged and might come from a fork. Deploy on `push`, `workflow_dispatch` or `schedule`, from the branch of the event.",
  "commit-order-unknown":
    "qvs can't determine whether the commit is older than the deployed one, or the two have no common history. Deploy from a clone with full history, and check that no change of the other commit is missing.",
  "completed-job-deleted":
    "A Job of the current release no longer exists. It had completed, so this isn't drift, and a correction doesn't run it again. To run it again, deploy. A Job with the annotation `vs.axis-dev.io/run-once` isn't run again by deployments either. To run it again, change its content or its name.",
  "confirmation-missing":
    "A whole deployment would be deleted, and no terminal is available for the confirmation. Look at the plan with `--dry-run`, then add `--yes` or `--expect-digest`.",
  "deployment-not-listed":
    "The deployment has no current release, and the newest commit of the branch no longer lists it. A late or repeated run would restore deleted objects. To deploy it again, list it again.",
  "deployments-frozen":
    "The ConfigMap `qvs-freeze` freezes the deployments of the namespace. Wait until the freeze ends, or name it in `--override-freeze`.",
  "invalid-approved-plan":
    "The given file isn't a plan of this version. Write it with `qvs diff --format json`.",
  "irreversible-correction":
    "A correction would create something with lost content, such as a PersistentVolumeClaim without its data, or would repeat a migration. Restore it, deploy without it, or allow it with `--allow-irreversible`.",
  "irreversible-rollback":
    "Manifests can't restore a part of the release, as the findings of `--dry-run` show. Allow losses, such as the data of a PersistentVolumeClaim, with `--allow-irreversible`. No flag restores an API version that the cluster no longer serves.",
  "moved-deployment":
    "An entry moved from one list of deployments to the list of another directory, so qvs deletes nothing. If these are two deployments in two clusters, delete the removed one yourself.",
  "not-reversible":
    "The entry in deployments.yaml has `require: reversible`, and a rollback couldn't undo this deployment. Correct the causes that the message names. If the deployment must be irreversible, remove `require` from the entry for it. After a deployment without `require`, it is a notice about the rollback.",
  "nothing-to-change":
    "The rollback would change nothing, because its target is the current state. Choose a release from the message.",
  "older-commit":
    "The commit is an ancestor of the deployed one. qvs skips a late run. To go back intentionally, roll back, or deploy the older commit with `--allow-older`.",
  "orphaned-deployment":
    "A deployment was removed or moved, and its former objects stay in the cluster. Delete them yourself, as the message describes.",
  "plan-approved": "The plan matches the reviewed one. No action is necessary.",
  "plan-approved-in-part":
    "The plan does less than the reviewed one, or it also restores objects to the current release. If that is expected, no action is necessary.",
  "plan-changed":
    "The plan differs from the reviewed one: the cluster or the configuration changed since. Review and approve the new plan.",
  "plan-not-approved":
    "No one approved this plan: no pull request contains the commit, or its comment doesn't count. Review the plan, and approve it by its digest or in a pull request.",
  "release-not-found":
    "No release has that number, or no earlier one succeeded. Choose one from the message.",
  "release-not-succeeded":
    "The release failed or never ended, so its manifests might never have worked. Choose one that succeeded, or add `--allow-failed`.",
  "release-record-unreadable":
    "The record of a release (a Secret) is damaged, or a newer version of qvs wrote it. Use that version, or restore the Secret.",
  "removed-not-deleted":
    "A deployment was removed from the list with `on-removed: delete`, but not deleted. The merged pull request didn't show exactly this deletion, or something blocks it. The message shows the reason and the command that deletes it.",
  "revision-limit":
    "The highest possible number is in use, so no number can follow. Find out who wrote it.",
  "stage-half-deployed":
    "An earlier release might have left the other stage incomplete, so qvs can't record one stage alone. Deploy both stages, without `--only-stage`.",
  "unfinished-release":
    "The newest release failed, was superseded, or recorded no outcome. The next plan contains its unfinished part. Find out why it failed before you deploy again.",
} as const;
