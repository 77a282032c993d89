import { linesOf, type TextDiff, type TextHunk } from "./text-diff.ts";

/** A change that several objects have in common. */
export interface CommonHunk {
  readonly key: string;
  readonly names: readonly string[];
  readonly lines: readonly string[];
}

/** For fewer, a list of names would be longer than what it saves. */
const fewestObjects = 3;

interface Compared {
  readonly name: string;
  readonly diff?: TextDiff | undefined;
}

/** What changes in the same way at the same place of several objects, by how many these are. */
export function commonHunks(rows: readonly Compared[]): readonly CommonHunk[] {
  const all = rows.flatMap(({ name, diff }) =>
    hunksOf(diff).flatMap((hunk) => {
      const key = keyOf(hunk);
      return key === undefined ? [] : [{ key, name }];
    }),
  );
  return [...Map.groupBy(all, ({ key }) => key)]
    .map(([key, found]) => ({
      key,
      names: [...new Set(found.map(({ name }) => name))],
      lines: key.split("\n"),
    }))
    .filter(({ names }) => names.length >= fewestObjects)
    .toSorted((a, b) => b.names.length - a.names.length);
}

/** The rest of a diff; undefined where nothing is left. */
export function diffWithout(
  diff: TextDiff | undefined,
  common: readonly CommonHunk[],
): TextDiff | undefined {
  const keys = new Set(common.map(({ key }) => key));
  const isOwn = (hunk: TextHunk) => !keys.has(keyOf(hunk) ?? "");
  if (diff === undefined || diff.hunks.every(isOwn)) return diff;
  const hunks = diff.hunks.filter(isOwn);
  if (hunks.length === 0) return undefined;
  const lines = linesOf({ ...diff, hunks });
  const count = (marker: string) => lines.filter((line) => line.startsWith(marker)).length;
  return { ...diff, hunks, added: count("+"), removed: count("-") };
}

function hunksOf(diff: TextDiff | undefined): readonly TextHunk[] {
  return diff === undefined || diff.words !== undefined ? [] : diff.hunks;
}

/**
 * The place and what changes there, with the fields that lead to each edit after the first: other lines around them may differ. Without
 * a place all of the object is new or gone.
 */
function keyOf({ place, lines }: TextHunk): string | undefined {
  if (place === undefined) return undefined;
  const changed = lines.filter((line, i) => isEdit(line) || leadsToEdit(lines, i));
  const spare = Math.min(...changed.map(indentOf));
  const header = `@@ ${place === "" ? "top level" : place} @@`;
  return [header, ...changed.map((line) => line.slice(0, 1) + line.slice(1 + spare))].join("\n");
}

function isEdit(line: string): boolean {
  return /^[-+]/.test(line);
}

/** Whether a line between two edits is a field that the later one is within. */
function leadsToEdit(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? "";
  if (!line.startsWith(" ") || !lines.slice(0, index).some(isEdit)) return false;
  const rest = lines.slice(index + 1);
  const end = rest.findIndex((each) => indentOf(each) <= indentOf(line));
  return rest.slice(0, end < 0 ? rest.length : end).some(isEdit);
}

function indentOf(line: string): number {
  return line.slice(1).search(/\S|$/);
}
