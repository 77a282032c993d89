import type { Position } from "../../model/problems/problem.ts";
import type { GitSource } from "../../model/sources/config.ts";
import type { LockedSource } from "../../model/sources/locked-source.ts";
import { chartName, chartTitle, type RemoteChart } from "../../model/sources/remote-chart.ts";
import { removeCredentials } from "../../redaction/hide-credentials.ts";

/** The locked state of a Git module or of a remote base. */
export interface LockEntry {
  /** The repository as the config writes it, or as Kustomize reads it from the address. */
  readonly repository: string;
  readonly revision: string;
  /** The directory of the module or the base in the repository; "" for the root. */
  readonly path: string;
  /** The full ID of the commit that the revision pointed to. */
  readonly commit: string;
  /**
   * `sha256:…` over the module's CUE files, as the module store computes it, or over the files that
   * Kustomize reads for the base.
   */
  readonly hash: string;
}

export interface LockedModule extends LockEntry {
  readonly where: Position;
}

/** The locked content of a chart of a registry or a Helm repository. */
export interface ChartLock extends RemoteChart {
  /** `sha256:…` of the packed chart. */
  readonly digest: string;
}

export interface LockedChart extends ChartLock {
  readonly where: Position;
}

/** The entries of a `qvs.lock`. */
export interface LockEntries {
  readonly modules: readonly LockEntry[];
  readonly charts: readonly ChartLock[];
  /** The remote bases of kustomizations. */
  readonly bases: readonly LockEntry[];
}

/** A `qvs.lock`. It applies to all configs of its directory. */
export interface Lockfile extends LockEntries {
  readonly file: string;
  readonly modules: readonly LockedModule[];
  readonly charts: readonly LockedChart[];
  readonly bases: readonly LockedModule[];
}

/** Returns the path of the lockfile next to a config. */
export function lockfilePath(config: string): string {
  return config.replace(/(?<![^/])[^/]*$/, "qvs.lock");
}

/**
 * Returns the key of an entry. Two modules with the same key have the same content and share one
 * entry.
 */
export function lockEntryKey(source: Pick<LockEntry, "repository" | "revision" | "path">): string {
  return JSON.stringify([source.repository, source.path, source.revision]);
}

export function sourceKey({ repo, revision, path }: GitSource): string {
  return lockEntryKey({ repository: repo, revision, path });
}

/** Returns the name of an entry in messages, e.g. `github.com/acme/mono (adapters)`. */
export function lockEntryName({
  repository,
  path,
}: Pick<LockEntry, "repository" | "path">): string {
  return path === "" ? repository : `${repository} (${path})`;
}

export function chartLockKey({ repository = "", chart, version }: RemoteChart): string {
  return JSON.stringify([repository, chart, version]);
}

/** A locked module, chart or remote base as messages name it. */
export interface LockItem {
  readonly key: string;
  /** The name in a list, such as `github.com/acme/adapters v1`. */
  readonly label: string;
  /** The subject of a sentence, such as `Module github.com/acme/adapters at "v1"`. */
  readonly title: string;
  /** The commit, or the digest of a chart. */
  readonly pinned: string;
  /** The hash of a module or a base; undefined for a chart, whose digest is its hash. */
  readonly hash: string | undefined;
}

export function moduleItem(entry: LockEntry): LockItem {
  const name = lockEntryName(entry);
  return {
    key: lockEntryKey(entry),
    label: `${name} ${entry.revision}`,
    title: `Module ${name} at "${entry.revision}"`,
    pinned: entry.commit,
    hash: entry.hash,
  };
}

export function baseItem(entry: LockEntry): LockItem {
  const item = moduleItem(entry);
  // A repository can be a module and a base.
  const key = JSON.stringify(["base", item.key]);
  const title = `Remote base ${lockEntryName(entry)} at "${entry.revision}"`;
  return { ...item, key, title };
}

export function chartItem(entry: ChartLock): LockItem {
  return {
    key: chartLockKey(entry),
    label: `${chartTitle(entry)} ${entry.version}`,
    title: `Chart ${chartTitle(entry)} at "${entry.version}"`,
    pinned: entry.digest,
    hash: undefined,
  };
}

/** Returns the source of a module. Only the config contains its name. */
export function lockedModule(name: string, entry: LockedModule): LockedSource {
  return { ...gitSource(entry), type: "module", name };
}

export function lockedBase(entry: LockedModule): LockedSource {
  const source = gitSource(entry);
  return { ...source, type: "base", name: source.from };
}

function gitSource(entry: LockedModule): Omit<LockedSource, "type" | "name"> {
  const { revision: version, commit: pinned, where } = entry;
  return { from: removeCredentials(lockEntryName(entry)), version, pinned, where };
}

export function lockedChart(entry: LockedChart): LockedSource {
  const { chart, repository, version, digest: pinned, where } = entry;
  const name = chartName(entry);
  const from = repository ?? chart.slice(0, -name.length - 1);
  return { type: "chart", name, from, version, pinned, where };
}

/**
 * Returns the entries of a lockfile that have the name of one of these sources. They stand for the
 * sources of a commit that doesn't compile.
 */
export function entriesWithNames(
  lock: Lockfile,
  sources: readonly LockedSource[],
): readonly LockedSource[] {
  const modules = sources.filter(({ type }) => type === "module");
  const entries = [
    ...modules.flatMap(({ name }) => lock.modules.map((entry) => lockedModule(name, entry))),
    ...lock.charts.map(lockedChart),
    ...lock.bases.map(lockedBase),
  ];
  return entries.filter((entry) => sources.some((source) => isNamesake(source, entry)));
}

/** Compares the repositories of modules too, because a lockfile doesn't contain their names. */
function isNamesake(source: LockedSource, entry: LockedSource): boolean {
  const isSame = source.type === entry.type && source.name === entry.name;
  return isSame && (source.type !== "module" || source.from === entry.from);
}
