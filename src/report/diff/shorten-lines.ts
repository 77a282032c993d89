import { type ChangeObject, diffWordsWithSpace } from "diff";

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
