import type { LockedSource } from "../../model/locked-source.ts";
import { chartName } from "../../model/remote-chart.ts";
import { removeCredentials } from "../../redaction/hide-credentials.ts";
import { type LockedChart, type LockedModule, type Lockfile, lockEntryName } from "./lockfile.ts";

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
