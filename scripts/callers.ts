/**
 * Returns a workflow that people copy with the commit of a release instead of the former reference.
 * `repository` is the repository of the release, such as `acme/qvs-action`.
 */
export function pinned(workflow: string, repository: string, tag: string, commit: string): string {
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw new Error(`${repository} isn't a repository`);
  if (!/^v\d+\.\d+\.\d+$/.test(tag)) throw new Error(`${tag} isn't a release`);
  if (!/^[0-9a-f]{40}$/.test(commit)) throw new Error(`${commit} isn't a full commit`);
  return workflow
    .replace(unreleased, "# A tag can be moved: this names the commit of a release.")
    .replaceAll(called, (_, path: string) => `uses: ${repository}${path}@${commit} # ${tag}`);
}

/** Returns a workflow that people copy with another reference, such as `acme/qvs-action@v0`. */
export function calling(workflow: string, action: string): string {
  const [repository = "", ref = ""] = action.split("@");
  return workflow
    .replace(unreleased, "# A tag can be moved: use a full commit.")
    .replaceAll(references, (_, path: string) => `uses: ${repository}${path}@${ref}`);
}

const unreleased = /^# (?:No release exists yet|A tag can be moved): .*$/m;

/** A call of a reusable workflow, with the comment behind it. */
const called = /uses: [\w.-]+\/[\w.-]+(\/\.github\/workflows\/[\w.-]+)@\S+(?: #[^\n]*)?/g;

const references = /uses: [\w.-]+\/[\w.-]+(\/\.github\/workflows\/[\w.-]+)@\S+/g;
