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
