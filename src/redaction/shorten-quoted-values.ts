/**
 * Shortens values that a rejection quotes. A value that Go printed becomes `{…}`, and so does long
 * JSON.
 * Servers before Kubernetes 1.34 print templates in Go syntax, with addresses such as
 * `(*int64)(0x1ca2)` that differ in each response.
 */
export function shortenQuotedValues(message: string): string {
  let [rest, shown] = [message, ""];
  for (let found = quotedValue.exec(rest); found !== null; found = quotedValue.exec(rest)) {
    const [start, type = ""] = [found.index, found[1]];
    const open = start + type.length;
    const end = valueEnd(rest, open);
    const isShort = type === "" && end - open <= maxValueLength;
    shown += rest.slice(0, start);
    shown += isShort ? rest.slice(start, end) : `${rest[open]}…${rest[open] === "[" ? "]" : "}"}`;
    rest = rest.slice(end);
  }
  return shown + rest;
}

const maxValueLength = 200;

/**
 * Matches `core.PodTemplateSpec{`, `[]core.Volume{`, `map[string]string{`, or JSON without a type.
 */
const quotedValue =
  /(?<=(?:Invalid|Unsupported|Duplicate) value: )(&?(?:\[\])?\*?(?:map\[[\w.]+\])?[\w.*]*)(?:\{|(?<=: )\[)/;

/** Returns the end of the value whose bracket opens at `open`. Brackets in strings don't count. */
function valueEnd(text: string, open: number): number {
  const tokens = /"(?:[^"\\]|\\.)*"|`[^`]*`|[{}[\]]/gs;
  tokens.lastIndex = open;
  let depth = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (/^[{[]/.test(token[0])) depth++;
    else if (/^[}\]]/.test(token[0])) depth--;
    if (depth === 0) return tokens.lastIndex;
  }
  return text.length;
}
