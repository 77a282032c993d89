import { GitFixture } from "../support/git/git-fixture.ts";

/**
 * The history of a story's repository. Stories use names for commits, because the ids differ in
 * each run.
 */
export interface Commits {
  /** `commit NAME` commits all current files. */
  commit(name: string): string;
  /** `checkout NAME` restores the files of a commit. */
  checkout(name: string): string;
  named(text: string): string;
}

export function createCommits(directory: string): Commits {
  const ids = new Map<string, string>();
  let git: GitFixture | undefined;
  return {
    commit(name) {
      git ??= new GitFixture(directory);
      ids.set(name, git.commit());
      return "";
    },
    checkout(name) {
      git?.git("checkout", "--quiet", "--detach", ids.get(name) ?? name);
      return "";
    },
    named: (text) =>
      [...ids].reduce(
        (named, [name, id]) => named.replaceAll(id, name).replaceAll(id.slice(0, 12), name),
        text,
      ),
  };
}
