/** Returns the name of the file that a fence shows: `file=PATH` or `[PATH]` after its language. */
export function fileNameIn(info: string): string | undefined {
  const [, written, title] = / (?:file=(\S+)|\[([^\]]+)\])/.exec(info) ?? [];
  return written ?? title;
}

/** Returns which lines of a `console` block belong to commands and not to output. */
export function commandLines(lines: readonly string[]): readonly boolean[] {
  let continues = false;
  return lines.map((line) => {
    const isCommand = line.startsWith("$ ") || continues;
    continues = isCommand && line.endsWith("\\");
    return isCommand;
  });
}

/**
 * Returns the class of a line of a diff. qvs indents diffs by four columns, below a line such as
 * `~ update  Deployment shop/web`.
 */
export function diffKindOf(text: string): string | undefined {
  if (/^ {4}@@ .* @@/.test(text)) return "diff-place";
  const sign = /^ {4}([-+])/.exec(text) ?? /^([-+~]) [a-z]+ +[A-Z]\w* /.exec(text);
  return sign === null ? undefined : kinds.get(sign[1] ?? "");
}

const kinds: ReadonlyMap<string, string> = new Map([
  ["+", "diff-added"],
  ["-", "diff-removed"],
  ["~", "diff-changed"],
]);
