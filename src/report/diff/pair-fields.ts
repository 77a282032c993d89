import { diffArrays } from "diff";

/**
 * The lines of a hunk with each field's old value right above its new one. A line diff puts all removed lines of neighbours before all
 * added ones, so that a reader has to find out which replaces which. What is within a field stays with it, and only fields of the same
 * name at the same depth are paired: items of a list may have nothing to do with each other.
 */
export function pairFields(lines: readonly string[]): readonly string[] {
  const paired: string[] = [];
  let rest = lines;
  while (rest.length > 0) {
    const removed = leading(rest, "-");
    const added = leading(rest.slice(removed.length), "+");
    const count = removed.length + added.length;
    paired.push(...(count === 0 ? rest.slice(0, 1) : pair(fieldsOf(removed), fieldsOf(added))));
    rest = rest.slice(Math.max(1, count));
  }
  return paired;
}

function leading(lines: readonly string[], marker: string): readonly string[] {
  const end = lines.findIndex((line) => !line.startsWith(marker));
  return end < 0 ? lines : lines.slice(0, end);
}

/** A line, and those below it that are indented further. */
type Field = readonly string[];

function fieldsOf(lines: readonly string[]): readonly Field[] {
  const fields: string[][] = [];
  let depth = 0;
  for (const line of lines) {
    const last = fields.at(-1);
    if (last !== undefined && depthOf(line) > depth) last.push(line);
    else {
      fields.push([line]);
      depth = depthOf(line);
    }
  }
  return fields;
}

function depthOf(line: string): number {
  const depth = line.slice(1).search(/\S/);
  // An empty line within a text belongs to it.
  return depth < 0 ? Number.POSITIVE_INFINITY : depth;
}

function pair(before: readonly Field[], after: readonly Field[]): readonly string[] {
  const [old, now] = [[...before], [...after]];
  const take = (from: Field[], count: number) => from.splice(0, count).flat();
  return diffArrays(before.map(nameOf), after.map(nameOf)).flatMap(({ added, removed, count }) => {
    if (removed) return take(old, count);
    if (added) return take(now, count);
    return Array.from({ length: count }, () => [...take(old, 1), ...take(now, 1)]).flat();
  });
}

/** With its indentation. What has none is like nothing else. */
function nameOf([line = ""]: Field): string | symbol {
  return /^ *(?!- )[^\s:][^:]*(?=:( |$))/.exec(line.slice(1))?.[0] ?? Symbol(line);
}
