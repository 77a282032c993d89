/** Where adapters come from: CUE modules, their git repositories and qvs.lock. */
export const codesOfModules = {
  "branch-moved":
    "The branch of a module has newer commits than the lock. The locked commit is used; run `qvs lock` to take the newer one.",
  "credentials-in-address":
    "An address holds a user name, password or token, which logs would show. Remove it and use the credentials of git or of the kubeconfig's user.",
  "invalid-lock-file":
    "A `qvs.lock` cannot be read. Run `qvs lock`, which writes it again, and commit it.",
  "invalid-module-file":
    "The cue.mod/module.cue of a module cannot be read. Correct it at the place that is named.",
  "invalid-module-source":
    "The config does not say clearly where a module comes from. Give a revision, a remote repository or a local path, without parameters in it.",
  "lock-file-outdated":
    "`qvs.lock` does not match the modules of the QVS config. Run `qvs lock` and commit the file.",
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
  "revision-not-found":
    "The repository of a module has no such tag, branch or commit. Name one that exists, then run `qvs lock`.",
  "tag-moved":
    "The tag of a module is at another commit than the locked one. Ask who moved it and why, before you run `qvs lock`.",
  "unknown-module":
    "There is no CUE module of that name, or none here at all. Name one that exists, or go to a folder with cue.mod/module.cue.",
} as const;
