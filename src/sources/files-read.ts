import { bindConfig } from "../config/bind.ts";
import { lockBeside } from "../config/lock/lock.ts";
import { isFromGit } from "../config/lock/verify.ts";
import type { Deployment } from "../model/deployment.ts";
import type { Source } from "../ports/world.ts";
import { type BoundDeployment, bindRead, filesRead, readDeployment } from "./compile-deployment.ts";

/** What a deployment reads at one commit, as far as it is known without the engine, which is slow. Paths with what is behind links. */
export interface Reading {
  /** Config, params files and lock. */
  readonly own: readonly string[];
  /** Folders of this repository outside of which no adapter is read. */
  readonly folders: readonly string[];
  /** Every file, those of the adapters among them; undefined when they do not compile. */
  all(): Promise<readonly string[] | undefined>;
}

/** undefined for what does not come as far as the engine: it does not compile. */
export type ReadBy = (deployment: Deployment) => Promise<Reading | undefined>;

/**
 * What the deployments of a commit read. Which files of adapters these are is decided by the imports alone, not by values. So of
 * deployments that use the same adapters one is compiled for all, the first one that can be.
 */
export function readAt(source: Source, inline: readonly string[]): ReadBy {
  const known = new Map<string, Promise<readonly string[] | undefined>>();
  const adaptersOf = (bound: BoundDeployment) => {
    const key = keyOf(bound);
    const earlier = known.get(key) ?? Promise.resolve(undefined);
    const files = earlier.then((found) => found ?? adapterFiles(source, bound));
    known.set(key, files);
    return files;
  };
  return async (deployment) => {
    const read = await readDeployment(source, deployment, inline);
    if (!read.ok || !bindConfig(read.value.parsed, read.value.given).ok) return undefined;
    const { modules } = read.value.parsed;
    const locals = modules.flatMap((module) =>
      module.source.from === "local" ? [module.source.path] : [],
    );
    const lock = modules.some(isFromGit) ? [lockBeside(deployment.config)] : [];
    const folders = await Promise.all(locals.map((path) => source.tree.behind(path)));
    return {
      own: await filesRead(source, deployment, { lock }, [deployment.config]),
      folders: folders.flat(),
      all: async () => {
        const bound = await bindRead(source, read.value);
        const files = bound.ok ? await adaptersOf(bound.value) : undefined;
        if (files === undefined) return undefined;
        return filesRead(source, deployment, { lock }, [deployment.config, ...files]);
      },
    };
  };
}

/** What the imports depend on: which adapters, and where they are read. */
function keyOf({ request: { config }, opened }: BoundDeployment): string {
  const patterns = new Set(config.designPatterns.map(({ pattern }) => pattern));
  const modules = opened.modules.map(({ reference: { name, source }, commit }) => ({
    ...{ name, source, commit },
  }));
  return JSON.stringify([[...patterns].sort(), modules]);
}

async function adapterFiles(
  { compiler }: Source,
  { request }: BoundDeployment,
): Promise<readonly string[] | undefined> {
  const compiled = await compiler.compile(request);
  if (!compiled.ok) return undefined;
  return compiled.value.inputs.filter((path) => path !== request.config.file);
}
