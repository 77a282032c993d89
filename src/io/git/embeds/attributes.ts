/** A path or pattern that an `@embed` names, relative to the folder of its CUE file. */
export interface EmbedName {
  readonly type: "file" | "glob";
  readonly path: string;
}

/** A longer attribute is not read: text that never closes a bracket cannot make this slow. */
const maxLength = 2000;

/**
 * Finds the names in all `@embed` of a CUE file without a parser: also those in comments, and in a file that lacks
 * `@extern(embed)`. The engine decides what is embedded; it can read nothing else.
 */
export function embedNames(text: string): readonly EmbedName[] {
  const starts = text.matchAll(/@embed\s*\(/g);
  return Array.from(starts).flatMap(({ index, 0: start }) => {
    const from = index + start.length;
    return namesIn(partsOf(text.slice(from, from + maxLength)));
  });
}

function namesIn(parts: readonly string[]): readonly EmbedName[] {
  return parts.flatMap((part) => {
    const [, type, value = ""] = /^\s*(file|glob)\s*=(.*)$/s.exec(part) ?? [];
    return type === "file" || type === "glob" ? [{ type, path: unquote(value.trim()) }] : [];
  });
}

/** The text up to the bracket that closes the attribute, divided at its commas; nothing when there is none. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const each = text[at] ?? "";
    if (each === '"' || each === "'") at = endOfString(text, at);
    if ("([{".includes(each)) depth += 1;
    if (")]}".includes(each)) depth -= 1;
    if (depth < 0) return [...parts, text.slice(start, at)];
    if (each === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [];
}

/** Where the string that begins at `from` has its closing quote, or else where its line ends. */
function endOfString(text: string, from: number): number {
  const isRaw = text[from - 1] === "#";
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === "\n") return at;
    if (text[at] === "\\" && !isRaw) at += 1;
    else if (text[at] === text[from] && (!isRaw || text[at + 1] === "#")) return at;
  }
  return text.length;
}

function unquote(value: string): string {
  const [, signs = "", quote, inner = ""] = /^(#*)(["'])(.*)\2\1$/s.exec(value) ?? [];
  if (quote === undefined) return value;
  return signs === "" ? withoutEscapes(inner) : inner;
}

/** With the escapes that JSON has as well; of any other the character itself is taken. */
function withoutEscapes(inner: string): string {
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    return inner.replace(/\\(.)/gs, "$1");
  }
}
