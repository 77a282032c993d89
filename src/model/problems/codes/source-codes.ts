/** Errors of adapters and their evaluation. */
export const adapterCodes = {
  "chart-properties-ignored":
    "A resource with the provider `kubernetes-helm` has properties without effect, because qvs deploys its chart without Helm and Pulumi. They change no object.",
  "charts-unknown":
    "`qvs lock` compiles deployments to find the charts of their adapters. One of them doesn't compile, or it uses parameters that only the command line sets. The existing entries of charts stay if the deployment can need them. Correct the error that the message names, or set the parameters in a file, and run `qvs lock` again. Remove entries that no deployment needs from the lockfile.",
  "cluster-field-omitted":
    "The manifest has a field that only the cluster writes, such as `status` or `metadata.uid`, often because it was copied from `kubectl get -o yaml`. qvs doesn't send it. Remove it from the adapter.",
  "conflicting-health-rules":
    "Two adapters, or two entries of a config, have different health rules for one kind. Remove one of them, or set the rule in the config, which wins over adapters.",
  "conflicting-values":
    "One field gets two different values, or a value breaks a rule of the adapter. Change the parameter that provides one of the values, or change the adapter.",
  "cue-version-too-old":
    "The module uses a feature of a newer CUE version than it declares. Raise `language.version` in its cue.mod/module.cue.",
  "dependency-cycle":
    "Deployments or objects wait for each other, so none can be first. Remove one of the dependencies.",
  "deprecated-syntax":
    "The adapter uses an old form of CUE that qvs still accepts. Newer versions of CUE need the new form.",
  "duplicate-object":
    "Several resources declare the same object. Give them one resource ID, so that CUE unifies them, or different names.",
  "embedded-file-unreadable":
    "An `@embed` names a file that doesn't exist, is too large, or is outside its module. Correct the name, which starts at the directory of the CUE file, or commit the file.",
  "empty-config":
    "The config declares nothing, so everything would be deleted. Find out why the config is empty, or allow the deletion with `--allow-delete`.",
  "evaluation-cycle":
    "A value or a struct of the adapter depends on itself. Break the cycle, or make the field optional.",
  "evaluation-failed":
    "CUE couldn't compute a value. Correct the adapter, or the parameter that the value depends on.",
  "evaluation-limit":
    "The evaluation took too long, used too much memory or nested too deeply, and qvs stopped it. Look in the adapter for a comprehension, list or definition that grows without end.",
  "file-not-in-package":
    "A CUE file is in the directory of an adapter, but has another package clause, or none. CUE doesn't read it as a part of the adapter, so its resources are missing. Correct the package clause, or move the file.",
  "incomplete-value":
    "A field has no concrete value. Set the parameter that it depends on, or set it in the adapter.",
  "invalid-annotation":
    "An annotation of qvs has an invalid value. Write it in the form that the reference describes.",
  "invalid-composite":
    "An entry of `composites` in the adapter has an invalid form. Write `{pattern: PACKAGE.DesignPattern, params: {…}}`.",
  "invalid-cue":
    "CUE can't load a file, because its syntax or its imports are wrong. Correct the named place.",
  "invalid-health-rule":
    "A health rule has an invalid expression, or lacks a field. Correct the expression at the named place.",
  "invalid-name":
    "A name is not valid for an object or a deployment. Use lowercase letters, digits and hyphens. qvs doesn't support `generateName`.",
  "invalid-object":
    "A resource is not a valid Kubernetes object, or the API server rejects a value in it. Correct the adapter, or the parameter that the value depends on.",
  "no-resources":
    "An adapter declares no resources, so qvs deploys nothing for it. For CI/CD adapters, which run in their own pipeline, this is normal.",
  "not-an-adapter":
    "The package has no field `DesignPattern` that is a struct, so it isn't an adapter. Correct the import path or the package.",
  "null-omitted":
    "The manifest has null in a field where the API server stores none: in a built-in kind, or in a custom resource whose CustomResourceDefinition doesn't declare the field `nullable`. qvs doesn't send it. Remove the field from the adapter, or set a value.",
  "pulumi-function":
    "A manifest calls a Pulumi function (`fn::…`), which only Pulumi can compute. qvs shows the manifest, and `deploy` stops before it changes anything. Write the value itself, or pass it as a parameter.",
  "pulumi-options-ignored":
    "A resource has Pulumi options without effect, because qvs applies it without Pulumi. Use the annotations of qvs instead.",
  "reference-not-found":
    "A name, an import or a reference doesn't exist. Declare it, or correct the name.",
  "trace-omitted":
    "Finding the source of each field would take too long for this adapter, so previews omit it. The manifests and the plan are complete.",
  "unknown-field":
    "A field, a stage or a key has a name that isn't used or isn't allowed in this place. Correct or remove it.",
  "unknown-pattern":
    "That import path has no adapter. Write the path of its module and the directory in it, without a version.",
  "unknown-resource":
    "The deployment has no resource or field of that name. Choose one from the message.",
  "unresolved-reference":
    "A reference has no value when it is needed. The value exists only after the deployment, or it belongs to another object, stage or provider. Pass the value as a parameter.",
  "unsupported-chart-property":
    "A resource with the provider `kubernetes-helm` has a property that qvs doesn't support, or a reference whose value isn't known before the chart is rendered. qvs shows the resource, and blocks the deployment. Correct the property in the adapter.",
  "unsupported-provider":
    "qvs doesn't deploy resources of this provider. Correct the provider, or deploy the resource with its own tool.",
  "wrong-stage-order":
    "An object of appSetup depends on an object of app, which qvs deploys later. Move one of the two resources to the other stage.",
} as const;

