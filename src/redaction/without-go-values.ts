/**
 * Shortens values that a refusal quotes: what Go has printed becomes `{…}`, and what fills a screen
 * as JSON, too. Servers before Kubernetes 1.34 print templates in the syntax of Go, with addresses
 * such as `(*int64)(0x1ca2)` that differ in each answer.
 */
export function withoutLongValues(message: string): string {
  let [rest, shown] = [message, ""];
  for (let found = value.exec(rest); found !== null; found = value.exec(rest)) {
    const [start, type = ""] = [found.index, found[1]];
    const open = start + type.length;
    const end = endOf(rest, open);
    const isShort = type === "" && end - open <= longestValue;
    shown += rest.slice(0, start);
    shown += isShort ? rest.slice(start, end) : `${rest[open]}…${rest[open] === "[" ? "]" : "}"}`;
    rest = rest.slice(end);
  }
  return shown + rest;
}

const longestValue = 200;

/** `core.PodTemplateSpec{`, `[]core.Volume{`, `map[string]string{`, or JSON without a type. */
const value =
  /(?<=(?:Invalid|Unsupported|Duplicate) value: )(&?(?:\[\])?\*?(?:map\[[\w.]+\])?[\w.*]*)(?:\{|(?<=: )\[)/;

/** Returns where the value ends whose bracket opens here. Brackets in strings don't count. */
function endOf(text: string, open: number): number {
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
