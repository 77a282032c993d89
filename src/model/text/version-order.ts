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
