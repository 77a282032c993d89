import { basename, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { commitTree, headCommit } from "../io/git/commit-tree.ts";
import { isFullId } from "../io/git/modules/fetch-commit.ts";
import { openModuleStore } from "../io/git/modules/store.ts";
import type { ModuleToken } from "../io/git/modules/token.ts";
import { openRepository } from "../io/git/repository.ts";
import { workTree } from "../io/git/source-tree.ts";
import type { ConnectOptions } from "../io/kubernetes/kubeconfig.ts";
import type { Deployment } from "../model/deployment.ts";
import { nameOfKey } from "../model/object.ts";
import type { ReleaseSource } from "../model/release.ts";
import type { Clock } from "../ports/clock.ts";
import type { Compiler } from "../ports/cue.ts";
import type { NewestCommit, Repository } from "../ports/git.ts";
import type { OpenWorld, World } from "../ports/world.ts";
import { hidingStream } from "../redaction/hiding-stream.ts";
import { type SentSecrets, sentSecrets } from "../redaction/sent-secrets.ts";
import { declaredParamsOf } from "../sources/undeclared-params.ts";
import { cacheFolder } from "./cache-folder.ts";
import type { OpenTarget } from "./open-target.ts";
import { createNamedProgress, createProgress, type TerminalProgress } from "./progress/progress.ts";
import { sha256 } from "./sha256.ts";

/** What the command line or the Action's inputs say about the world around a command. */
export interface WorldOptions {
  readonly directory: string;
  /** Which files of it: those on disk, or those of its commit, whatever else earlier steps of a job have put beside them. */
  readonly read: "work tree" | "commit";
  readonly env: NodeJS.ProcessEnv;
  readonly compiler: Compiler;
  readonly kubeconfig: ConnectOptions["kubeconfig"];
  /** Instead of a kubeconfig. */
  readonly idTokens?: ConnectOptions["idTokens"];
  readonly signal: AbortSignal;
  readonly repositoryName: string | undefined;
  /** Where in the repository the deployments are listed; undefined for its root. */
  readonly folder?: string | undefined;
  readonly origin: ReleaseSource;
  /** What the host of the repository knows of two commits that the clone can't compare. */
  readonly relationAtHost?: World["relationOf"] | undefined;
  /** Asks the host of the repository; undefined where it can't be asked. */
  readonly newestAtHost?: World["newestOf"] | undefined;
  readonly modulesToken?: ModuleToken | undefined;
  /** Collects the credentials that are sent, so that no output contains one. */
  readonly sent?: SentSecrets | undefined;
  readonly quiet: boolean;
}

/** Everything is opened lazily: compiling asks for no cluster, and nothing connects before it is asked to. */
export async function openWorld(options: WorldOptions): Promise<OpenWorld> {
  const { directory, env, compiler, signal, origin, sent = sentSecrets() } = options;
  const stderr = hidingStream(process.stderr, sent);
  if (options.modulesToken !== undefined) sent.add(options.modulesToken.token);
  const repository = await openRepository(directory, env);
  const root = repository?.root ?? resolve(directory);
  const treeAt = eachOnce((commit: string) => {
    if (repository === undefined) throw new Error("a commit was asked for outside of a repository");
    return commitTree(repository, commit);
  });
  const targets: Promise<OpenTarget>[] = [];
  const opened: (readonly [name: string, target: OpenTarget])[] = [];
  const shown: TerminalProgress[] = [];
  const showProgress = () => {
    // One deployment follows the other: the one before has ended, also where it was refused and could not say so.
    for (const earlier of shown) earlier.close();
    const progress = createProgress(stderr, nameOfKey, env);
    shown.push(progress);
    return progress;
  };
  const progressOf = eachOnce((_: string) =>
    options.quiet ? { report: () => {} } : showProgress(),
  );
  const namedProgressOf = eachOnce((name: string) => {
    const progress = createNamedProgress(name, stderr, nameOfKey);
    shown.push(progress);
    return progress;
  });
  const tree = options.read === "commit" ? treeAt(await headCommit(repository)) : workTree(root);
  const world: World = {
    source: {
      tree,
      declaredParams: declaredParamsOf(tree),
      modules: openModuleStore({
        cache: cacheFolder(env),
        base: root,
        environment: env,
        token: options.modulesToken,
      }),
      compiler,
      isWorkTree: options.read === "work tree",
    },
    repository,
    repositoryName: options.repositoryName ?? basename(root),
    folder: options.folder,
    relationOf: relationThrough(repository, options.relationAtHost),
    newestOf: async (branch) => {
      const newest = (await options.newestAtHost?.(branch)) ?? nobodyKnows;
      const isHere =
        newest.type === "known" && (await repository?.resolve(newest.commit)) !== undefined;
      return isHere ? { ...newest, tree: treeAt(newest.commit) } : newest;
    },
    treeAt,
    target: (deployment) => {
      const target = openTarget({ ...options, sent }, deployment);
      targets.push(target);
      target.then((open) => opened.push([deployment.name, open])).catch(() => {});
      return target;
    },
    clock: systemClock,
    progress: (deployment) => progressOf(deployment.name),
    signal,
    origin,
    compress: (text) => gzipSync(text, { level: 6 }),
    decompress: (bytes) => gunzipSync(bytes, { maxOutputLength: maxReleaseBytes }).toString("utf8"),
    hash: sha256,
    hasChanged: (name) =>
      opened.some(([of, target]) => (name === undefined || of === name) && target.hasChanged()),
  };
  return {
    ...world,
    sideBySide: () => ({ ...world, progress: ({ name }) => namedProgressOf(name) }),
    hasWritten: () => opened.some(([, target]) => target.hasWritten()),
    close: () => {
      for (const progress of shown) progress.close();
      for (const target of targets) target.then((open) => open.close()).catch(() => {});
    },
  };
}

const nobodyKnows: NewestCommit = {
  type: "unknown",
  why: "GitHub was not asked, since the input token is empty",
  fix: "Leave the input token out to use the job's own, and give the job `permissions: contents: read`",
};

/** Each pair is asked about once. Records may hold any text; only full ids are commits. */
function relationThrough(
  repository: Repository | undefined,
  atHost: World["relationOf"] | undefined,
): World["relationOf"] {
  const ask = eachOnce(async (pair: string) => {
    const [commit = "", other = ""] = pair.split(" ");
    if (![commit, other].every(isFullId)) return "unknown" as const;
    const known = (await repository?.relation(commit, other)) ?? "unknown";
    return known === "unknown" && atHost !== undefined ? atHost(commit, other) : known;
  });
  return async (commit, other) => (commit === other ? "same" : ask(`${commit} ${other}`));
}

/** A record that grows beyond this when it is unpacked was not made by this program: it compiles 16 MiB at most (`io/cue/limits.ts`). */
const maxReleaseBytes = 64 * 1024 * 1024;

/** Only a command that talks to a cluster pays for reading the code that does. */
async function openTarget(
  { kubeconfig, idTokens, env, origin, sent }: WorldOptions,
  { context }: Deployment,
): Promise<OpenTarget> {
  const module = await import("./open-target.ts");
  const login = { kubeconfig, idTokens, context, env, sent };
  return module.openTarget({ ...login, clock: systemClock, run: origin.run });
}

const systemClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  sleep: async (milliseconds, signal) => {
    await sleep(milliseconds, undefined, { signal });
  },
};

/** What is read of a commit is kept, so each commit has one tree. */
function eachOnce<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}
