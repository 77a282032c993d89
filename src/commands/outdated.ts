import {
  chartLockKey,
  type LockedModule,
  type Lockfile,
  lockEntryName,
  lockfilePath,
} from "../config/lockfile/lockfile.ts";
import { UserError } from "../model/problems/errors.ts";
import { type Position, type Result, resultProblems } from "../model/problems/problem.ts";
import { chartTitle, type PlacedChart } from "../model/sources/remote-chart.ts";
import type { World } from "../ports/world.ts";
import { readLock } from "../sources/read-lock.ts";
import type { LockedSources } from "../sources/read-locked.ts";
import { readLocked } from "../sources/read-locked.ts";
import { configsByLock } from "./lock.ts";

/** A module, a chart or a remote base that has a newer version. */
interface OutdatedSource {
  readonly type: "chart" | "module" | "base";
  readonly name: string;
  readonly current: string;
  readonly newest: string;
  readonly where: Position;
}

export interface OutdatedSources {
  readonly outdated: readonly OutdatedSource[];
  /** The number of compared modules, charts and remote bases. */
  readonly compared: number;
}

/** A module, a chart or a remote base with the question for its versions. */
interface ComparedSource extends Omit<OutdatedSource, "newest"> {
  readonly versions: () => Promise<Result<readonly string[]>>;
}

/**
 * Returns the modules and charts of all configs, or of those that share a lockfile with `config`,
 * that have a newer version, and such charts of adapters and remote bases of their lockfiles.
 * A module or a base at a branch or a commit has no version.
 * Throws a UserError with all errors.
 */
export async function findOutdated(
  world: World,
  config: string | undefined,
): Promise<OutdatedSources> {
  const configs = [...(await configsByLock(world, config)).values()].flat();
  const read = await Promise.all(configs.map((each) => readLocked(world.source, each)));
  const sources = read.flatMap((each) => (each.ok ? [each.value] : []));
  // Only a lockfile names bases and the charts of adapters. Configs of one directory share it.
  const withLock = sources.filter((each) => each.kustomizations.length > 0 || each.hasAdapters);
  const locks = await Promise.all(
    [...Map.groupBy(withLock, ({ config }) => lockfilePath(config)).values()].map(([first]) =>
      readLock(world.source, first?.config ?? ""),
    ),
  );
  const problems = [...read, ...locks].flatMap(resultProblems);
  if (problems.length > 0) throw new UserError(problems);
  const lockfiles = locks.flatMap((each) => (each.ok ? (each.value ?? []) : []));
  const compared = [
    ...sources.flatMap((each) => comparedSources(world, each)),
    ...adapterCharts(lockfiles, sources).map((each) => comparedChart(world, each)),
    ...lockfiles
      .flatMap(({ bases }) => bases)
      .filter(({ revision }) => isVersion(revision))
      .map((base) => comparedBase(world, base)),
  ];
  const outdated: OutdatedSource[] = [];
  const failures = [];
  for (const { versions, ...source } of compared) {
    const found = await versions();
    failures.push(...resultProblems(found).map((each) => ({ ...each, where: [source.where] })));
    const newest = found.ok ? newestAfter(source.current, found.value) : undefined;
    if (newest !== undefined) outdated.push({ ...source, newest });
  }
  if (failures.length > 0) throw new UserError(failures);
  return { outdated, compared: compared.length };
}

function comparedSources(
  { source }: World,
  { modules, charts }: LockedSources,
): readonly ComparedSource[] {
  return [
    ...modules
      .filter(({ source: { revision } }) => isVersion(revision))
      .map(({ source: { repo, revision, path }, where }) => ({
        type: "module" as const,
        name: lockEntryName({ repository: repo, path }),
        current: revision,
        where,
        versions: () => source.modules.versions(repo, "module"),
      })),
    ...charts.map((chart) => comparedChart({ source }, chart)),
  ];
}

function comparedChart({ source }: Pick<World, "source">, chart: PlacedChart): ComparedSource {
  return {
    type: "chart",
    name: chartTitle(chart),
    current: chart.version,
    where: chart.where,
    versions: () => source.charts.versions(chart),
  };
}

/**
 * Returns the locked charts that no config names: those of adapters, and those that `qvs lock`
 * kept.
 */
function adapterCharts(
  lockfiles: readonly Lockfile[],
  sources: readonly LockedSources[],
): readonly PlacedChart[] {
  const named = new Set(
    sources.flatMap(({ config, charts }) =>
      charts.map((chart) => `${lockfilePath(config)}\n${chartLockKey(chart)}`),
    ),
  );
  return lockfiles.flatMap(({ file, charts }) =>
    charts.filter((chart) => !named.has(`${file}\n${chartLockKey(chart)}`)),
  );
}

/** Reports whether a revision is a tag with a version. */
function isVersion(revision: string): boolean {
  return /^v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(revision);
}

function comparedBase({ source }: World, base: LockedModule): ComparedSource {
  return {
    type: "base",
    name: lockEntryName(base),
    current: base.revision,
    where: base.where,
    versions: () => source.modules.versions(base.repository, "base"),
  };
}

/** A version as Semantic Versioning defines it (https://semver.org). */
interface Version {
  readonly numbers: readonly bigint[];
  /** The identifiers of a prerelease, such as `rc` and `1`; empty for a release. */
  readonly prerelease: readonly string[];
}

/**
 * Returns the newest version after `current`, in the same form. Undefined if there is none, or if
 * `current` isn't a version. A prerelease counts only for a current prerelease.
 */
export function newestAfter(current: string, versions: readonly string[]): string | undefined {
  const from = parseVersion(current);
  if (from === undefined) return undefined;
  let newest: { readonly text: string; readonly version: Version } | undefined;
  for (const text of versions) {
    const version = parseVersion(text);
    if (version === undefined) continue;
    if (version.prerelease.length > 0 && from.prerelease.length === 0) continue;
    if (compareVersions(version, newest?.version ?? from) > 0) newest = { text, version };
  }
  return newest?.text;
}

function parseVersion(text: string): Version | undefined {
  if (text.length > 200) return undefined;
  const [bare = ""] = text.replace(/^v/, "").split("+", 1);
  const dash = bare.indexOf("-");
  const core = (dash < 0 ? bare : bare.slice(0, dash)).split(".");
  if (core.length !== 3 || !core.every((part) => /^\d+$/.test(part))) return undefined;
  const prerelease = dash < 0 ? [] : bare.slice(dash + 1).split(".");
  return { numbers: core.map(BigInt), prerelease };
}

function compareVersions(a: Version, b: Version): number {
  const numbers = a.numbers.map((number, index) => compare(number, b.numbers[index] ?? 0n));
  return numbers.find((order) => order !== 0) ?? comparePrereleases(a.prerelease, b.prerelease);
}

/** A release is newer than its prereleases, and more identifiers are newer than fewer. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return compare(b.length, a.length);
  const orders = a
    .slice(0, b.length)
    .map((part, index) => compareIdentifiers(part, b[index] ?? ""));
  return orders.find((order) => order !== 0) ?? compare(a.length, b.length);
}

/** Numbers precede other identifiers. */
function compareIdentifiers(a: string, b: string): number {
  const [first, second] = [a, b].map((part) => /^\d+$/.test(part));
  if (first && second) return compare(BigInt(a), BigInt(b));
  if (first !== second) return first ? -1 : 1;
  return compare(a, b);
}

function compare<T extends bigint | number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
