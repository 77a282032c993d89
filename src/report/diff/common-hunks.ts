import { releaseNamespaceLabel } from "../../model/annotations.ts";
import type { DeploymentReview } from "../review/review.ts";
import type { Row } from "../rows/row.ts";
import { diffTextLines, type TextDiff, type TextHunk } from "./text-diff.ts";

/** A change that several objects have in common. */
export interface CommonHunk {
  readonly key: string;
  readonly names: readonly string[];
  readonly lines: readonly string[];
}

/** A list of the names would be longer than the saved lines if fewer objects share a hunk. */
const minObjects = 3;

interface RowWithDiff {
  readonly name: string;
  readonly diff?: TextDiff | undefined;
}

/** Returns the equal changes at the same place of several objects, the most frequent first. */
export function commonHunks(rows: readonly RowWithDiff[]): readonly CommonHunk[] {
  const all = rows.flatMap(({ name, diff }) =>
    comparableHunks(diff).flatMap((hunk) => {
      const key = hunkKey(hunk);
      return key === undefined ? [] : [{ key, name }];
    }),
  );
  return [...Map.groupBy(all, ({ key }) => key)]
    .map(([key, found]) => ({
      key,
      names: [...new Set(found.map(({ name }) => name))],
      lines: key.split("\n"),
    }))
    .filter(({ names }) => names.length >= minObjects)
    .toSorted((a, b) => b.names.length - a.names.length);
}

/** Returns a diff without the common hunks. Undefined if nothing is left. */
export function withoutCommonHunks(
  diff: TextDiff | undefined,
  common: readonly CommonHunk[],
): TextDiff | undefined {
  const keys = new Set(common.map(({ key }) => key));
  const isOwn = (hunk: TextHunk) => !keys.has(hunkKey(hunk) ?? "");
  if (diff === undefined || diff.hunks.every(isOwn)) return diff;
  const hunks = diff.hunks.filter(isOwn);
  if (hunks.length === 0) return undefined;
  const lines = diffTextLines({ ...diff, hunks });
  const count = (marker: string) => lines.filter((line) => line.startsWith(marker)).length;
  return { ...diff, hunks, added: count("+"), removed: count("-") };
}

function comparableHunks(diff: TextDiff | undefined): readonly TextHunk[] {
  return diff === undefined || diff.words !== undefined ? [] : diff.hunks;
}

/**
 * Returns the place and the changed lines of a hunk.
 * It includes the fields that lead to each edit after the first. Other context lines can differ
 * between objects. Undefined without a place: the whole object is then new or deleted.
 */
function hunkKey({ place, lines }: TextHunk): string | undefined {
  if (place === undefined) return undefined;
  const changed = lines.filter((line, i) => isEdit(line) || leadsToEdit(lines, i));
  const spare = Math.min(...changed.map(lineIndent));
  const header = `@@ ${place === "" ? "top level" : place} @@`;
  return [header, ...changed.map((line) => line.slice(0, 1) + line.slice(1 + spare))].join("\n");
}

function isEdit(line: string): boolean {
  return /^[-+]/.test(line);
}

/** Reports whether a line between two edits is a parent field of the later edit. */
function leadsToEdit(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? "";
  if (!line.startsWith(" ") || !lines.slice(0, index).some(isEdit)) return false;
  const rest = lines.slice(index + 1);
  const end = rest.findIndex((each) => lineIndent(each) <= lineIndent(line));
  return rest.slice(0, end < 0 ? rest.length : end).some(isEdit);
}

function lineIndent(line: string): number {
  return line.slice(1).search(/\S|$/);
}

/** The objects whose diff an earlier section shows, with the name of that deployment. */
export type RepeatedDiffs = ReadonlyMap<Row, string>;

/** Finds equal diffs in several deployments. Only the first one is shown. */
export function repeatedDiffs(sections: readonly DeploymentReview[]): RepeatedDiffs {
  const all = sections.flatMap(({ name, rows }) => rows.map((row) => ({ name, row })));
  const alike = Map.groupBy(all, ({ row }) => changeKey(row));
  const repeated = [...alike].flatMap(([key, [first, ...others]]) =>
    key === undefined || first === undefined
      ? []
      : others
          .filter(({ name }) => name !== first.name)
          .map(({ row }) => [row, first.name] as const),
  );
  return new Map(repeated);
}

/**
 * Returns a key for equal changes.
 * Undefined if there is no diff, or if a value is hidden, such as a Secret's.
 */
function changeKey({ name, action, diff }: Row): string | undefined {
  const lines = diffTextLines(diff);
  if (diff === undefined || lines.some(isHidden)) return undefined;
  const [kind = "", place = ""] = name.split(" ");
  const slash = place.lastIndexOf("/");
  const namespace = slash < 0 ? undefined : place.slice(0, slash);
  const isPlace = (line: string) =>
    line.slice(1).trim() === `namespace: ${namespace}` ||
    line.includes(`${releaseNamespaceLabel}: `);
  const shown = lines.filter((line) => !isPlace(line));
  return [action, kind, place.slice(slash + 1), ...(diff.words ?? []), ...shown].join("\n");
}

/** Reports whether a line hides a value. Two different hidden values look the same. */
function isHidden(line: string): boolean {
  return /\((hidden|changed|added|removed)\)/.test(line);
}
