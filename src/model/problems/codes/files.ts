/** What is read: files of the repository, the QVS config, its params, flags. */
export const codesOfFiles = {
  "ambiguous-selection":
    "Several deployments, adapters, modules or resources match, and exactly one is needed. Name the one that you mean.",
  "commit-not-found":
    "The commit is not in this clone of the repository. Fetch it, or check out with `fetch-depth: 0`.",
  "config-not-found":
    "There is no QVS config, params file or list of deployments at that path. Check the path; the Action reads only what is committed.",
  "conflicting-flags":
    "The flags exclude each other, or one of them has no effect without another. Leave out the one that is not meant.",
  "duplicate-key":
    "A key is given twice, in a map or in a list whose items are told apart by that key. Keep one of them.",
  "duplicate-name":
    "A name is used twice where it must be unique: for a parameter, a module or a deployment. Rename or remove one of them.",
  "file-not-readable": "A file cannot be read. Check its permissions and links.",
  "git-failed":
    "A git command failed on this repository, or git is not installed. Check the repository with `git status`.",
  "input-too-large":
    "A file, a list, a value or a module is larger, or nested deeper, than is read. Keep only what the deployment needs in it.",
  "invalid-input":
    "A flag, an input of the Action or an environment variable has a value that is not allowed. Correct it as the message says.",
  "invalid-parameter":
    "A parameter has a value of the wrong type, or one that the adapter does not allow. Change the value, or what the adapter declares.",
  "invalid-parameter-reference":
    "A `$(params.NAME)` is not written as it must be, or its value cannot be put there. Write it alone as the whole value, or correct it as the message says.",
  "invalid-yaml":
    "A file is not valid YAML 1.2, or uses what is not supported in it. Correct the syntax at the place that is named.",
  "missing-key": "A required key is missing in a file. Add it.",
  "missing-parameter":
    "A required parameter has no value. Give it in the config, in a params file or with `--param`.",
  "more-problems":
    "There are more problems than are shown. Correct the shown ones first: the others often follow from them.",
  "not-a-git-repository":
    "There is no git repository here. Run inside of one; in a workflow, run actions/checkout before.",
  "not-utf-8": "A file is not text in UTF-8. Save it with that encoding.",
  "output-not-writable":
    "A file cannot be written, or something that may not be replaced is in its place. Choose another folder, or remove what is there; on a runner, look whether its disk is full.",
  "path-outside-repository":
    "A path or a link leads outside of the repository, or into its .git folder. Only files of the repository are read.",
  "secret-in-manifests":
    "`qvs init --from` found a Secret, whose values would be written into the repository. Leave Secrets out with `--without-secrets`, and let a secret store write them.",
  "unknown-deployment": "There is no deployment of that name. Choose one of those that are listed.",
  "unknown-key": "A file has a key that does not exist. Correct or remove it.",
  "unknown-parameter":
    "A parameter is given or used that nobody declares. Correct its name, declare it, or remove it.",
  "unknown-value": "A key has a value that is none of the allowed ones. Choose one of them.",
  "wrong-type": "A key of a file has a value of the wrong type. Write it as the message says.",
} as const;
