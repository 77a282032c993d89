import type { UnplacedProblem } from "../../../model/problems/problem.ts";
import type { Environment } from "../../environment.ts";
import { runGit } from "../run-git.ts";
import type { ModuleAddress } from "./address.ts";
import { withDraft } from "./cache.ts";
import { explainFetchFailure } from "./explain-fetch-failure.ts";
import { listRefs } from "./resolve-revision.ts";

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
