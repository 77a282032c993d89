/** A name that a remote repository gives to a commit. */
export interface RemoteRef {
  /** The full name, `refs/tags/v1` or `refs/heads/main`. */
  readonly ref: string;
  readonly commit: string;
}

/**
 * Reads the output of `git ls-remote`. An annotated tag has a second line, `^{}`, with its commit.
 */
export function readRemoteRefs(output: string): readonly RemoteRef[] {
  const refs = new Map<string, string>();
  for (const line of output.split("\n")) {
    const [commit = "", name = ""] = line.split("\t");
    if (name.endsWith("^{}")) refs.set(name.slice(0, -3), commit);
    else if (name !== "" && !refs.has(name)) refs.set(name, commit);
  }
  return [...refs].map(([ref, commit]) => ({ ref, commit }));
}

/**
 * Returns the ref of a revision. A tag precedes a branch of the same name, because tags don't move.
 */
export function findRef(refs: readonly RemoteRef[], revision: string): RemoteRef | undefined {
  const names = [`refs/tags/${revision}`, `refs/heads/${revision}`, revision];
  return names.map((name) => refs.find(({ ref }) => ref === name)).find((ref) => ref !== undefined);
}

/** Returns tags and branches as users write them. */
export function shortRefNames(refs: readonly RemoteRef[]): readonly string[] {
  return refs.map(({ ref }) => ref.replace(/^refs\/(tags|heads)\//, ""));
}
