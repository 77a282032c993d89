import { GitFixture } from "../support/git/git-fixture.ts";

/** The history of the repository of a story. Commits go by names there: their ids are other ones in each run. */
export interface Commits {
  /** `commit NAME`: all that is there now. */
  commit(name: string): string;
  /** `checkout NAME`: the files as they were in it. */
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
