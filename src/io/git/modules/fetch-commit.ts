import type { UnplacedProblem } from "../../../model/problems/problem.ts";
import { type GitAnswer, type GitCall, runGit } from "../run-git.ts";
import type { ModuleAddress } from "./address.ts";
import { explainFetchFailure, isPermanent } from "./explain-fetch-failure.ts";

export interface CommitRequest {
  /** A full or shortened commit id. */
  readonly commit: string;
  /** A tag or branch that leads to the commit, as soon as one is known. */
  readonly ref: Promise<string | undefined>;
}

/**
 * Fetches one commit into the empty repository of the call, and returns its full id. Undefined if
 * the repository has no such commit.
 * It fetches only this commit if the server allows that.
 */
export async function fetchCommit(
  repo: string,
  address: ModuleAddress,
  request: CommitRequest,
  call: GitCall,
): Promise<string | undefined | UnplacedProblem> {
  const alone = await fetchSingleCommit(repo, address, request, call);
  if (alone !== undefined) return alone;
  // Old servers send only commits that a ref points to. No server can look up a shortened id.
  const everything = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
  const answer = await fetch(address, everything, [], call);
  if (answer.code !== 0) return explainFetchFailure(repo, answer);
  return existing(request.commit, call);
}

/** Fetches only this commit. Returns undefined if the server doesn't send it alone. */
async function fetchSingleCommit(
  repo: string,
  address: ModuleAddress,
  { commit, ref }: CommitRequest,
  call: GitCall,
): Promise<string | undefined | UnplacedProblem> {
  for (const source of [isFullId(commit) ? commit : undefined, ref]) {
    const name = await source;
    if (name === undefined) continue;
    const answer = await fetch(address, [`+${name}:refs/fetched`], ["--depth=1"], call);
    if (answer.code !== 0 && isPermanent(answer)) return explainFetchFailure(repo, answer);
    const found = await existing(commit, call);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fetch(
  address: ModuleAddress,
  refs: readonly string[],
  flags: readonly string[],
  call: GitCall,
): Promise<GitAnswer> {
  const always = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
  return runGit(["fetch", ...always, ...flags, "--", address.url, ...refs], call);
}

export function isFullId(revision: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(revision);
}

async function existing(commit: string, call: GitCall): Promise<string | undefined> {
  const answer = await runGit(["rev-parse", "--verify", "--quiet", `${commit}^{commit}`], call);
  return answer.code === 0 ? answer.stdout.toString().trim() : undefined;
}
