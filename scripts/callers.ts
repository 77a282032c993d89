/**
 * Returns a workflow that users copy, with its calls of the reusable workflows pinned to the commit
 * of a release.
 */
export function pinned(workflow: string, tag: string, commit: string): string {
  if (!/^v\d+\.\d+\.\d+$/.test(tag)) throw new Error(`${tag} isn't a release`);
  if (!/^[0-9a-f]{40}$/.test(commit)) throw new Error(`${commit} isn't a full commit`);
  return workflow
    .replace(
      /^# No release exists yet: .*/m,
      "# A tag can be moved: this names the commit of a release.",
    )
    .replaceAll(ours, (_, path: string) => `${path}@${commit} # ${tag}`);
}

const ours = /(qvs-action\/qvs-action\/[\w./-]+)@\S+(?: #[^\n]*)?/g;
