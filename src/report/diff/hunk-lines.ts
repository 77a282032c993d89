import { type ChangeObject, diffArrays, diffWordsWithSpace } from "diff";

/** A longer line is wider than every place that shows it. */
const longLine = 160;
/** The number of characters shown around a changed word. */
const around = 24;

/**
 * Shortens the lines of a hunk. Long lines that replace each other keep only the words that differ.
 */
export function shortenLines(lines: readonly string[]): readonly string[] {
  const shown = [...lines];
  for (let start = 0; start < lines.length; start += 1) {
    const removed = run(lines, start, "-");
    const added = run(lines, start + removed, "+");
    if (removed > 0 && removed === added) {
      for (let i = start; i < start + removed; i += 1) {
        const [before = "", after = ""] = [lines[i], lines[i + removed]];
        if (Math.min(before.length, after.length) <= longLine) continue;
        [shown[i], shown[i + removed]] = changedParts(before, after);
      }
    }
    start += Math.max(0, removed + added - 1);
  }
  return shown;
}

function run(lines: readonly string[], start: number, marker: string): number {
  const end = lines.findIndex((line, i) => i >= start && !line.startsWith(marker));
  return (end < 0 ? lines.length : end) - Math.min(start, lines.length);
}

function changedParts(before: string, after: string): [string, string] {
  const parts = diffWordsWithSpace(before.slice(1), after.slice(1), { maxEditLength: 400 });
  if (parts === undefined) return [before, after];
  const side = (isOther: (part: ChangeObject<string>) => boolean) =>
    parts
      .filter((part) => !isOther(part))
      .map(({ value, added, removed }, i, all) =>
        added || removed ? value : cutMiddle(value, i === 0, i === all.length - 1),
      )
      .join("");
  return [`-${side(({ added }) => added)}`, `+${side(({ removed }) => removed)}`];
}

function cutMiddle(text: string, isFirst: boolean, isLast: boolean): string {
  const start = isFirst ? around * 2 : around;
  const head = isFirst ? text.slice(0, start) : text.slice(0, around);
  const tail = text.slice(-around);
  if (text.length <= head.length + tail.length + 3) return text;
  return isLast ? `${head}…` : `${head}…${tail}`;
}

/**
 * Reorders the lines of a hunk so that each field's old value is directly above its new value.
 * A line diff lists all removed lines of adjacent fields first, so a reader has to match them.
 * Nested lines stay with their field. Only fields of the same name and depth are paired, because
 * list items can be unrelated.
 */
export function pairFields(lines: readonly string[]): readonly string[] {
  const paired: string[] = [];
  let rest = lines;
  while (rest.length > 0) {
    const removed = leading(rest, "-");
    const added = leading(rest.slice(removed.length), "+");
    const count = removed.length + added.length;
    paired.push(
      ...(count === 0 ? rest.slice(0, 1) : pair(splitFields(removed), splitFields(added))),
    );
    rest = rest.slice(Math.max(1, count));
  }
  return paired;
}

function leading(lines: readonly string[], marker: string): readonly string[] {
  const end = lines.findIndex((line) => !line.startsWith(marker));
  return end < 0 ? lines : lines.slice(0, end);
}

/** A line with the more indented lines below it. */
type FieldLines = readonly string[];

function splitFields(lines: readonly string[]): readonly FieldLines[] {
  const fields: string[][] = [];
  let depth = 0;
  for (const line of lines) {
    const last = fields.at(-1);
    if (last !== undefined && lineDepth(line) > depth) last.push(line);
    else {
      fields.push([line]);
      depth = lineDepth(line);
    }
  }
  return fields;
}

function lineDepth(line: string): number {
  const depth = line.slice(1).search(/\S/);
  // An empty line within a string belongs to that string.
  return depth < 0 ? Number.POSITIVE_INFINITY : depth;
}

function pair(before: readonly FieldLines[], after: readonly FieldLines[]): readonly string[] {
  const [old, now] = [[...before], [...after]];
  const take = (from: FieldLines[], count: number) => from.splice(0, count).flat();
  return diffArrays(before.map(fieldName), after.map(fieldName)).flatMap(
    ({ added, removed, count }) => {
      if (removed) return take(old, count);
      if (added) return take(now, count);
      return Array.from({ length: count }, () => [...take(old, 1), ...take(now, 1)]).flat();
    },
  );
}

/**
 * Returns the name of a field with its indentation. A line without a name matches no other line.
 */
function fieldName([line = ""]: FieldLines): string | symbol {
  return /^ *(?!- )[^\s:][^:]*(?=:( |$))/.exec(line.slice(1))?.[0] ?? Symbol(line);
}
