import { discoverDeployments, findConfigs } from "../config/discover-deployments.ts";
import {
  compareLockfiles,
  describeLockChange,
  staleEntryProblems,
} from "../config/lockfile/compare-lockfiles.ts";
import {
  type ChartLock,
  type LockEntries,
  type LockEntry,
  type Lockfile,
  lockfilePath,
} from "../config/lockfile/lockfile.ts";
import { parseLockfile, renderLockfile } from "../config/lockfile/parse-lockfile.ts";
import type { GitModule } from "../config/lockfile/verify-module.ts";
import {
  environmentDeployment,
  previewingDeployments,
} from "../config/preview/environment-deployment.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { UserError, userError } from "../model/problems/errors.ts";
import {
  distinct,
  failed,
  ok,
  type Problem,
  type Result,
  resultProblems,
} from "../model/problems/problem.ts";
import type { PlacedChart } from "../model/sources/remote-chart.ts";
import type { ConfigSource, World } from "../ports/world.ts";
import { readOtherLists } from "../sources/find-listing.ts";
import { resolveBases } from "../sources/kustomize/render-kustomization.ts";
import { deploymentsFile, listDeployments } from "../sources/list-deployments.ts";
import { type LockedSources, readLocked } from "../sources/read-locked.ts";
import { findChartsToLock, type LockedConfigs, listOnce } from "./lock-adapter-charts.ts";

/** The new content of one `qvs.lock`. */
export interface LockFile {
  readonly file: string;
  readonly text: string;
  /** True if the existing file has the same content. */
  readonly fresh: boolean;
  /** The differing entries, one line each. */
  readonly changes: readonly string[];
  /** The reasons why the existing file is outdated; empty if it is up to date. */
  readonly stale: readonly Problem[];
}

export interface Locked {
  readonly files: readonly LockFile[];
  /** The reasons why charts of adapters can be missing. */
  readonly notices: readonly Problem[];
}

/**
 * Resolves every revision again (docs/reference/qvs-yaml.md#lockfile), for all configs or for those
 * that share a lockfile with `config`.
 * Writes nothing. Throws a UserError with all errors, because an incomplete lockfile would be
 * wrong.
 */
export async function lock(world: World, config: string | undefined): Promise<Locked> {
  const source = listOnce(world.source);
  const configs = await configsByLock({ ...world, source }, config);
  const listed = await listDeployments(source.tree, world.repositoryName);
  // The workflow of another directory can deploy the same configs.
  const others = await readOtherLists(source.tree);
  const lists = [
    listed.ok ? listed.value : [],
    ...(others.ok ? others.lists.map(({ deployments }) => deployments) : []),
  ];
  const files: Result<ResolvedLock>[] = [];
  // A deployment renders its charts, and each can have 100 MiB.
  for (const [file, members] of configs) {
    const deployments = compiledDeployments(lists, members, world.repositoryName);
    const locked = { configs: members, deployments, areAllRead: others.ok };
    files.push(await resolveLock(source, file, locked));
  }
  const problems = files.flatMap(resultProblems);
  if (problems.length > 0) throw new UserError(problems);
  const resolved = files.flatMap((one) => (one.ok ? [one.value] : []));
  return {
    files: resolved.flatMap(({ lockfile }) => lockfile ?? []),
    notices: distinct(resolved.flatMap(({ notices }) => notices)),
  };
}

/**
 * Returns the configs of each lockfile. All configs in a directory share one, and it contains the
 * entries of each.
 */
export async function configsByLock(
  { source, repositoryName }: World,
  config: string | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const listed = await listDeployments(source.tree, repositoryName);
  if (!listed.ok) throw new UserError(listed.problems);
  const found = findConfigs(await source.tree.list([".yaml"]));
  const named = listed.value.map((deployment) => deployment.config);
  const all = new Set([...found, ...named, ...(config === undefined ? [] : [config])]);
  const byLock = Map.groupBy([...all].sort(), lockfilePath);
  if (config !== undefined) {
    const file = lockfilePath(config);
    return new Map([[file, byLock.get(file) ?? []]]);
  }
  if (byLock.size > 0) return byLock;
  throw userError(
    "config-not-found",
    "No config exists here",
    "Write a config to .valuestream/qvs.yaml",
  );
}

/**
 * Returns the deployments of configs, with an environment of each `preview`. A config that isn't
 * listed gets the deployment that it has without a list.
 */
function compiledDeployments(
  lists: readonly (readonly Deployment[])[],
  configs: readonly string[],
  repositoryName: string,
): readonly Deployment[] {
  const own = lists.flatMap(withEnvironments).filter(({ config }) => configs.includes(config));
  const unlisted = configs.filter((config) => !own.some((each) => each.config === config));
  const derived = discoverDeployments(unlisted, repositoryName);
  return derived.ok ? [...own, ...derived.value] : own;
}

function withEnvironments(listed: readonly Deployment[]): readonly Deployment[] {
  const request = { number: 1, repository: {}, list: deploymentsFile };
  const environments = previewingDeployments(listed).map((entry) =>
    environmentDeployment(entry, listed, request),
  );
  return [...listed, ...environments];
}

