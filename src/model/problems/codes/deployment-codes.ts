/** Errors of the connection to the cluster, of permissions and of API requests. */
export const clusterCodes = {
  "admission-denied":
    "An admission policy, a webhook or a proxy in front of the API server denied the request. Do what its message asks for, or ask the administrators of the cluster to change the policy.",
  "api-deprecated":
    "The API server warns that a later version of Kubernetes removes this API, field or value. Replace it before you upgrade the cluster.",
  "api-error":
    "The API server rejected the request for a reason that qvs doesn't know, or its answer was unusable. Read its message. Running again is safe.",
  "api-unavailable":
    "The API server couldn't handle the request: it is overloaded, restarting or has an internal error. Run again later.",
  "api-warning":
    "The API server, a webhook or a policy accepts the manifest with a warning. Correct the manifest if the warning is justified.",
  "cluster-unreachable":
    "qvs couldn't connect to the API server. Check that the cluster runs, the server's address in the kubeconfig, and the network.",
  "credential-plugin-failed":
    "The credential plugin of the kubeconfig is missing or failed. Install it, or run it manually to see its error.",
  "dependency-not-found":
    "An object depends on an object that is neither in the cluster nor declared. Declare it, create it first, or correct the reference.",
  "field-dropped":
    "The API server accepts a declared field but doesn't store it: its feature is off in this cluster, or a webhook or policy removes it. Enable the feature, or remove the field from the manifest.",
  "invalid-credentials":
    "The cluster rejects the credentials, or qvs couldn't renew them. Log in again, or renew the credentials of the kubeconfig context.",
  "invalid-kubeconfig":
    "qvs can't read the kubeconfig, or a part of it is missing or wrong. `kubectl config view --raw --flatten` prints a complete one.",
  "kind-without-objects":
    "The API server stores no object of this kind. It is a subresource such as Scale or Eviction, a review, or the options of a request. Remove the manifest, and set the fields of the object that it belongs to.",
  "kubeconfig-in-lines":
    "A kubeconfig in several lines is stored as a secret of GitHub. The runner masks each of its lines in logs and summaries, so `kind: Config` turns `kind: ConfigMap` into `***Map`. Store it in Base64 on one line.",
  "kubeconfig-not-found":
    "No kubeconfig exists. Pass its path or its content, or set `KUBECONFIG`.",
  "missing-permission":
    "The identity of this run lacks a permission. Allow it in a Role or ClusterRole that is bound to the identity.",
  "namespace-not-found": "The namespace does not exist. Create it, or declare it in appSetup.",
  "object-being-deleted":
    "An object or its namespace is being deleted. Wait until it is deleted, then run again. Its finalizers might block the deletion.",
  "object-not-found":
    "The cluster has no object of that name in that namespace. Check the name, and choose the namespace with `--namespace`.",
  "quota-exceeded":
    "A quota of the namespace doesn't allow the object or its Pods. Raise the quota, request less, or delete objects that you no longer need.",
  "unknown-context":
    "The kubeconfig doesn't have the context, or has no current one. Choose one of its contexts.",
  "unknown-kind":
    "The cluster doesn't serve the kind in that API version. Install its CustomResourceDefinition, or correct `apiVersion` and `kind`.",
  "webhook-unavailable":
    "An admission webhook of the cluster didn't answer. Check that its Service runs, then run again.",
} as const;

