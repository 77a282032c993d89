/** Errors in the input: files of the repository, the config, its params, and flags. */
export const fileCodes = {
  "ambiguous-selection":
    "Several deployments, adapters, modules or resources match, but exactly one is needed. Name one.",
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
  "unknown-deployment":
    "No deployment has that name, or matches that pattern. Choose one of the listed ones.",
  "unknown-key": "A file has a key that doesn't exist. Correct or remove it.",
  "unknown-parameter":
    "A parameter is set or used, but not declared. Correct its name, declare it, or remove it.",
  "unknown-value": "A key has a value that isn't allowed. Choose one of the allowed values.",
  "wrong-type": "A key of a file has a value of the wrong type. Write it as the message shows.",
} as const;
