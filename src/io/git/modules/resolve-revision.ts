import { closest } from "../../../model/text/closest.ts";
import { findRef, namesOf, type RemoteRef, readRemoteRefs } from "../remote-refs.ts";
import { type GitCall, runGit } from "../run-git.ts";
import type { ModuleAddress, Refusal } from "./address.ts";
import { isFullId } from "./fetch-commit.ts";
import { explainFailure } from "./fetch-failure.ts";

interface Target {
  readonly commit: string;
  readonly ref: string | undefined;
}

/**
 * Returns the current commit of a revision. It contacts the repository, except for a full commit
 * id.
 */
export async function resolveRevision(
  repo: string,
  revision: string,
  address: ModuleAddress,
  call: GitCall,
): Promise<Target | Refusal> {
  if (isFullId(revision)) return { commit: revision, ref: undefined };
  const refs = await listRefs(repo, address, call);
  if ("what" in refs) return refs;
  const found = findRef(refs, revision);
  if (found !== undefined) return found;
  if (/^[0-9a-f]{7,39}$/.test(revision)) return { commit: revision, ref: undefined };
  return noSuchRevision(repo, revision, refs);
}

/** Returns all tags and branches of the repository. */
export async function listRefs(
  repo: string,
  address: ModuleAddress,
  call: GitCall,
): Promise<readonly RemoteRef[] | Refusal> {
  const answer = await runGit(["ls-remote", "--heads", "--tags", "--", address.url], call);
  if (answer.code !== 0) return explainFailure(repo, answer);
  return readRemoteRefs(answer.stdout.toString());
}

function noSuchRevision(repo: string, revision: string, refs: readonly RemoteRef[]): Refusal {
  const names = namesOf(refs);
  const meant = closest(revision, names);
  const hint = meant === undefined ? "" : `Did you mean "${meant}"? `;
  const newest = names.slice(-5).join(", ");
  return {
    code: "revision-not-found",
    what: `${repo} has no tag, branch or commit "${revision}"`,
    fix: `${hint}Give one that exists${newest === "" ? "" : `, for example ${newest}`}`,
  };
}

export function noSuchCommit(repo: string, revision: string): Refusal {
  return {
    code: "revision-not-found",
    what: `${repo} has no commit "${revision}"`,
    fix: "Give a tag, a branch, or the id of a commit that was pushed",
  };
}