/** Errors of existing objects: ownership, fields, deletion and keeping. */
export const ownershipCodes = {
  "adopted-object":
    "The object exists and this deployment didn't create it, or another tool replaced it. From now on, the deployment manages it. If that isn't intended, choose another name.",
  "also-deleted":
    "Objects are deleted together with a deleted or replaced object, or PersistentVolumeClaims together with Pods. A preview lists them.",
  "api-version-migrated":
    "The field owners are recorded in an older API version, and qvs rewrites them to the declared version. Update all tools that apply the object to that version.",
  "controller-owned-field":
    "A controller, such as an autoscaler, owns the field, so qvs keeps the live value. Name the field in the annotation `vs.axis-dev.io/ignore-changes`.",
  "dependency-deleted":
    "An object depends on an object that is no longer declared and would be deleted. Declare it again, or remove the dependency.",
  "deployment-source-mismatch":
    "A deployment of that name was last deployed from another repository or config. Give one of them another name, or adopt it with `--adopt`.",
  "fewer-replicas":
    "An interrupted run deleted a StatefulSet without its Pods, and the manifest declares fewer replicas than Pods exist. Declare the number of Pods, and change it in a later deployment.",
  "field-conflict":
    "Another field manager owns a field that the manifest sets. Keep the live value with `vs.axis-dev.io/ignore-changes`, remove the field from the manifest, or take ownership with `--takeover`.",
  "forced-field":
    "qvs takes ownership of a field from another field manager, as `--conflicts=force` or `--takeover` requests. Make sure that this manager no longer writes the field.",
  "foreign-object":
    "An object of that name exists and belongs to another deployment or an unknown one. Use another name, or adopt the object with `--adopt`.",
  "helm-release":
    "qvs adopts objects that Helm installed. Helm's record of the release stays and still lists them, so `helm uninstall` would delete them. Delete the record after the deployment.",
  "hidden-values":
    "qvs hides values of an object, because releases record that they came from Secrets. If they never did, find out who changed the releases.",
  "ignore-path-unmatched":
    "A path in the annotation `vs.axis-dev.io/ignore-changes` matches nothing. Correct or remove the path.",
  "ignored-value":
    "The manifest sets a new value, but the annotation `vs.axis-dev.io/ignore-changes` keeps the live value. To deploy the new value, remove its path from the annotation.",
  "immutable-field":
    'A field of an existing object is immutable. Give the object another name, or add the annotation `vs.axis-dev.io/replace: "true"` if the object can be absent for a moment. For a StatefulSet, `vs.axis-dev.io/replace: orphan` keeps its Pods.',
  "inexact-ignored-path":
    "A path in the annotation `vs.axis-dev.io/ignore-changes` matches only a part of a value that the server replaces as a whole. Name the whole value.",
  "kept-field":
    "A field is no longer declared but stays in the cluster, because another field manager owns it too or the API server keeps it. Remove it there, or take ownership of everything that this manager owns with `--takeover`.",
  "kept-object":
    "An object is no longer declared but stays in the cluster, because qvs isn't certain that this deployment created it, or no release lists it. If you don't need it, delete it manually.",
  "name-collision":
    "An object belongs to a deployment of the same name with releases in another namespace. Rename one of the two deployments or the object, or adopt it with `--adopt`.",
  "object-changed":
    "Another tool or user changed, deleted or replaced an object after qvs computed the plan. Run again. The new plan starts from the present state.",
  "one-way-field":
    "A rollback or drift correction keeps the live value of a field, because the API server doesn't allow the earlier value. For example, a PersistentVolumeClaim can only grow. qvs restores the rest of the release.",
  "outside-namespace":
    "A release would change objects outside its namespace without permission to do so. Deploy the config instead of the release.",
  "ownership-restored":
    "A user or tool cleared `metadata.managedFields`, so the object no longer showed which fields the deployment owns. qvs records them again, as in the last release. Find out who cleared it.",
  "ownership-transfer":
    "qvs takes ownership of an object's fields from another tool. Declare the fields that must stay, and stop applying the object with that tool.",
  "protected-deletion":
    "An object that is no longer declared, or must be replaced, would be deleted with everything that it contains or owns. Allow it with `--allow-delete`, declare it again, or keep it with `vs.axis-dev.io/keepOnDelete`. No flag allows a deletion that also deletes declared or kept objects: remove them from the config or delete them first.",
} as const;