/** Errors of charts in registries and Helm repositories. */
export const chartCodes = {
  "capabilities-assumed":
    "A chart asks for the version or the APIs of the cluster, and qvs had no cluster to ask. A deployment renders the chart with the answers of its cluster, so it can have other objects. Preview with access to the cluster, or set `kubeVersion` and `apiVersions` in the entry of the chart.",
  "capabilities-contradict":
    "A chart defines an API only if the cluster doesn't serve it. With each answer, the deployment defines other APIs, so that no answer stays right. Set the value of the chart that always creates the definition, or set `apiVersions` in the entry of the chart.",
  "chart-access-denied":
    "A registry or Helm repository denied access to a chart. Check its address, and log in with `docker login`.",
  "chart-content-changed":
    "A version of a chart no longer has the locked content. Find out who replaced it and why before you run `qvs lock`.",
  "chart-not-fetched":
    "qvs couldn't fetch a chart. Check the address, the network and the certificate of the host.",
  "chart-not-found":
    "A registry or Helm repository has no such chart, or not in that version. Name an existing one, then run `qvs lock`.",
  "chart-range-not-checked":
    "Chart.lock decides about the version of a dependency, and qvs doesn't check that it is in the range of Chart.yaml. Run `helm dependency build`, which checks that the two files agree.",
  "invalid-chart-source":
    "The config doesn't define where a chart is. Write a path of the repository, `oci://HOST/PATH/NAME`, or a name with `repo`. The last two need an exact version.",
} as const;

/** Errors of CUE modules and remote bases: their Git repositories and qvs.lock. */
export const moduleCodes = {
  "base-content-changed":
    "A remote base of a kustomization doesn't have the locked content. Look at the history of `qvs.lock`. `qvs lock` records the present content of the revision.",
  "branch-moved":
    "The branch of a module or a remote base has newer commits than the lockfile. qvs uses the locked commit. Run `qvs lock` to use the newer one.",
  "credentials-in-address":
    "An address contains a user name, password or token, which logs would show. Remove it, and use the credentials of Git or of the kubeconfig's user.",
  "invalid-lock-file":
    "qvs can't read `qvs.lock`. Run `qvs lock`, which writes it again, and commit it.",
  "invalid-module-file":
    "qvs can't read the cue.mod/module.cue of a module. Correct it at the named place.",
  "invalid-module-source":
    "The config doesn't define the source of a module. Set a revision, a remote repository or a local path, without parameters in it.",
  "lock-file-outdated":
    "`qvs.lock` does not match the modules, charts and remote bases of the QVS config. Run `qvs lock` and commit the file.",
  "module-access-denied":
    "The repository of a module or a remote base denied access. Provide credentials for it: a token, a credential helper or an SSH key.",
  "module-cache-unusable":
    "qvs can't write the cache of modules, charts and remote bases, or a copy in it was damaged. Name a directory with enough space in `QVS_CACHE`, or run again.",
  "module-content-changed":
    "A module doesn't have the locked content. Look at the history of `qvs.lock`. `qvs lock` records the present content of the revision.",
  "module-file-missing":
    "A module directory has no cue.mod/module.cue. Correct the path of the module, or create the file.",
  "module-not-declared":
    "An adapter or an import belongs to no module of the QVS config. List its module under `modules`.",
  "module-not-fetched":
    "qvs couldn't fetch a module or a remote base from its Git host. Check the address, the network and the certificate of the host.",
  "module-not-locked":
    "Git modules aren't locked, so a moved tag or branch changes the deployment. Run `qvs lock` and commit the file.",
  "module-repository-not-found":
    "The address of a module or a remote base has no Git repository, or denies access. Check the address. A private repository needs credentials.",
  "revision-not-found":
    "The repository of a module or a remote base has no such tag, branch or commit. Name an existing one, then run `qvs lock`.",
  "tag-moved":
    "The tag of a module or a remote base points to another commit than the locked one. Find out who moved it and why before you run `qvs lock`.",
  "unknown-module":
    "No CUE module has that name, or this directory has none. Name an existing one, or change to a directory with cue.mod/module.cue.",
  "version-replaced":
    "A pull request locks a version of a chart, a module or a remote base with other content than before. A registry replaced the version, someone moved the tag, or someone changed the lockfile manually. Find out who replaced it and why before you merge.",
} as const;

