import { diffArrays } from "diff";

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
