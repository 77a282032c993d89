import { failed, ok, type Result, type UnplacedProblem } from "../../../model/problems/problem.ts";
import type {
  BaseLoginRule,
  FetchedModule,
  FetchedRepository,
  ModuleRequest,
  ModuleStore,
} from "../../../ports/git.ts";
import { removeCredentials } from "../../../redaction/hide-credentials.ts";
import type { Environment } from "../../environment.ts";
import { limitConcurrency, once } from "../../shared-work.ts";
import { type ModuleAddress, readAddress } from "./address.ts";
import { commitDirectory, discard } from "./cache.ts";
import { isLocal, type LocalAccess, readLocal } from "./local-repository.ts";
import { type ObtainedCommit, obtainCommit } from "./obtain-commit.ts";
import { type ModuleContent, readModule } from "./read-module.ts";
import { type CachedTree, openTree, tooMuch } from "./repository-tree.ts";
import { listTags } from "./resolve-revision.ts";
import { type ModuleToken, withoutCredentials, withToken } from "./token.ts";

export interface ModuleStoreOptions extends LocalAccess {
  /** A directory that belongs to qvs and outlives the run. */
  readonly cache: string;
  readonly environment: Environment;
  readonly token?: ModuleToken | undefined;
  /** Default: every remote base. Modules always use the credentials. */
  readonly allowsLogin?: BaseLoginRule | undefined;
  /** The maximum size of one fetch in bytes. Default: 512 MiB. */
  readonly maxFetchBytes?: number;
  /**
   * The maximum content of all modules and repositories of a run: characters of text and paths, and
   * bytes of embedded files.
   * Default: 256 Mi, far more than one evaluation reads.
   */
  readonly maxCharacters?: number;
}

/**
 * The number of simultaneous tasks. They are enough to hide the waiting, and few enough for disk
 * and memory: each can use its full limit.
 */
const maxConcurrent = 4;

/**
 * Opens a store of adapter modules from git. A store lives for one run.
 * It fetches a revision of a repository once, and the revision keeps that commit for all modules
 * and deployments. The store also remembers a failure: a second try would fail in the same way,
 * after the same time.
 */
export function openModuleStore(options: ModuleStoreOptions): ModuleStore {
  const obtained = new Map<string, Promise<ObtainedCommit | UnplacedProblem>>();
  const contents = new Map<string, Promise<ModuleContent | UnplacedProblem>>();
  const trees = new Map<string, Promise<CachedTree | UnplacedProblem>>();
  const tagLists = new Map<string, Promise<readonly string[] | UnplacedProblem>>();
  const inTurn = limitConcurrency(maxConcurrent);
  let remaining = options.maxCharacters ?? 256 * 1024 * 1024;
  const readOne = async (request: ModuleRequest, address: ModuleAddress, commit: string) => {
    if (remaining < 0) return tooMuch;
    const content = await readCached(request, address, commit, options);
    if ("hash" in content) remaining -= countContent(content);
    return content;
  };
  const reach = { ...options, environment: withToken(options.environment, options.token) };
  const anonymousReach = {
    ...options,
    environment: withoutCredentials(options.environment),
    isAnonymous: true,
  };
  const { allowsLogin = async () => true } = options;
  const obtain = (request: RepositoryRequest, address: ModuleAddress, use: RepositoryUse) => {
    const { repo, revision, locked } = request;
    const isBase = use !== "module";
    const target = { address, repo: removeCredentials(repo), revision, locked, isBase };
    const isAnonymous = use === "base without credentials";
    return once(obtained, [address.url, revision, locked, use], () =>
      inTurn(() => obtainCommit(target, isAnonymous ? anonymousReach : reach)),
    );
  };
  /** Obtains the commit of a base. Without credentials, the repository must be public. */
  const obtainBase = async (request: RepositoryRequest, address: ModuleAddress) => {
    if (await allowsLogin(request.repo)) return obtain(request, address, "base");
    // ssh always uses a key.
    if (!address.url.startsWith("https://")) return withheldProblem(request);
    const found = await obtain(request, address, "base without credentials");
    return "code" in found && isDenied(found) ? withheldProblem(request) : found;
  };
  /** Counts the content of a repository. Returns false if the run reads too much. */
  const spend = (characters: number) => {
    remaining -= characters;
    return remaining >= 0;
  };
  return {
    async fetch(request) {
      const { repo, path } = request;
      const address = isLocal(repo) ? await readLocal(repo, options) : readAddress(repo);
      if (!("url" in address)) return toFailedResult(address);
      const found = await obtain(request, address, "module");
      if (!("commit" in found)) return toFailedResult(found);
      const content = await once(contents, [address.key, found.commit, path], () =>
        inTurn(() => readOne(request, address, found.commit)),
      );
      return "hash" in content ? ok(toFetchedModule(found, content)) : toFailedResult(content);
    },
    async fetchRepository(request) {
      // A remote base is never a directory of this machine.
      const address = readAddress(request.repo);
      if (!("url" in address)) return toFailedResult(address);
      const found = await obtainBase(request, address);
      if (!("commit" in found)) return toFailedResult(found);
      const { commit } = found;
      const { cache, environment } = options;
      const directory = commitDirectory(cache, address.key, commit);
      const damaged = () => discardDamaged(request, cache, directory);
      const tree = await once(trees, [address.key, commit], () =>
        inTurn(() => openTree({ directory, commit, environment, spend, damaged })),
      );
      return "list" in tree ? ok({ ...found, tree }) : toFailedResult<FetchedRepository>(tree);
    },
    async versions(repo, use) {
      const isDirectory = use === "module" && isLocal(repo);
      const address = isDirectory ? await readLocal(repo, options) : readAddress(repo);
      if (!("url" in address)) return toFailedResult(address);
      const tags = await once(tagLists, [repo, use], () =>
        inTurn(() => listTags(removeCredentials(repo), address, reach)),
      );
      return "what" in tags ? toFailedResult(tags) : ok(tags);
    },
  };
}

