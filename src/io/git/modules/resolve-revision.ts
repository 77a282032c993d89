import type { UnplacedProblem } from "../../../model/problems/problem.ts";
import { closest } from "../../../model/text/suggest.ts";
import type { Environment } from "../../environment.ts";
import { type GitCall, runGit } from "../run-git.ts";
import type { ModuleAddress } from "./address.ts";
import { withDraft } from "./cache.ts";
import { explainFetchFailure } from "./explain-fetch-failure.ts";
import { isFullId } from "./fetch-commit.ts";

/** A name that a remote repository gives to a commit. */
export interface RemoteRef {
  /** The full name, `refs/tags/v1` or `refs/heads/main`. */
  readonly ref: string;
  readonly commit: string;
}

/**
 * Reads the output of `git ls-remote`. An annotated tag has a second line, `^{}`, with its commit.
 */
function readRemoteRefs(output: string): readonly RemoteRef[] {
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
  if (revision === head) return refs.find(({ ref }) => ref === head);
  const names = [`refs/tags/${revision}`, `refs/heads/${revision}`, revision];
  return names.map((name) => refs.find(({ ref }) => ref === name)).find((ref) => ref !== undefined);
}

/** Returns tags and branches as users write them. */
function shortRefNames(refs: readonly RemoteRef[]): readonly string[] {
  return refs.map(({ ref }) => ref.replace(/^refs\/(tags|heads)\//, ""));
}

/** Reports whether a revision can be a shortened commit id. */
export function isShortId(revision: string): boolean {
  return /^[0-9a-f]{7,39}$/.test(revision);
}

interface AskedRevision {
  readonly repo: string;
  readonly revision: string;
  /** True if a revision without a tag or branch can be a shortened commit id. */
  readonly allowsShortId: boolean;
}

interface ResolvedRevision {
  readonly commit: string;
  readonly ref: string | undefined;
}

/**
 * Returns the current commit of a revision. It contacts the repository, except for a full commit
 * id.
 */
export async function resolveRevision(
  { repo, revision, allowsShortId }: AskedRevision,
  address: ModuleAddress,
  call: GitCall,
): Promise<ResolvedRevision | UnplacedProblem> {
  if (isFullId(revision)) return { commit: revision, ref: undefined };
  const refs = await listRefs(repo, revision, address, call);
  if ("what" in refs) return refs;
  const found = findRef(refs, revision);
  if (found !== undefined) return found;
  if (allowsShortId && isShortId(revision)) return { commit: revision, ref: undefined };
  return noSuchRevision(repo, revision, refs);
}

/** The revision of the newest commit of the default branch. */
const head = "HEAD";

/** Returns all tags and branches of the repository, or only HEAD if that is the revision. */
export async function listRefs(
  repo: string,
  revision: string | undefined,
  address: ModuleAddress,
  call: GitCall,
): Promise<readonly RemoteRef[] | UnplacedProblem> {
  const command =
    revision === head
      ? ["ls-remote", "--", address.url, head]
      : ["ls-remote", "--heads", "--tags", "--", address.url];
  const answer = await runGit(command, call);
  if (answer.code !== 0) return explainFetchFailure(repo, answer);
  return readRemoteRefs(answer.stdout.toString());
}

function noSuchRevision(
  repo: string,
  revision: string,
  refs: readonly RemoteRef[],
): UnplacedProblem {
  const names = shortRefNames(refs);
  const meant = closest(revision, names);
  const hint = meant === undefined ? "" : `Did you mean "${meant}"? `;
  const newest = names.slice(-5).join(", ");
  return {
    code: "revision-not-found",
    what: `"${repo}" has no tag, branch or commit "${revision}"`,
    ...(newest === "" ? {} : { facts: [{ label: "examples", value: newest }] }),
    fix: `${hint}Use a revision that exists`,
  };
}

export function noSuchCommit(repo: string, revision: string): UnplacedProblem {
  return {
    code: "revision-not-found",
    what: `"${repo}" has no commit "${revision}"`,
    fix: "Use a tag, a branch, or the ID of a pushed commit",
  };
}

/** Returns the tags of a repository. It asks the repository, and stores nothing. */
export async function listTags(
  repo: string,
  address: ModuleAddress,
  { cache, environment }: { readonly cache: string; readonly environment: Environment },
): Promise<readonly string[] | UnplacedProblem> {
  return withDraft(cache, async (directory) => {
    const call = { directory, environment, bare: true };
    // Without a repository of its own, git would read the settings of one above the cache.
    const init = await runGit(["init", "--quiet", "--bare", "--template="], call);
    if (init.code !== 0) return explainFetchFailure(repo, init);
    const refs = await listRefs(repo, undefined, address, call);
    if ("what" in refs) return refs;
    const tags = refs.filter(({ ref }) => ref.startsWith("refs/tags/"));
    return tags.map(({ ref }) => ref.slice("refs/tags/".length));
  });
}