/** Errors in the input: files of the repository, the config, its params, and flags. */
export const fileCodes = {
  "ambiguous-selection":
    "Several deployments, adapters, modules or resources match, but exactly one is needed. Name one.",
  "base-not-compiled":
    "The base commit of a preview doesn't compile, so qvs can't compare its manifests with those of the new commit. Every change in the preview is a difference from the cluster, or a new object without access to the cluster. Nothing to do, if the new commit fixes the error.",
  "commit-not-found":
    "The commit is not in this clone of the repository. Fetch it, or check out with `fetch-depth: 0`.",
  "config-not-found":
    "That path has no QVS config, params file or list of deployments. Check the path. The Action reads only committed files.",
  "conflicting-flags":
    "The flags exclude each other, or one of them has no effect without another. Remove one.",
  "duplicate-key":
    "A key occurs twice, in an object or in a list whose items are identified by that key. Keep one of them.",
  "duplicate-name":
    "A name that must be unique is used twice: for a parameter, a module or a deployment. Rename or remove one of them.",
  "empty-input":
    "The files of an entry of `designPatterns` contain no objects, or its chart or kustomization renders none. A deployment deletes the objects that the entry had. Restore the objects, or remove the entry.",
  "file-not-readable":
    "qvs can't read a file: its permissions don't allow it, a link leads nowhere, or a commit doesn't contain it. See [Links, submodules and Git LFS](qvs-yaml.md#links-submodules-and-git-lfs).",
  "git-failed":
    "A git command failed on this repository, or git is not installed. Check the repository with `git status`.",
  "hook-left-out":
    "A hook of a chart runs at other times than with Helm, or never. The rest of the chart isn't affected. See [Hooks](qvs-yaml.md#hooks).",
  "input-too-large":
    "A file, list, value or module is larger or nested deeper than qvs reads. Keep only what the deployment needs.",
  "invalid-check": "A check of the config has an invalid part. Correct it as the message shows.",
  "invalid-input":
    "A flag, an input of the Action or an environment variable has an invalid value. Correct it as the message shows.",
  "invalid-parameter":
    "A parameter has a value of the wrong type, or a value that the adapter doesn't allow. Change the value, or the declaration in the adapter.",
  "invalid-parameter-reference":
    "A `$(params.NAME)` is malformed, or its value can't be inserted in that place. Write it as the whole value, or correct it as the message shows.",
  "invalid-yaml":
    "A file isn't valid YAML 1.2, or uses a feature that qvs doesn't support. Correct the syntax at the named place.",
  "lookup-empty":
    "A chart looks up an object of the cluster with `lookup`. qvs renders without the cluster, so the chart finds none. Set the value that it would look up.",
  "missing-key": "A file lacks a required key. Add it.",
  "missing-parameter":
    "A required parameter has no value. Set it in the config, in a params file or with `--param`.",
  "more-problems":
    "There are more errors than qvs shows. Correct the shown ones first. The others often follow from them.",
  "not-a-git-repository":
    "This directory isn't in a Git repository. Run qvs in one. In a workflow, run actions/checkout first.",
  "not-utf-8": "A file isn't UTF-8 text. Save it with that encoding.",
  "output-not-writable":
    "qvs can't write a file, or its place is taken by something that qvs doesn't replace. Choose another directory, or remove the obstacle. On a runner, check whether the disk is full.",
  "path-outside-repository":
    "A path or a link leads outside the repository, or into its .git directory. qvs reads only files of the repository.",
  "render-failed":
    "Helm or Kustomize can't render an entry of the config. Correct the named file as its message shows.",
  "render-warning":
    "Helm or Kustomize warns about a file that it rendered. The result is complete.",
  "repeated-key":
    "A chart renders a key twice in one object. Helm and qvs use the last value. Correct the template, or report it to the maintainers of the chart.",
  "secret-in-manifests":
    "`qvs init --from` found a Secret, whose values would be written into the repository. Omit Secrets with `--without-secrets`, and let a secret store create them.",
  "tracked-by-lfs":
    "Git LFS tracks a file that qvs reads. The command reads the content in the working tree. A commit has only a pointer, so the Action reports an error. See [Links, submodules and Git LFS](qvs-yaml.md#links-submodules-and-git-lfs).",
  "unknown-deployment":
    "No deployment has that name, or matches that pattern. Choose one of the listed ones.",
  "unknown-key": "A file has a key that doesn't exist. Correct or remove it.",
  "unknown-parameter":
    "A parameter is set or used, but not declared. Correct its name, declare it, or remove it.",
  "unknown-value": "A key has a value that isn't allowed. Choose one of the allowed values.",
  "wrong-type": "A key of a file has a value of the wrong type. Write it as the message shows.",
} as const;