/** Errors of a run that deploys: its lock, its waits and its end. */
export const rolloutCodes = {
  "automatic-rollback":
    "The deployment failed, and `--on-failure=rollback` applied the last successful release to the changed objects. Correct the failure and deploy again.",
  "check-failed":
    "A check of the config didn't pass, so qvs deleted nothing and the release failed. Correct the cause that the evidence shows, and run again.",
  "container-config-missing":
    "A ConfigMap, Secret or key that a container uses doesn't exist. Declare it, or correct the reference.",
  "container-crashed":
    "A container exits repeatedly. Read its exit code and log, correct the program or its configuration, and run again.",
  "controller-not-running":
    "The controller of this kind hasn't observed the object. Check that it is installed and running in the cluster.",
  "deletion-timeout":
    "An object still existed when the timeout for its deletion ended. Check its finalizers and the controllers that remove them.",
  "dependency-failed":
    "qvs skipped a deployment, because a deployment that it depends on failed. Correct that one first.",
  "image-pull-failed":
    "The node can't pull the image of a container. Check its name and tag, and that the cluster is allowed to pull it (`imagePullSecrets`).",
  "job-running":
    'A Job still runs, a new Job replaces it, and the deployment waited until the timeout. Run again when the old Job has ended. To run both at once, annotate the new Job with `vs.axis-dev.io/replace: "true"`.',
  "lock-held":
    "Another run is deploying this deployment. Try again when it ends. The lock of a dead run expires after a short time.",
  "lock-lost":
    "The run lost the deployment lock, so another run might be deploying it. Run again when that one ends.",
  "lock-not-available":
    "qvs couldn't get the lock (a Lease), although no run seems to hold it. Check what changes or protects the Lease, and how fast the API server answers.",
  "missing-dependency":
    "A Pod refers to a ConfigMap, Secret, PersistentVolumeClaim or ServiceAccount that exists neither in the cluster nor in this deployment. Its containers can't start. Declare it, correct the name, or mark it as optional.",
  "not-ready":
    "An object wasn't ready before the timeout. Correct the reason that the message shows. If the object only needs more time, raise `--timeout`.",
  "out-of-memory":
    "A container was killed because it used more memory than its limit. Raise `resources.limits.memory`, or reduce its memory use.",
  "planned-checks":
    "Checks of the config run after all objects are ready, and before qvs deletes anything. No action is needed.",
  "pod-not-scheduled":
    "No node can run a Pod. Add capacity, or change the Pod's requests, tolerations or selectors.",
  "run-canceled": "The run was canceled before the deployment started. Run it again.",
  "run-superseded":
    "A newer run of the same deployment superseded this run. No action is necessary: the newer run continues from this state.",
  "volume-not-provisioned":
    "The cluster couldn't create a volume for a PersistentVolumeClaim. Correct its `storageClassName`, or install that class.",
} as const;

/** Errors of releases, approvals, the order of commits and freezes. */
export const releaseCodes = {
  "ambiguous-previous":
    "The previous release isn't the one that the author of the rollback meant: the current release is a rollback itself, or newer than the request. Look at the releases, and name the release by its number.",
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

/** Errors of preview environments. */
export const environmentCodes = {
  "environment-does-not-fit":
    "A finding with the severity error predicts that the environment can't run in the cluster. qvs creates nothing. Correct the finding, or delete environments that no one needs.",
  "environment-excessive-role":
    "A Role or RoleBinding of an environment would give its Pods permissions for the namespace itself, for roles, or those of a ClusterRole. Anyone who can open a pull request chooses these Pods. List only the needed permissions in a Role of the environment.",
  "environment-not-own":
    "The environment or its namespace belongs to someone else: another repository, another deployment list, or a user. qvs neither changes nor deletes it. Use another name or namespace in `preview`. If the namespace in `preview` changed, delete the old environment with `qvs environments delete`.",
  "environment-outside-namespace":
    "The config of an environment declares an object outside the namespace of the environment, or a cluster-scoped object. qvs creates nothing. Leave such objects out with a parameter.",
  "environment-state-unknown":
    "qvs can't determine whether an environment is still needed, because its record or the answer of GitHub doesn't show it. qvs neither deploys nor deletes the environment. Delete it with `qvs environments delete` if no one needs it.",
  "invalid-preview":
    "The `preview` of an entry in deployments.yaml has an invalid value. Correct the value at the named place.",
  "repository-unknown":
    "qvs doesn't know the repository to which an environment belongs. Add the remote `origin`, or name the repository with `--repository`.",
} as const;

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