interface ResolvedLock {
  /** Undefined if there is nothing to lock and no existing lockfile. */
  readonly lockfile: LockFile | undefined;
  readonly notices: readonly Problem[];
}

/** Resolves a lockfile. */
async function resolveLock(
  source: ConfigSource,
  file: string,
  locked: LockedConfigs,
): Promise<Result<ResolvedLock>> {
  const parsed = await Promise.all(locked.configs.map((config) => readLocked(source, config)));
  const problems = parsed.flatMap(resultProblems);
  if (problems.length > 0) return failed(problems);
  const used = parsed.flatMap((one) => (one.ok ? [one.value] : []));
  const modules = await Promise.all(
    used.flatMap((each) => each.modules).map((module) => resolveModule(source, module)),
  );
  const charts = await resolveCharts(
    source,
    used.flatMap((each) => each.charts),
  );
  const text = await source.tree.read(file);
  const before = text === undefined ? undefined : parseLockfile(file, text);
  const bases = await resolveAllBases(source, used, before);
  const refused = [...modules, ...charts, bases].flatMap(resultProblems);
  if (refused.length > 0) return failed(refused);
  const named = {
    modules: modules.flatMap((one) => (one.ok ? [one.value] : [])),
    charts: charts.flatMap((one) => (one.ok ? [one.value] : [])),
    bases: bases.ok ? bases.value : [],
  };
  const present = before?.ok ? before.value : undefined;
  const added = await findChartsToLock(source, locked, file, named, present);
  const resolved = await resolveCharts(source, added.charts);
  const unresolved = resolved.flatMap(resultProblems);
  if (unresolved.length > 0) return failed(unresolved);
  const own = resolved.flatMap((one) => (one.ok ? [one.value] : []));
  const entries = { ...named, charts: [...named.charts, ...own, ...added.kept] };
  const isEmpty = Object.values(entries).every(({ length }) => length === 0);
  const { notices } = added;
  if (text === undefined && isEmpty) return ok({ lockfile: undefined, notices });
  return ok({ lockfile: compareWithFile(file, before, entries), notices });
}

async function resolveModule(
  { modules }: ConfigSource,
  { source, where }: GitModule,
): Promise<Result<LockEntry>> {
  const { repo, revision, path } = source;
  const fetched = await modules.fetch({ repo, revision, path, locked: undefined });
  if (!fetched.ok) {
    return failed(fetched.problems.map((problem) => ({ ...problem, where: [where] })));
  }
  const { commit, hash } = fetched.value;
  return ok({ repository: repo, revision, path, commit, hash });
}

/** Resolves charts one after another, because each can have 100 MiB. */
async function resolveCharts(
  { charts }: ConfigSource,
  used: readonly PlacedChart[],
): Promise<readonly Result<ChartLock>[]> {
  const resolved: Result<ChartLock>[] = [];
  for (const chart of used) {
    const fetched = await charts.fetch({ ...chart, locked: undefined });
    const { where, ...entry } = chart;
    resolved.push(
      fetched.ok
        ? ok({ ...entry, digest: fetched.value.digest })
        : failed(fetched.problems.map((problem) => ({ ...problem, where: [where] }))),
    );
  }
  return resolved;
}

/** Resolves the remote bases one kustomization after another, because each can read 64 MiB. */
async function resolveAllBases(
  source: ConfigSource,
  used: readonly LockedSources[],
  before: Result<Lockfile> | undefined,
): Promise<Result<readonly LockEntry[]>> {
  // An unreadable lockfile can contain bases.
  const canHaveBases = before !== undefined && !(before.ok && before.value.bases.length === 0);
  const bases: LockEntry[] = [];
  const problems: Problem[] = [];
  for (const { config, kustomizations } of used) {
    for (const entry of kustomizations) {
      const resolved = await resolveBases(source, entry, config, canHaveBases);
      problems.push(...resultProblems(resolved));
      bases.push(...(resolved.ok ? resolved.value : []));
    }
  }
  return problems.length > 0 ? failed(problems) : ok(bases);
}

/** Compares the entries with the existing file. An unreadable lockfile counts as empty. */
function compareWithFile(
  file: string,
  present: Result<Lockfile> | undefined,
  entries: LockEntries,
): LockFile {
  const before = present?.ok ? present.value : { modules: [], charts: [], bases: [] };
  const changes = compareLockfiles(before, entries).map(describeLockChange);
  const stale =
    present === undefined
      ? [missing(file)]
      : present.ok
        ? staleEntryProblems(present.value, entries)
        : present.problems;
  const fresh = stale.length === 0;
  return { file, text: renderLockfile(entries), fresh, changes, stale };
}

function missing(file: string): Problem {
  return {
    code: "lock-file-outdated",
    where: [],
    what: `${file} doesn't exist`,
    why: "Configs in its directory use modules from Git, charts of registries, or remote bases",
    fix: "Run `qvs lock` and commit the file",
  };
}
