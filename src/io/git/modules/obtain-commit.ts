import type { UnplacedProblem } from "../../../model/problems/problem.ts";
import type { MovedRevision } from "../../../model/text/reference-text.ts";
import type { Environment } from "../../environment.ts";
import { type GitCall, runGit } from "../run-git.ts";
import type { ModuleAddress } from "./address.ts";
import {
  commitDirectory,
  isCached,
  markResolved,
  markUsed,
  moveIntoPlace,
  pruneCache,
  wasResolved,
  withDraft,
} from "./cache.ts";
import { explainFetchFailure } from "./explain-fetch-failure.ts";
import { fetchCommit, isFullId } from "./fetch-commit.ts";
import {
  findRef,
  isShortId,
  listRefs,
  noSuchCommit,
  type RemoteRef,
  resolveRevision,
} from "./resolve-revision.ts";

/** A revision of a repository, with its locked commit if it has one. */
export interface RevisionRequest {
  readonly address: ModuleAddress;
  /** The repository as messages name it. */
  readonly repo: string;
  readonly revision: string;
  readonly locked: string | undefined;
  /**
   * True for a remote base. Kustomize knows no shortened ids, and messages name no commit that
   * isn't locked.
   */
  readonly isBase: boolean;
}

export interface ObtainedCommit {
  /** The commit, which is in the cache now. */
  readonly commit: string;
  readonly moved: MovedRevision | undefined;
}

/**
 * The default limit of one fetch. A repository of adapters has a few megabytes, and a malicious one
 * must not fill the disk.
 */
const defaultFetchBytes = 512 * 1024 * 1024;

export interface ObtainOptions {
  readonly cache: string;
  /** The environment of git commands that contact another machine. It contains credentials. */
  readonly environment: Environment;
  /**
   * True if the environment has no credentials. Then only the repository decides whether it can be
   * read: a cached commit is fetched again.
   */
  readonly isAnonymous?: boolean;
  readonly maxFetchBytes?: number;
}

/**
 * Fetches the commit of a revision, or its locked commit, into the cache. Contacts the repository
 * only if necessary.
 */