type RepositoryRequest = Omit<ModuleRequest, "path">;

type RepositoryUse = "module" | "base" | "base without credentials";

function isDenied({ code }: UnplacedProblem): boolean {
  return code === "module-access-denied" || code === "module-repository-not-found";
}

function withheldProblem({ repo }: RepositoryRequest): UnplacedProblem {
  return {
    code: "module-access-denied",
    what: `"${removeCredentials(repo)}" needs credentials, which this preview doesn't use`,
    why: "A pull request could otherwise read any private repository",
    fix: "Merge its entry in qvs.lock first",
    otherwise: ["preview on the command line"],
  };
}

function countContent({ files, embedded }: ModuleContent): number {
  const all = [...files.values(), ...embedded.values()];
  return all.reduce((sum, content) => sum + content.length, 0);
}

async function readCached(
  { repo, revision, path }: ModuleRequest,
  address: ModuleAddress,
  commit: string,
  { cache, environment }: ModuleStoreOptions,
): Promise<ModuleContent | UnplacedProblem> {
  const directory = commitDirectory(cache, address.key, commit);
  const name = `${removeCredentials(repo)} at ${revision}`;
  const content = await readModule({ directory, commit, path, name }, environment);
  return content ?? discardDamaged({ repo, revision }, cache, directory);
}

async function discardDamaged(
  { repo, revision }: Pick<ModuleRequest, "repo" | "revision">,
  cache: string,
  directory: string,
): Promise<UnplacedProblem> {
  await discard(cache, directory);
  return {
    code: "module-cache-unusable",
    what: `The cached copy of ${removeCredentials(repo)} at ${revision} was damaged`,
    why: "qvs deleted the copy",
    fix: "Run again",
    otherwise: ["check the disk, if the error occurs again"],
  };
}

function toFetchedModule(
  { commit, moved }: ObtainedCommit,
  { files, embedded, hash }: ModuleContent,
): FetchedModule {
  return { commit, hash, files: { in: "memory", files, embedded }, moved };
}

/**
 * Returns a failure without a place. The caller adds the place of the module in the config, which
 * the store doesn't know.
 */
function toFailedResult<T>(refusal: UnplacedProblem): Result<T> {
  return failed([{ ...refusal, where: [] }]);
}
