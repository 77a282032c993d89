import { closest } from "../../model/closest.ts";
import { failed, ok, type Result } from "../../model/problem.ts";
import type { FileSource, ModuleStore } from "../../ports.ts";
import { fetchCommit, isFullId, type Wanted } from "./fetch-commit.ts";
import { explainFailure } from "./fetch-failure.ts";
import { isLocal, type LocalAccess, readLocal } from "./local-repository.ts";
import { type ModuleAddress, type Refusal, readAddress } from "./module-address.ts";
import { cachedCommit, isCached, keep, withDraft } from "./module-cache.ts";
import { redact } from "./redact.ts";
import { findRef, namesOf, type RemoteRef, readRemoteRefs } from "./remote-refs.ts";
import { repositoryAt } from "./repository.ts";
import { type Environment, type GitCall, runGit } from "./run-git.ts";

export interface ModuleStoreOptions extends LocalAccess {
  /** A directory of our own that outlives the run. */
  readonly cache: string;
  readonly environment: Environment;
}

interface FetchedModule {
  readonly commit: string;
  readonly files: FileSource;
}

/** Adapter modules from git. A full commit id that was fetched once needs no network again. */
export function openModuleStore(options: ModuleStoreOptions): ModuleStore {
  const running = new Map<string, Promise<Result<FetchedModule>>>();
  return {
    fetch(repo, revision) {
      const key = `${repo} ${revision}`;
      const shared = running.get(key);
      if (shared !== undefined) return shared;
      const started = fetchModule(repo, revision, options).finally(() => running.delete(key));
      running.set(key, started);
      return started;
    },
  };
}

async function fetchModule(
  repo: string,
  revision: string,
  options: ModuleStoreOptions,
): Promise<Result<FetchedModule>> {
  const address = isLocal(repo) ? await readLocal(repo, options) : readAddress(repo);
  if (!("url" in address)) return refuse(address);
  if (isFullId(revision)) {
    const cached = await readCached(address, revision, options);
    if (cached !== undefined) return cached;
  }
  return withDraft(options.cache, async (draft) => {
    const call = { directory: draft, environment: options.environment, bare: true };
    const commit = await fetchInto(call, redact(repo), revision, address, options);
    if (typeof commit !== "string") return refuse(commit);
    const cached = await readCached(address, commit, options);
    if (cached !== undefined) return cached;
    await keep(draft, cachedCommit(options.cache, address.key, commit));
    return (await readCached(address, commit, options)) ?? refuse(noSuchCommit(repo, revision));
  });
}

/** The commit that the revision is, either cached already or now in the draft. */
async function fetchInto(
  call: GitCall,
  repo: string,
  revision: string,
  address: ModuleAddress,
  { cache }: ModuleStoreOptions,
): Promise<string | Refusal> {
  // An empty template, so that no hook of the user's templates comes along.
  const init = await runGit(["init", "--quiet", "--bare", "--template="], call);
  if (init.code !== 0) return explainFailure(repo, init);
  const wanted = await resolve(repo, revision, address, call);
  if (!("commit" in wanted)) return wanted;
  const { commit } = wanted;
  if (await isCached(cachedCommit(cache, address.key, commit))) return commit;
  const fetched = await fetchCommit(repo, address, wanted, call);
  return fetched ?? noSuchCommit(repo, revision);
}

/** Which commit a revision is. Only a full commit id can be known without asking. */
async function resolve(
  repo: string,
  revision: string,
  address: ModuleAddress,
  call: GitCall,
): Promise<Wanted | Refusal> {
  if (isFullId(revision)) return { commit: revision, ref: undefined };
  const answer = await runGit(["ls-remote", "--heads", "--tags", "--", address.url], call);
  if (answer.code !== 0) return explainFailure(repo, answer);
  const refs = readRemoteRefs(answer.stdout.toString());
  const found = findRef(refs, revision);
  if (found !== undefined) return found;
  if (/^[0-9a-f]{7,39}$/.test(revision)) return { commit: revision, ref: undefined };
  return noSuchRevision(repo, revision, refs);
}

async function readCached(
  address: ModuleAddress,
  commit: string,
  { cache, environment }: ModuleStoreOptions,
): Promise<Result<FetchedModule> | undefined> {
  const directory = cachedCommit(cache, address.key, commit);
  if (!(await isCached(directory))) return undefined;
  const repository = repositoryAt(directory, { directory, environment, bare: true });
  const files = await repository.readTree(commit, "", [".cue"]);
  return ok({ commit, files: { in: "memory", files } });
}
function noSuchRevision(repo: string, revision: string, refs: readonly RemoteRef[]): Refusal {
  const names = namesOf(refs);
  const meant = closest(revision, names);
  const hint = meant === undefined ? "" : `Did you mean "${meant}"? `;
  const newest = names.slice(-5).join(", ");
  return {
    what: `${repo} has no tag, branch or commit "${revision}"`,
    fix: `${hint}Give one that exists${newest === "" ? "" : `, for example ${newest}`}`,
  };
}

function noSuchCommit(repo: string, revision: string): Refusal {
  return {
    what: `${repo} has no commit "${revision}"`,
    fix: "Give a tag, a branch, or the id of a commit that was pushed",
  };
}

/** The store does not know where in the config the module stands; whoever asked for it adds the place. */
function refuse<T>({ what, fix }: Refusal): Result<T> {
  return failed([{ where: [], what, fix }]);
}