export async function obtainCommit(
  request: RevisionRequest,
  options: ObtainOptions,
): Promise<ObtainedCommit | UnplacedProblem> {
  const isAnonymous = options.isAnonymous === true;
  const known = isAnonymous ? undefined : await knownCommit(request, options.cache);
  if (known !== undefined) return { commit: known, moved: undefined };
  try {
    return await fetchIntoCache(request, options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return {
      code: "module-cache-unusable",
      what: `The module cache ${options.cache} can't be written`,
      facts: [{ label: "error", value: code }],
      fix: "Set QVS_CACHE to a writable directory with enough free space",
    };
  }
}

function fetchIntoCache(
  request: RevisionRequest,
  { cache, environment, isAnonymous, maxFetchBytes = defaultFetchBytes }: ObtainOptions,
): Promise<ObtainedCommit | UnplacedProblem> {
  return withDraft(cache, async (draft) => {
    const call = { directory: draft, environment, bare: true, maxDirectoryBytes: maxFetchBytes };
    // An empty template keeps out the hooks of the user's templates.
    const init = await runGit(["init", "--quiet", "--bare", "--template="], call);
    if (init.code !== 0) return explainFetchFailure(request.repo, init);
    const { address, locked } = request;
    const hasCopy = async (commit: string) =>
      isAnonymous !== true && isCached(commitDirectory(cache, address.key, commit));
    const found =
      locked === undefined
        ? await fetchRevision(request, hasCopy, call)
        : await fetchLocked(request, locked, hasCopy, call);
    if (!("commit" in found)) return found;
    const directory = commitDirectory(cache, address.key, found.commit);
    const isNew = !(await isCached(directory));
    if (isNew) await moveIntoPlace(draft, directory);
    // Every run must detect again that a tag has left its locked commit. Branches are expected to
    // move.
    if (found.moved === undefined || found.moved.what === "branch") {
      await markResolved(directory, request.revision);
    }
    await markUsed(directory);
    if (isNew) await pruneCache(cache);
    return found;
  });
}

/**
 * Returns a cached commit that needs no request: the revision is its id, or the repository resolved
 * the revision to it before.
 */
async function knownCommit(
  { address, revision, locked }: RevisionRequest,
  cache: string,
): Promise<string | undefined> {
  const commit = locked ?? (isFullId(revision) ? revision : undefined);
  if (commit === undefined) return undefined;
  const directory = commitDirectory(cache, address.key, commit);
  if (!(await isCached(directory))) return undefined;
  const certain = revision === commit || (await wasResolved(directory, revision));
  if (!certain) return undefined;
  await markUsed(directory);
  return commit;
}

/** Reports whether the usable part of the cache contains a commit. */
type HasCopy = (commit: string) => Promise<boolean>;

async function fetchRevision(
  { address, repo, revision, isBase }: RevisionRequest,
  hasCopy: HasCopy,
  call: GitCall,
): Promise<ObtainedCommit | UnplacedProblem> {
  const target = await resolveRevision({ repo, revision, allowsShortId: !isBase }, address, call);
  if (!("commit" in target)) return target;
  const { commit, ref } = target;
  if (await hasCopy(commit)) return { commit, moved: undefined };
  const fetched = await fetchCommit(repo, address, { commit, ref: Promise.resolve(ref) }, call);
  if (fetched === undefined) return noSuchCommit(repo, revision);
  return typeof fetched === "string" ? { commit: fetched, moved: undefined } : fetched;
}

/**
 * Fetches the locked commit. At the same time, it asks the repository for the current commit of the
 * revision.
 * It must ask, although the answer doesn't change the result. Hosts also serve commits of forks
 * under the name of a repository, so a lockfile could name any of them.
 */
async function fetchLocked(
  request: RevisionRequest,
  locked: string,
  hasCopy: HasCopy,
  call: GitCall,
): Promise<ObtainedCommit | UnplacedProblem> {
  const { address, repo, revision } = request;
  // A shortened id can also be the name of a tag or a branch, which only the repository knows.
  const currentRefs: Promise<readonly RemoteRef[] | UnplacedProblem> =
    revision === locked
      ? Promise.resolve([{ ref: revision, commit: locked }])
      : listRefs(repo, revision, address, call);
  const ref = currentRefs.then((refs) =>
    "what" in refs ? undefined : findRef(refs, revision)?.ref,
  );
  const isThere = await hasCopy(locked);
  const [refs, commit] = await Promise.all([
    currentRefs,
    isThere ? locked : fetchCommit(repo, address, { commit: locked, ref }, call),
  ]);
  if ("what" in refs) return refs;
  const moved = detectMove(request, locked, refs);
  if (commit === undefined) return lockedCommitMissing(request, locked, moved);
  return typeof commit === "string" ? { commit, moved } : commit;
}

function detectMove(
  { revision, isBase }: RevisionRequest,
  locked: string,
  refs: readonly RemoteRef[],
): MovedRevision | undefined {
  const found = findRef(refs, revision);
  if (found === undefined && !isBase && isShortId(revision) && locked.startsWith(revision))
    return undefined;
  if (found === undefined) return { what: "missing", to: undefined };
  if (found.commit === locked) return undefined;
  return { what: found.ref.startsWith("refs/tags/") ? "tag" : "branch", to: found.commit };
}

function lockedCommitMissing(
  { repo, revision, isBase }: RevisionRequest,
  locked: string,
  moved: MovedRevision | undefined,
): UnplacedProblem {
  const other = isBase ? moved?.to && "another commit" : moved?.to;
  const now = moved && { label: "now", value: other ?? `no tag or branch "${revision}"` };
  return {
    code: "revision-not-found",
    what: `"${repo}" no longer has the locked commit of "${revision}"`,
    facts: [{ label: "locked", value: locked }, ...(now === undefined ? [] : [now])],
    fix: "Find out why the commit was removed",
    otherwise: ["run `qvs lock` and commit qvs.lock, if the new content is correct"],
  };
}
