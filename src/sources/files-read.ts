import { bindConfig } from "../config/bind-config.ts";
import type { ParsedInput } from "../config/inputs/parsed-input.ts";
import { lockfilePath } from "../config/lockfile/lockfile.ts";
import { isGitModule } from "../config/lockfile/verify-module.ts";
import type { ParsedConfig } from "../config/parse-config.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { catchProblems } from "../model/problems/errors.ts";
import type { ConfigSource } from "../ports/world.ts";
import { type BoundDeployment, bindRead, readDeployment } from "./bind-deployment.ts";
import { missingDependencies } from "./charts/chart-dependencies.ts";
import { listFilesRead } from "./compile-deployment.ts";
import { readLock } from "./read-lock.ts";

/**
 * The files that a deployment reads at one commit, as far as they are known without the slow
 * engine. The paths include the targets of links.
 */
export interface DeploymentFiles {
  /** The config, params files, manifests and lockfile. */
  readonly own: readonly string[];
  /** The directories of this repository from which adapters can be read. */
  readonly folders: readonly string[];
  /** Returns every file, including those of adapters; undefined if they don't compile. */
  all(): Promise<readonly string[] | undefined>;
}

/** Returns undefined for a deployment that fails before the engine, because it doesn't compile. */
export type ListDeploymentFiles = (deployment: Deployment) => Promise<DeploymentFiles | undefined>;

/**
 * Returns a function that determines the files that a deployment of a commit reads.
 * Only the imports decide which files of adapters are read; the values don't. Of all deployments
 * that use the same adapters, qvs compiles one: the first that compiles.
 */
export function createFileLister(
  source: ConfigSource,
  inline: readonly string[],
): ListDeploymentFiles {
  const known = new Map<string, Promise<readonly string[] | undefined>>();
  const listAdapterFiles = (bound: BoundDeployment) => {
    const key = importsKey(bound);
    const previous = known.get(key) ?? Promise.resolve(undefined);
    const files = previous.then((found) => found ?? adapterFiles(source, bound));
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
    const { fileEntries } = read.value.parsed;
    const charts = fileEntries.flatMap(chartFiles);
    const isLocked =
      modules.some(isGitModule) ||
      (await usesLockedCharts(source, fileEntries)) ||
      (await locksAdapterCharts(source, read.value.parsed));
    // A kustomization can read any file of the repository.
    const rendered = fileEntries.some(({ form }) => form === "kustomize");
    const lock = isLocked ? [lockfilePath(deployment.config)] : [];
    const linked = await Promise.all(
      [...locals, ...charts].map((path) => source.tree.linkedPaths(path)),
    );
    const own = [deployment.config, ...read.value.files.flat()];
    return {
      own: await listFilesRead(source, deployment, { lock }, own),
      folders: [...linked.flat(), ...(rendered ? [""] : [])],
      all: async () => {
        const bound = await bindRead(source, read.value);
        const files = bound.ok ? await listAdapterFiles(bound.value) : undefined;
        if (files === undefined) return undefined;
        return listFilesRead(source, deployment, { lock }, [...own, ...files]);
      },
    };
  };
}

/** Returns the chart of an entry, if the repository has it, and its values files. */
function chartFiles(entry: ParsedInput): readonly string[] {
  if (entry.form !== "helm") return [];
  const own = entry.remote === undefined ? [entry.path] : [];
  return [...own, ...entry.values.map(({ path }) => path)];
}

/** Reports whether a chart or a dependency of a chart is in the lockfile. */
async function usesLockedCharts(
  { tree }: ConfigSource,
  entries: readonly ParsedInput[],
): Promise<boolean> {
  for (const entry of entries) {
    if (entry.form !== "helm") continue;
    if (entry.remote !== undefined) return true;
    const missing = await catchProblems(() => missingDependencies(tree, entry));
    if (missing.ok && missing.value.ok && missing.value.value.length > 0) return true;
  }
  return false;
}

/**
 * Reports whether adapters can use a chart of the lockfile. Only a compilation shows whether they
 * do.
 */
async function locksAdapterCharts(
  source: ConfigSource,
  { file, designPatterns }: ParsedConfig,
): Promise<boolean> {
  if (designPatterns.length === 0) return false;
  const lock = await readLock(source, file);
  return lock.ok && (lock.value?.charts ?? []).length > 0;
}

/**
 * Returns a key for everything that the imports depend on: the adapters and the modules that
 * contain them. Manifests are part of the key, because they are among the files of the result.
 */
function importsKey({ request: { config }, opened }: BoundDeployment): string {
  const patterns = new Set(config.designPatterns.map(({ pattern }) => pattern));
  const modules = opened.modules.map(({ reference: { name, source }, commit }) => ({
    ...{ name, source, commit },
  }));
  const manifests = (config.inputs ?? []).flatMap(({ files }) => files);
  return JSON.stringify([[...patterns].sort(), modules, manifests.toSorted()]);
}

async function adapterFiles(
  { compiler }: ConfigSource,
  { request }: BoundDeployment,
): Promise<readonly string[] | undefined> {
  const compiled = await compiler.compile({ ...request, lacksCharts: true });
  if (!compiled.ok) return undefined;
  return compiled.value.inputs.filter((path) => path !== request.config.file);
}
