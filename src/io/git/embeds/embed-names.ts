/** A path or pattern that an `@embed` names, relative to the directory of its CUE file. */
export interface EmbedName {
  readonly type: "file" | "glob";
  readonly path: string;
}

/**
 * The maximum length of an attribute. With it, text that never closes a bracket can't make the
 * search slow.
 */
const maxLength = 2000;

/**
 * Finds the names in every `@embed` of a CUE file, without a parser.
 * It also finds those in comments, and in a file without `@extern(embed)`. The engine decides which
 * of these files it embeds, and can read no other file.
 */
export function findEmbedNames(text: string): readonly EmbedName[] {
  const starts = text.matchAll(/@embed\s*\(/g);
  return Array.from(starts).flatMap(({ index, 0: start }) => {
    const from = index + start.length;
    return parseNames(splitAttribute(text.slice(from, from + maxLength)));
  });
}

function parseNames(parts: readonly string[]): readonly EmbedName[] {
  return parts.flatMap((part) => {
    const [, type, value = ""] = /^\s*(file|glob)\s*=(.*)$/s.exec(part) ?? [];
    return type === "file" || type === "glob" ? [{ type, path: unquote(value.trim()) }] : [];
  });
}

/**
 * Returns the text up to the bracket that closes the attribute, split at its commas. Empty if no
 * bracket closes it.
 */
function splitAttribute(text: string): readonly string[] {
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

/**
 * Returns the position of the closing quote for the string that begins at `from`. Returns the end
 * of its line if the string has no closing quote.
 */
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

/**
 * Replaces escapes as JSON does. If a string has an escape that JSON lacks, every escape becomes
 * its character.
 */
function withoutEscapes(inner: string): string {
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    return inner.replace(/\\(.)/gs, "$1");
  }
}
