import { explainFailure } from "./fetch-failure.ts";
import type { ModuleAddress, Refusal } from "./module-address.ts";
import { type GitAnswer, type GitCall, runGit } from "./run-git.ts";

export interface Wanted {
  /** A full or shortened commit id. */
  readonly commit: string;
  /** A tag or branch that is known to lead to it. */
  readonly ref: string | undefined;
}

/**
 * Fetches one commit into the empty repository of the call, alone where the server gives it, and answers its full id;
 * undefined when the repository has no such commit.
 */
export async function fetchCommit(
  repo: string,
  address: ModuleAddress,
  wanted: Wanted,
  call: GitCall,
): Promise<string | undefined | Refusal> {
  const found = await fetchAlone(address, wanted, call);
  if (found !== undefined) return found;
  // Old servers give only what a ref points to, and none can look up a shortened id.
  const everything = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
  const answer = await fetch(address, everything, [], call);
  if (answer.code !== 0) return explainFailure(repo, answer);
  return existing(wanted.commit, call);
}

async function fetchAlone(
  address: ModuleAddress,
  { commit, ref }: Wanted,
  call: GitCall,
): Promise<string | undefined> {
  const sources = [...(isFullId(commit) ? [commit] : []), ...(ref === undefined ? [] : [ref])];
  for (const source of sources) {
    await fetch(address, [`+${source}:refs/fetched`], ["--depth=1"], call);
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
