import { createHash } from "node:crypto";
import { basename, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { cacheFolder } from "./cache-folder.ts";
import type { World } from "./commands/world.ts";
import { commitTree, headCommit } from "./io/git/commit-tree.ts";
import { openModuleStore } from "./io/git/module-store.ts";
import type { ModuleToken } from "./io/git/module-token.ts";
import { openRepository } from "./io/git/repository.ts";
import { workTree } from "./io/git/source-tree.ts";
import type { ConnectOptions } from "./io/kubernetes/kubeconfig.ts";
import { createProgress, type TerminalProgress } from "./io/terminal/progress.ts";
import type { Deployment } from "./model/deployment.ts";
import { nameOfKey } from "./model/object.ts";
import type { ReleaseSource } from "./model/release.ts";
import type { OpenTarget } from "./open-target.ts";
import type { Clock, Compiler } from "./ports.ts";

/** What the command line or the Action's inputs say about the world around a command. */
export interface WorldOptions {
  readonly directory: string;
  /** Which files of it: those on disk, or those of its commit, whatever else earlier steps of a job have put beside them. */
  readonly read: "work tree" | "commit";
  readonly env: NodeJS.ProcessEnv;
  readonly compiler: Compiler;
  readonly kubeconfig: ConnectOptions["kubeconfig"];
  readonly signal: AbortSignal;
  readonly repositoryName: string | undefined;
  readonly origin: ReleaseSource;
  readonly modulesToken?: ModuleToken | undefined;
  readonly quiet: boolean;
}

/** Everything is opened lazily: compiling asks for no cluster, and nothing connects before it is asked to. */
export async function openWorld(options: WorldOptions): Promise<World & { close(): void }> {
  const { directory, env, compiler, signal, origin } = options;
  const repository = await openRepository(directory, env);
  const root = repository?.root ?? resolve(directory);
  const treeAt = eachOnce((commit: string) => {
    if (repository === undefined) throw new Error("a commit was asked for outside of a repository");
    return commitTree(repository, commit);
  });
  const targets: Promise<OpenTarget>[] = [];
  const shown: TerminalProgress[] = [];
  const showProgress = () => {
    // One deployment follows the other: the one before has ended, also where it was refused and could not say so.
    for (const earlier of shown) earlier.close();
    const progress = createProgress(process.stderr, nameOfKey, env);
    shown.push(progress);
    return progress;
  };
  const progressOf = eachOnce((_: string) =>
    options.quiet ? { report: () => {} } : showProgress(),
  );
  return {
    source: {
      tree: options.read === "commit" ? treeAt(await headCommit(repository)) : workTree(root),
      modules: openModuleStore({
        cache: cacheFolder(env),
        base: root,
        environment: env,
        token: options.modulesToken,
      }),
      compiler,
    },
    repository,
    repositoryName: options.repositoryName ?? basename(root),
    treeAt,
    target: (deployment) => {
      const target = openTarget(options, deployment);
      targets.push(target);
      return target;
    },
    clock: systemClock,
    progress: (deployment) => progressOf(deployment.name),
    signal,
    origin,
    compress: (text) => gzipSync(text, { level: 6 }),
    decompress: (bytes) => gunzipSync(bytes, { maxOutputLength: maxReleaseBytes }).toString("utf8"),
    hash: (text) => createHash("sha256").update(text).digest("hex"),
    close: () => {
      for (const progress of shown) progress.close();
      for (const target of targets) target.then((open) => open.close()).catch(() => {});
    },
  };
}

/** A record that grows beyond this when it is unpacked was not made by this program. */
const maxReleaseBytes = 256 * 1024 * 1024;

/** Only a command that talks to a cluster pays for reading the code that does. */
async function openTarget(
  { kubeconfig, env, origin }: WorldOptions,
  { context }: Deployment,
): Promise<OpenTarget> {
  const module = await import("./open-target.ts");
  return module.openTarget({ kubeconfig, context, env, clock: systemClock, run: origin.run });
}

const systemClock: Clock = {
  now: () => new Date(),
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
