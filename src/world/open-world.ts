import { basename, resolve } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { commitTree, headCommit } from "../io/git/commit-tree.ts";
import { isFullId } from "../io/git/modules/fetch-commit.ts";
import { openModuleStore } from "../io/git/modules/store.ts";
import type { ModuleToken } from "../io/git/modules/token.ts";
import { openRepository } from "../io/git/repository.ts";
import { openWorkTree } from "../io/git/work-tree.ts";
import type { ConnectOptions } from "../io/kubernetes/kubeconfig/connect.ts";
import type { ReleaseSource } from "../model/deployments/release.ts";
import { nameFromKey } from "../model/object.ts";
import type { ChartLoginRule } from "../ports/charts.ts";
import type { Compiler } from "../ports/cue.ts";
import type { BaseLoginRule, GitRepository, NewestCommit } from "../ports/git.ts";
import type { OpenWorld, World } from "../ports/world.ts";
import { type SentSecrets, scrubbedStream, sentSecrets } from "../redaction/sent-secrets.ts";
import type { TextStream } from "../redaction/shown.ts";
import { createParamLookup } from "../sources/undeclared-params.ts";
import { cacheDirectory } from "./cache-directory.ts";
import { openTargets } from "./open-targets.ts";
import { createNamedProgress, createProgress, type TerminalProgress } from "./progress/progress.ts";
import { sha256 } from "./sha256.ts";
import { systemClock } from "./system-clock.ts";

/** The options from the command line or from the inputs of the Action. */
export interface WorldOptions {
  readonly directory: string;
  /**
   * The source of the files: those on disk, or those of the commit of `directory`.
   * The commit doesn't contain files that earlier steps of a job added.
   */
  readonly read: "work tree" | "commit";
  readonly env: NodeJS.ProcessEnv;
  /** The streams of the run: `stderr` shows its progress. */
  readonly streams: { readonly stdout: TextStream; readonly stderr: TextStream };
  readonly compiler: Compiler;
  readonly kubeconfig: ConnectOptions["kubeconfig"];
  /** The ID tokens that replace a kubeconfig. */
  readonly idTokens?: ConnectOptions["idTokens"];
  readonly signal: AbortSignal;
  readonly repositoryName: string | undefined;
  /** The directory of the deployment list; undefined for the repository's root. */
  readonly folder?: string | undefined;
  readonly origin: ReleaseSource;
  /** Asks the repository's host about two commits that the clone can't compare. */
  readonly relationAtHost?: World["compareCommits"] | undefined;
  /** Asks the repository's host for the newest commit; undefined if it can't be asked. */
  readonly newestAtHost?: World["newestCommit"] | undefined;
  readonly modulesToken?: ModuleToken | undefined;
  /**
   * Returns the rules for the logins of charts and remote bases; undefined to use them for all.
   */
  readonly logins?: ((commits: CommitFiles) => LoginRules) | undefined;
  /** Collects the credentials that qvs sends, so that no output contains one. */
  readonly sent?: SentSecrets | undefined;
  readonly quiet: boolean;
}

/** The rules for the logins of charts, and for the credentials of remote bases. */
export interface LoginRules {
  readonly chart: ChartLoginRule;
  readonly base: BaseLoginRule;
}

/** The commits of a world. */
type CommitFiles = Pick<World, "repository" | "commitTree">;

