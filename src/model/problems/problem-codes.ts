/**
 * Every kind of problem with what it means and the usual cure, in plain Markdown. docs/reference/problems.md is made of it
 * (`npm run docs:generate`). A code is what people search for, so it never changes its meaning.
 */
export const problemCodes = {
  "admission-denied":
    "A policy, an admission webhook or a proxy in front of the API server denied the request. Satisfy what its message asks for, or ask the administrators of the cluster to change the policy.",
  "adopted-object":
    "The object exists already and was not created by this deployment, which manages it from now on. Give it another name if that is not meant.",
  "ambiguous-selection":
    "Several deployments, adapters, modules or resources match, and exactly one is needed. Name the one that you mean.",
  "api-deprecated":
    "The API server warns that a later version of the cluster will no longer have this API, field or value. Replace it before the cluster is upgraded.",
  "api-error":
    "The API server refused the request for a reason that is not known here, or answered with something unusable. Read its message; running again is safe.",
  "api-unavailable":
    "The API server could not carry out the request at the moment: it is overloaded, restarting or has an internal error. Run again later.",
  "api-version-migrated":
    "The owners of the object's fields are recorded in an older API version and are rewritten to the declared one. Have everybody who applies the object use that version.",
  "api-warning":
    "The API server, or an admission webhook or policy, warns of something in the manifest without refusing it. Correct it if it is not meant.",
  "branch-moved":
    "The branch of a module has newer commits than the lock. The locked commit is used; run `qvs lock` to take the newer one.",
  "branch-not-deployed":
    "The event is about a branch that is not deployed, or that was deleted. Limit the workflow to the default branch, or name the branch in the input `branch`.",
  "cluster-field-left-out":
    "The manifest has a field that only the cluster writes, such as `status` or `metadata.uid`, often because it was copied from `kubectl get -o yaml`. It is not sent; remove it from the adapter.",
  "cluster-unreachable":
    "No connection to the API server could be made. Check that the cluster runs, the server's address in the kubeconfig and the network in between.",
  "code-not-merged":
    "Deploying was asked for with code that is not merged, which may come from a fork. Deploy on `push`, `workflow_dispatch` or `schedule`, from the branch that the event is about.",
  "commit-not-found":
    "The commit is not in this clone of the repository. Fetch it, or check out with `fetch-depth: 0`.",
  "commit-order-unknown":
    "Whether the commit to deploy is older than the one that runs can't be told, or the two have no common line of history. Deploy from a clone with its whole history, and check that nothing of the other commit is missing.",
  "config-not-found":
    "There is no QVS config, params file or list of deployments at that path. Check the path; the Action reads only what is committed.",
  "confirmation-missing":
    "A whole deployment would be deleted, and there is no terminal to ask on. Look at the plan with `--dry-run`, then add `--yes` or `--expect-digest`.",
  "conflicting-flags": "The flags exclude each other. Leave out one of them.",
  "conflicting-values":
    "Two different values are given for one field, or a value breaks a rule of the adapter. Make them agree: change the parameter that one of them comes from, or the adapter.",
  "container-config-missing":
    "A ConfigMap, a Secret or a key that a container reads does not exist. Declare it, or correct the reference.",
  "container-crashed":
    "A container exits again and again. Read its exit code and log, correct the program or its configuration, and run again.",
  "controller-not-running":
    "The controller of this kind has not looked at the object. Check that it is installed and running in the cluster.",
  "controller-owned-field":
    "A controller of the cluster, such as an autoscaler, owns the field, so its live value stays. Name the field in the annotation `vs.axis-dev.io/ignore-changes`.",
  "credential-plugin-failed":
    "The credential plugin of the kubeconfig is missing or failed. Install it, or run it by hand to see why it fails.",
  "credentials-in-address":
    "An address holds a user name, password or token, which logs would show. Remove it and use the credentials of git or of the kubeconfig's user.",
  "cue-version-too-old":
    "The module uses what is known only since a newer version of CUE than it declares. Raise `language.version` in its cue.mod/module.cue.",
  "deletion-timeout":
    "An object was still there at the end of the waiting time after its deletion was requested. Check its finalizers and the controllers that remove them.",
  "dependency-cycle":
    "Deployments or objects wait for each other, so none could be first. Remove one of the dependencies.",
  "dependency-deleted":
    "An object depends on another one that is no longer declared and would be deleted. Declare that one again, or remove the dependency.",
  "dependency-failed":
    "A deployment was not attempted, because one that it depends on failed. Correct that one first.",
  "dependency-not-found":
    "An object needs another one that is neither in the cluster nor declared. Declare it, create it first, or correct the reference.",
  "deployments-frozen":
    "Somebody has frozen the deployments of the namespace by the ConfigMap `qvs-freeze`. Wait until it ends, or name it in `--override-freeze`.",
  "deprecated-syntax":
    "The adapter uses an old form of CUE, which is still understood. Newer versions of CUE need the new form.",
  "duplicate-key":
    "A key is given twice, in a map or in a list whose items are told apart by that key. Keep one of them.",
  "duplicate-name":
    "A name is used twice where it must be unique: for a parameter, a module or a deployment. Rename or remove one of them.",
  "duplicate-object":
    "Several resources declare the same object. Give them one resource id, so that they are unified, or different names.",
  "empty-config":
    "Nothing is declared any more, and everything that is live would be deleted. Look for what made the config empty, or allow it with `--allow-delete`.",
  "evaluation-cycle":
    "A value or a struct of the adapter is made from itself. Make it from something else, or make the field optional.",
  "evaluation-failed":
    "CUE could not compute a value. Correct the adapter, or the parameter that the value is made from.",
  "evaluation-limit":
    "The evaluation took too long, too much memory or too many levels and was stopped. Look in the adapter for a comprehension, a list or a definition that grows without end.",
  "field-conflict":
    "Another field manager owns a field that the manifest sets. Leave the field to it with `vs.axis-dev.io/ignore-changes`, remove the field from the manifest, or take it over with `--takeover`.",
  "file-not-readable": "A file cannot be read. Check its permissions and links.",
  "forced-field":
    "A field is taken from another field manager, as `--conflicts=force` or `--takeover` asks for. See that this manager does not write the field again.",
  "foreign-object":
    "An object of that name exists and belongs to another deployment, or to nobody known. Use another name, or take the object over with `--adopt`.",
  "gave-way":
    "A newer run of the same deployment asked for the lock, so this one stopped waiting and gave way to it. Nothing is to be done: the newer run goes on from what this one has left.",
  "git-failed":
    "A git command failed on this repository, or git is not installed. Check the repository with `git status`.",
  "github-api-error":
    "GitHub's API refused a request, or its answer could not be read. Check the permissions of the job; the summary of the run says the same as the comment.",
  "hidden-values":
    "Texts of an object are not shown, because releases say that they came from Secrets. If they never did, find out who has changed the releases.",
  "id-token-not-issued":
    "GitHub did not issue an ID token, which the input `server` needs to log in to the cluster. Give the job `permissions: id-token: write`.",
  "ignored-nothing":
    "A path in the annotation `vs.axis-dev.io/ignore-changes` matches nothing. Correct or remove the path.",
  "ignored-value":
    "A field is declared with another value than before, but the annotation `vs.axis-dev.io/ignore-changes` keeps what is live. Remove its path from the annotation to have the new value deployed.",
  "image-pull-failed":
    "The image of a container cannot be pulled. Check its name and tag, and that the cluster may pull it (`imagePullSecrets`).",
  "immutable-field":
    'The field of an existing object cannot be changed. Give the object another name, or the annotation `vs.axis-dev.io/replace: "true"` if it may be absent for a moment.',
  "incomplete-value":
    "A field has no concrete value. Give the parameter that it is made from, or set it in the adapter.",
  "inexact-ignored-path":
    "A path in the annotation `vs.axis-dev.io/ignore-changes` matches only a part of what the server replaces as a whole. Name the whole.",
  "input-too-large":
    "A file, a list, a value or a module is larger, or nested deeper, than is read. Keep only what the deployment needs in it.",
  "invalid-annotation":
    "An annotation of this program has a value that cannot be understood. Write it in the form that docs/reference describes.",
  "invalid-approved-plan":
    "The file that was given is not a plan of this version. Write it with `qvs diff --format json`.",
  "invalid-composite":
    "An entry of `composites` in the adapter does not have the right form. Write `{pattern: PACKAGE.DesignPattern, params: {…}}`.",
  "invalid-credentials":
    "The cluster does not accept the credentials, or they could not be renewed. Log in again, or renew the credentials of the kubeconfig context.",
  "invalid-cue":
    "A CUE file cannot be loaded: its syntax or its imports are wrong. Correct it at the place that is named.",
  "invalid-input":
    "A flag, an input of the Action or an environment variable has a value that is not allowed. Correct it as the message says.",
  "invalid-kubeconfig":
    "The kubeconfig cannot be read, or a part of it is missing or wrong. `kubectl config view --raw --flatten` prints a whole one.",
  "invalid-lock-file":
    "A `qvs.lock` cannot be read. Run `qvs lock`, which writes it again, and commit it.",
  "invalid-module-file":
    "The cue.mod/module.cue of a module cannot be read. Correct it at the place that is named.",
  "invalid-module-source":
    "The config does not say clearly where a module comes from. Give a revision, a remote repository or a local path, without parameters in it.",
  "invalid-name":
    "A name is not allowed for an object or a deployment. Use lower-case letters, digits and hyphens; a `generateName` is not supported.",
  "invalid-object":
    "A resource is not a valid Kubernetes object, or the API server finds a value in it invalid. Correct the adapter, or the parameter that the value is made from.",
  "invalid-parameter":
    "A parameter has a value of the wrong type, or one that the adapter does not allow. Change the value, or what the adapter declares.",
  "invalid-parameter-reference":
    "A `$(params.NAME)` is not written as it must be, or its value cannot be put there. Write it alone as the whole value, or correct it as the message says.",
  "invalid-yaml":
    "A file is not valid YAML 1.2, or uses what is not supported in it. Correct the syntax at the place that is named.",
  "irreversible-rollback":
    "Something of the release can't be brought back by its manifests, as the findings of `--dry-run` say. What is lost, such as the data of a claim, must be allowed with `--allow-irreversible`; a version of an API that the cluster no longer serves can't be.",
  "kept-field":
    "A field is no longer declared but stays in the cluster, because another field manager owns it too. Remove it there, or have that manager give it up.",
  "kept-object":
    "An object is no longer declared but stays in the cluster, because it is not certain that this deployment created it. Delete it yourself if nobody needs it.",
  "kubeconfig-not-found":
    "There is no kubeconfig. Give its path or its content, or set `KUBECONFIG`.",
  "lock-file-outdated":
    "`qvs.lock` does not match the modules of the QVS config. Run `qvs lock` and commit the file.",
  "lock-held":
    "Another run is deploying this deployment. Try again when it has ended; the lock of a run that died is released after a short time.",
  "lock-lost":
    "The lock of the deployment was lost during the run, so another run may be deploying it. Run again when that one has ended.",
  "lock-not-available":
    "The lock (a Lease) could not be taken although nobody seems to hold it. Check what changes or guards the Lease, and how fast the API server answers.",
  "missing-key": "A required key is missing in a file. Add it.",
  "missing-parameter":
    "A required parameter has no value. Give it in the config, in a params file or with `--param`.",
  "missing-permission":
    "The identity of this run is not allowed to do what is needed. Allow it in a Role or ClusterRole that is bound to the identity.",
  "module-access-denied":
    "The repository of a module refused access to git. Give it credentials for the repository: a token, a credential helper or an ssh key.",
  "module-cache-unusable":
    "The cache of modules cannot be written, or a copy in it was damaged. Name a folder with enough room in `QVS_CACHE`, or run again.",
  "module-content-changed":
    "A module does not have the content that was locked. Look at the history of `qvs.lock`; `qvs lock` writes what the revision is now.",
  "module-file-missing":
    "There is no cue.mod/module.cue where a module is expected. Correct the path of the module, or create the file.",
  "module-not-declared":
    "An adapter or an import belongs to no module of the QVS config. List its module under `modules`.",
  "module-not-fetched":
    "A module could not be fetched from its git host. Check the address, the network and the certificate of the host.",
  "module-not-locked":
    "Modules from git are not locked, so a tag or branch that moves changes what is deployed. Run `qvs lock` and commit the file.",
  "module-repository-not-found":
    "There is no git repository at the address of a module, or no access to it. Check the address; a private repository needs credentials.",
  "more-problems":
    "There are more problems than are shown. Correct the shown ones first: the others often follow from them.",
  "name-collision":
    "An object belongs to a deployment of the same name whose releases are in another namespace. Rename one of the two deployments or the object, or take it over with `--adopt`.",
  "namespace-not-found": "The namespace does not exist. Create it, or declare it in appSetup.",
  "no-resources":
    "An adapter declares no resources, so nothing is deployed for it. Nothing has to be done for CI/CD adapters, which are run by their own pipeline.",
  "not-a-git-repository":
    "There is no git repository here. Run inside of one; in a workflow, run actions/checkout before.",
  "not-an-adapter":
    "The package has no field `DesignPattern` that is a struct, so it is not an adapter. Correct the import path or the package.",
  "not-ready":
    "An object did not become ready in time. Correct what the shown evidence says; if it only needs longer, raise `--timeout`.",
  "not-utf-8": "A file is not text in UTF-8. Save it with that encoding.",
  "nothing-to-change":
    "The rollback would change nothing: what it names runs already. Choose the release that the message names.",
  "object-being-deleted":
    "An object, or its namespace, is being deleted. Wait until it is deleted, then run again; its finalizers may hold it.",
  "object-changed":
    "An object was changed, deleted or replaced by somebody else after the plan was made. Run again: the new plan starts from what is in the cluster.",
  "object-not-found":
    "The cluster has no object of that name in that namespace. Check the name, and choose the namespace with `--namespace`.",
  "older-commit":
    "The commit to deploy is an ancestor of the one that runs. A late run is skipped; to go back on purpose, roll back, or deploy it all the same with `--allow-older`.",
  "orphaned-deployment":
    "A deployment was removed or moved, and nothing deletes what it deployed before. Delete it yourself, as the message describes.",
  "other-source":
    "A deployment of that name was last deployed from another repository or config. Give one of them another name, or take it over with `--adopt`.",
  "out-of-memory":
    "A container was killed because it used more memory than its limit. Raise `resources.limits.memory`, or find out why it uses so much.",
  "output-not-writable":
    "A file cannot be written, or something that may not be replaced is in its place. Choose another folder, or remove what is there.",
  "outside-namespace":
    "A release would change objects outside of its namespace that it may not change. Deploy the config instead of the release.",
  "ownership-restored":
    "Somebody has cleared `metadata.managedFields`, so that the object no longer told what belongs to the deployment. It is recorded again, as the last release has sent it. Find out who has cleared it.",
  "ownership-transfer":
    "The fields of an object are taken over from another tool. Declare what is to stay, and stop applying the object with that tool.",
  "path-outside-repository":
    "A path or a link leads outside of the repository, or into its .git folder. Only files of the repository are read.",
  "plan-approved": "The plan does what somebody has approved. Nothing has to be done.",
  "plan-approved-in-part":
    "Less is done than was approved, or, besides it, what others have changed becomes again what the running release declares. Nothing has to be done if that is expected.",
  "plan-changed":
    "The plan is not the approved one: the cluster or the configuration has changed since. Look at the new plan and approve that one.",
  "plan-file-refused":
    "A plan.json that a job has left for the comment can't be used: it is not of this form, of another commit, too large, or not what the run says it is. Let the same version of the action write and read it, and plan again.",
  "plan-missing":
    "A job has left no plan of a deployment, since it failed, was cancelled or did not upload it. Look at the log of the job, and run it again.",
  "plan-not-approved":
    "Nobody has approved what the plan does: no pull request brought the commit, or its comment does not count. Look at the plan, and approve it by its digest or in a pull request.",
  "pod-not-scheduled":
    "No node can take a Pod. Add capacity, or change what the Pod requests, tolerates or selects.",
  "protected-deletion":
    "An object that is no longer declared would be deleted with everything that it holds. Allow it with `--allow-delete`, declare it again, or keep it with `vs.axis-dev.io/keepOnDelete`.",
  "pulumi-options-ignored":
    "A resource has options of Pulumi that have no effect, because it is applied without Pulumi. Use the annotations of this program instead.",
  "quota-exceeded":
    "A quota of the namespace does not allow the object or its Pods. Raise the quota, request less, or delete objects that are no longer needed.",
  "reference-not-found":
    "A name, an import or a reference leads to nothing. Declare it, or correct the name.",
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
  "revision-not-found":
    "The repository of a module has no such tag, branch or commit. Name one that exists, then run `qvs lock`.",
  "run-cancelled": "The run was cancelled before the deployment began. Run it again.",
  "secret-in-manifests":
    "`qvs init --from` found a Secret, whose values would be written into the repository. Leave Secrets out with `--without-secrets`, and let a secret store write them.",
  "stage-half-deployed":
    "An earlier release may have left the other stage half deployed, so one stage alone cannot be recorded. Deploy both stages, without `--only-stage`.",
  "tag-moved":
    "The tag of a module is at another commit than the locked one. Ask who moved it and why, before you run `qvs lock`.",
  "too-many-jobs":
    "The changed deployments need more jobs, or more levels of them, than a workflow can have. Choose fewer of them, or shorten the chain of `dependsOn`.",
  "trace-left-out":
    "Where fields come from would take too long to find out for this adapter, so previews leave it out. The manifests and the plan are the same without it.",
  "unfinished-release":
    "The newest release failed, gave way to a newer run, or has not said how it ended. What it did not get done is part of the next plan. Find out why it did not succeed before you deploy again.",
  "unknown-context":
    "The kubeconfig does not have the context, or no current one. Name one of those that it has.",
  "unknown-deployment": "There is no deployment of that name. Choose one of those that are listed.",
  "unknown-field":
    "A field, a stage or a key has a name that nobody reads, or that is not allowed there. Correct or remove it.",
  "unknown-key": "A file has a key that does not exist. Correct or remove it.",
  "unknown-kind":
    "The cluster does not serve the kind in that API version. Install its CustomResourceDefinition, or correct `apiVersion` and `kind`.",
  "unknown-module":
    "There is no CUE module of that name, or none here at all. Name one that exists, or go to a folder with cue.mod/module.cue.",
  "unknown-parameter":
    "A parameter is given or used that nobody declares. Correct its name, declare it, or remove it.",
  "unknown-pattern":
    "There is no adapter at that import path. Write the path of its module and the folder in it, without a version.",
  "unknown-resource":
    "There is no resource or field of that name in the deployment. Choose one that the message names.",
  "unknown-value": "A key has a value that is none of the allowed ones. Choose one of them.",
  "unresolved-reference":
    "A reference has no value at the time when it is needed: it is known only after deploying, or belongs to another object, stage or provider. Give the value by a parameter.",
  "unsupported-event":
    "The Action has nothing to do on this event, or its payload is unusable. Run it on `pull_request`, `push`, `schedule` or `workflow_dispatch`.",
  "unsupported-provider":
    "A resource has a provider that is not deployed. Correct the provider, or deploy the resource with its own tool.",
  "volume-not-provisioned":
    "No volume could be created for a claim. Correct its `storageClassName`, or have the cluster provide that class.",
  "webhook-unavailable":
    "An admission webhook of the cluster did not answer. Check that the service behind it runs, then run again.",
  "went-back":
    "The deployment has failed, and `--on-failure=rollback` has applied the last release that succeeded again, of what was changed since. Correct what has failed and deploy again.",
  "wrong-stage-order":
    "An object of appSetup depends on one of app, which comes later. Move one of the two resources to the other stage.",
  "wrong-type": "A key of a file has a value of the wrong type. Write it as the message says.",
} as const;

/** What kind of problem it is. */
export type ProblemCode = keyof typeof problemCodes;
