import { InvalidArgumentError } from "commander";
import { dnsLabelRule, isDnsLabel } from "../model/cluster/object-names.ts";
import { maxPullRequest } from "../model/deployments/preview-environment.ts";
import { type FailOn, failOnWords, isFailOn } from "../model/problems/fail-on.ts";
import { currentCode } from "../model/problems/previous-codes.ts";
import { readDuration } from "../model/text/duration.ts";
import { closest } from "../model/text/suggest.ts";
import { allowEverything, protectedKinds } from "../ssa/protection.ts";

/** Converts `90s`, `10m` or `1h` to milliseconds. */
export function parseDuration(text: string): number {
  const milliseconds = readDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  throw new InvalidArgumentError(
    "Write a number above 0 followed by s, m or h, for example 90s or 10m.",
  );
}

export function parseCount(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Write a number from 1 to 9999.");
}

/**
 * Parses the start of a plan's digest. Without the check, an invalid digest would stay unnoticed if
 * nothing changes.
 */
export function parseDigest(text: string): string {
  if (/^[0-9a-f]{8,64}$/.test(text)) return text;
  throw new InvalidArgumentError(
    "Write at least 8 characters of a plan's digest, which qvs deploy --dry-run and the comment show.",
  );
}

/** Parses a namespace. Without the check, an invalid name would only show as missing objects. */
export function parseNamespace(text: string): string {
  if (isDnsLabel(text)) return text;
  throw new InvalidArgumentError(`${dnsLabelRule}.`);
}

/** Parses several namespaces, comma-separated. */
export function parseNamespaces(text: string): readonly string[] {
  return splitNames(text).map(parseNamespace);
}

/** Parses the number of a release, or `previous`. */
export function parseRevision(text: string): number | "previous" {
  const previous = "previous";
  if (text === previous) return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  const meant = suggestion(text, [previous]);
  throw new InvalidArgumentError(`${meant}Write the number of a release, or ${previous}.`);
}

/** Parses the number of a pull request. */
export function parsePullRequest(text: string): number {
  const number = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined;
  if (number !== undefined) return number;
  throw new InvalidArgumentError(`Write a number from 1 to ${maxPullRequest}.`);
}

/**
 * Parses the numbers of pull requests, comma-separated; `none` is an empty list. An empty text is
 * an error, because the command that lists them can have failed.
 */
export function parsePullRequests(text: string): readonly number[] {
  const none = "none";
  if (text.trim() === none) return [];
  const numbers = splitNames(text);
  if (numbers.length > 0) return numbers.map(parsePullRequest);
  throw new InvalidArgumentError(`Write numbers, comma-separated, or ${none} without any.`);
}

/** Parses the path of a repository. */
export function parseRepository(text: string): string {
  if (/^[\w.-]+(?:\/[\w.-]+)+$/.test(text)) return text;
  throw new InvalidArgumentError("Write OWNER/NAME, for example acme/shop.");
}

/** Parses the number of a release. */
export function parseReleaseNumber(text: string): number {
  const revision = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
  if (revision !== undefined) return revision;
  throw new InvalidArgumentError("Write the number of a release; qvs releases lists them.");
}

/**
 * Parses the kinds of --allow-delete, one per line or comma-separated. Without the check, a
 * misspelled kind would only show as a blocked deletion.
 */
export function parseProtectedKinds(text: string): readonly string[] {
  const names = splitNames(text);
  const known = [...protectedKinds.keys(), allowEverything];
  const wrong = names.filter((name) => !known.includes(name));
  if (wrong.length === 0) return names;
  const meant = suggestion(wrong[0] ?? "", known);
  throw new InvalidArgumentError(
    `Not a protected kind: ${wrong.join(", ")}. ${meant}Write ${known.slice(0, -1).join(", ")} or ${allowEverything}.`,
  );
}

/**
 * Parses the conditions that fail a preview, one per line or comma-separated. Without the check, a
 * misspelled condition would never fail.
 */
export function parseFailOn(text: string): readonly FailOn[] {
  const words = splitNames(text);
  const wrong = words.find((word) => !failOnWords.includes(currentCode(word)));
  if (wrong === undefined && words.length > 0) return words.map(currentCode).filter(isFailOn);
  const unknown = wrong === undefined ? "" : `Unknown: ${wrong}. ${suggestion(wrong, failOnWords)}`;
  throw new InvalidArgumentError(
    `${unknown}Write error, warning, deletions, replacements, conflicts, codes of findings, or nothing.`,
  );
}

/** Returns `Did you mean "x"? ` in front of another sentence; empty if no word is similar. */
function suggestion(word: string, words: readonly string[]): string {
  const meant = closest(word, words);
  return meant === undefined ? "" : `Did you mean "${meant}"? `;
}

export function splitNames(text: string): readonly string[] {
  return text
    .split(/[,\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/**
 * Parses a version of Kubernetes, such as `1.37` or `v1.37.2`. `known` contains the versions whose
 * facts are packed, in ascending order.
 */
export function parseKubernetesVersion(text: string, known: readonly string[]): string {
  const [, minor] = /^v?(\d+\.\d+)(?:\.\d\S*)?$/.exec(text.trim()) ?? [];
  const found = known.find((version) => version === minor);
  if (found !== undefined) return found;
  const digits = (version: string) => version.replaceAll(/\D/g, "");
  const meant = known.find((version) => digits(version) === digits(text));
  const suggested = meant === undefined ? "" : `Did you mean "${meant}"? `;
  throw new InvalidArgumentError(
    `qvs doesn't know this version of Kubernetes. ${suggested}Write ${known.slice(0, -1).join(", ")} or ${known.at(-1)}.`,
  );
}

/** Parses a repository on GitHub with a branch, tag or commit: `acme/qvs-action@0123…`. */
export function parseAction(text: string): string {
  if (/^[\w.-]+\/[\w.-]+@[\w./-]+$/.test(text)) return text;
  throw new InvalidArgumentError("Write OWNER/REPO@REF, preferably with a full commit.");
}