/** Creates the world of a run. Everything is opened on demand: compiling needs no cluster. */
export async function openWorld(options: WorldOptions): Promise<OpenWorld> {
  const { directory, env, streams, compiler, signal, origin, sent = sentSecrets() } = options;
  const stderr = scrubbedStream(streams.stderr, sent);
  if (options.modulesToken !== undefined) sent.add(options.modulesToken.token);
  const repository = await openRepository(directory, env);
  const root = repository?.root ?? resolve(directory);
  const treeAt = memoizeByKey((commit: string) => {
    if (repository === undefined) throw new Error("a commit was asked for outside of a repository");
    return commitTree(repository, commit);
  });
  const logins = options.logins?.({ repository, commitTree: treeAt });
  const targets = openTargets({ ...options, sent });
  const shown: TerminalProgress[] = [];
  const showProgress = () => {
    // Deployments follow each other, so the earlier one has ended, even if it couldn't report its
    // end.
    for (const earlier of shown) earlier.close();
    const progress = createProgress(stderr, nameFromKey, env, {
      resultFollows: streams.stdout.isTTY === true,
    });
    shown.push(progress);
    return progress;
  };
  const silent = { report: () => {} };
  const deploymentProgress = memoizeByKey((_: string) => (options.quiet ? silent : showProgress()));
  const namedProgress = memoizeByKey((name: string) => {
    if (options.quiet) return silent;
    const progress = createNamedProgress(name, stderr, nameFromKey);
    shown.push(progress);
    return progress;
  });
  const openProbe = memoizeByKey(async (_: string) =>
    (await import("../io/http/probe.ts")).openProbe(env, sent),
  );
  const openCharts = memoizeByKey(async (_: string) =>
    (await import("../io/charts/chart-store.ts")).openChartStore({
      cache: cacheDirectory(env),
      environment: env,
      ...{ sent, signal },
      allowsLogin: logins?.chart,
    }),
  );
  const tree =
    options.read === "commit" ? treeAt(await headCommit(repository)) : openWorkTree(root, env);
  const world: World = {
    source: {
      tree,
      declaredParams: createParamLookup(tree),
      modules: openModuleStore({
        cache: cacheDirectory(env),
        base: root,
        environment: env,
        token: options.modulesToken,
        allowsLogin: logins?.base,
      }),
      charts: {
        fetch: async (request) => (await openCharts("")).fetch(request),
        versions: async (chart) => (await openCharts("")).versions(chart),
      },
      compiler,
      isWorkingTree: options.read === "work tree",
    },
    repository,
    repositoryName: options.repositoryName ?? basename(root),
    folder: options.folder,
    compareCommits: createCommitComparison(repository, options.relationAtHost),
    newestCommit: async (branch) => {
      const newest = (await options.newestAtHost?.(branch)) ?? unknownNewestCommit;
      const isHere =
        newest.type === "known" && (await repository?.resolve(newest.commit)) !== undefined;
      return isHere ? { ...newest, tree: treeAt(newest.commit) } : newest;
    },
    commitTree: treeAt,
    target: targets.open,
    probe: { get: async (...request) => (await openProbe("")).get(...request) },
    clock: systemClock,
    progress: (deployment) => deploymentProgress(deployment.name),
    signal,
    origin,
    compress: (text) => gzipSync(text, { level: 6 }),
    decompress: (bytes) => gunzipSync(bytes, { maxOutputLength: maxReleaseBytes }).toString("utf8"),
    hash: sha256,
    hasChanged: targets.hasChanged,
  };
  return {
    ...world,
    forParallelRuns: () => ({ ...world, progress: ({ name }) => namedProgress(name) }),
    hasWritten: targets.hasWritten,
    close: () => {
      for (const progress of shown) progress.close();
      targets.close();
    },
  };
}

const unknownNewestCommit: NewestCommit = {
  type: "unknown",
  why: "qvs couldn't ask GitHub, because the input token is empty",
  fix: "Remove the input token to use the job's own, and give the job `permissions: contents: read`",
};

/**
 * Returns a function that asks about each pair of commits once.
 * Records can contain any text, so only full ids count as commits.
 */
function createCommitComparison(
  repository: GitRepository | undefined,
  atHost: World["compareCommits"] | undefined,
): World["compareCommits"] {
  const ask = memoizeByKey(async (pair: string) => {
    const [commit = "", other = ""] = pair.split(" ");
    if (![commit, other].every(isFullId)) return "unknown" as const;
    const known = (await repository?.relation(commit, other)) ?? "unknown";
    return known === "unknown" && atHost !== undefined ? atHost(commit, other) : known;
  });
  return async (commit, other) => (commit === other ? "same" : ask(`${commit} ${other}`));
}

/**
 * The maximum size of a decompressed release.
 * A larger record isn't from qvs, which compiles at most 16 MiB (`io/cue/limits.ts`).
 */
const maxReleaseBytes = 64 * 1024 * 1024;

/**
 * Caches the result of `make` by key. A commit's tree caches what it reads, so each commit has one.
 */
function memoizeByKey<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}
