import type { Position } from "../problems/problem.ts";

/** A module, a chart or a remote base that a compilation uses, as the lockfile contains it. */
export interface LockedSource extends LockedVersion {
  readonly type: SourceType;
  /** The name of the module or the chart, or the repository of the base with its directory. */
  readonly name: string;
  /** The place in the lockfile. */
  readonly where: Position;
}

export const sourceTypes = ["module", "chart", "base"] as const;
export type SourceType = (typeof sourceTypes)[number];

/** The locked version of a source. */
export interface LockedVersion {
  /** The Git repository, the Helm repository, or the registry with the path of the chart. */
  readonly from: string;
  /** The version of the chart, or the revision in the Git repository. */
  readonly version: string;
  /** The commit, or the digest of the chart. */
  readonly pinned: string;
}

/** A source that differs between two commits. */
export interface ChangedSource {
  readonly type: SourceType;
  readonly name: string;
  /** Undefined if the source is new. */
  readonly before?: LockedVersion | undefined;
  /** Undefined if the source is no longer used. */
  readonly after?: LockedVersion | undefined;
  /** The place in the lockfile of the newer commit, or of the older one for a removed source. */
  readonly where: Position;
}

/**
 * Returns the sources that differ, sorted by type and name. An entry with the same version is the
 * same source. A single other entry of each name counts as moved, first within the same registry or
 * repository.
 */
export function compareSources(
  before: readonly LockedSource[],
  after: readonly LockedSource[],
): readonly ChangedSource[] {
  const changed: ChangedSource[] = [];
  let [old, now] = [distinctSources(before), distinctSources(after)];
  for (const parts of [["from", "version"], ["from"], []] as const) {
    const keyOf = (source: LockedSource) =>
      JSON.stringify([source.type, source.name, ...parts.map((part) => source[part])]);
    const [oldByKey, nowByKey] = [Map.groupBy(old, keyOf), Map.groupBy(now, keyOf)];
    const paired = new Set<LockedSource>();
    for (const [key, [is, ...more]] of nowByKey) {
      const [was, ...others] = oldByKey.get(key) ?? [];
      if (is === undefined || was === undefined || more.length + others.length > 0) continue;
      paired.add(is).add(was);
      changed.push(...comparePair(was, is));
    }
    old = old.filter((each) => !paired.has(each));
    now = now.filter((each) => !paired.has(each));
  }
  changed.push(
    ...old.map(({ type, name, where, ...source }) => ({
      ...{ type, name, where },
      before: versionOf(source),
    })),
    ...now.map(({ type, name, where, ...source }) => ({
      ...{ type, name, where },
      after: versionOf(source),
    })),
  );
  return changed.toSorted(compareNames);
}

function comparePair(was: LockedSource, is: LockedSource): readonly ChangedSource[] {
  const [before, after] = [versionOf(was), versionOf(is)];
  const isSame =
    before.from === after.from &&
    before.version === after.version &&
    before.pinned === after.pinned;
  const { type, name, where } = is;
  return isSame ? [] : [{ type, name, before, after, where }];
}

function versionOf({ from, version, pinned }: LockedVersion): LockedVersion {
  return { from, version, pinned };
}

/** Returns each entry of the lockfile once. Several charts can have the same dependency. */
export function distinctSources(sources: readonly LockedSource[]): readonly LockedSource[] {
  const byKey = sources.map(
    (source) =>
      [
        JSON.stringify([source.type, source.name, source.from, source.version, source.pinned]),
        source,
      ] as const,
  );
  return [...new Map(byKey).values()];
}

function compareNames(a: ChangedSource, b: ChangedSource): number {
  const order = sourceTypes.indexOf(a.type) - sourceTypes.indexOf(b.type);
  if (order !== 0) return order;
  const [left, right] = [a, b].map(({ name, before, after }) =>
    JSON.stringify([name, (after ?? before)?.version, after === undefined]),
  ) as [string, string];
  return left < right ? -1 : Number(left > right);
}

/**
 * Reports whether a version has other content than before: a chart with another digest, or a tag
 * that names another commit. A branch is expected to move. `HEAD` and branches have no version.
 */
export function isReplaced({ type, before, after }: ChangedSource): boolean {
  if (before === undefined || after === undefined) return false;
  const isSameVersion = before.from === after.from && before.version === after.version;
  return (
    isSameVersion &&
    before.pinned !== after.pinned &&
    (type === "chart" || isVersionTag(after.version))
  );
}

/** Reports whether a revision looks like a tag with a version. */
function isVersionTag(revision: string): boolean {
  return /^(?:refs\/tags\/.+|v?\d+(?:\.\d+)*(?:[-+][\w.+-]+)?)$/.test(revision);
}
