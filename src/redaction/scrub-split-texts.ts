/** Shorter strings occur by chance if gaps are ignored. */
const minLength = 16;

/**
 * Matches gaps: line wrapping, escapes of Markdown and JSON, colors, and invisible separators of
 * words.
 */
const gaps =
  /(?:\s|\\[nrt]|\\|[\u00ad\u200b-\u200d\u2060\ufeff]|\p{Cc}\[[\d;]{0,20}m|<!-- -->|<wbr>|<br>)/gu;

/**
 * Matches the same gaps, and the marks of a diff, a quotation or a table at the start of a line.
 */
const gapsWithMarks =
  /(?:\n[ \t]{0,80}[>|+-]|\s|\\[nrt]|\\|[\u00ad\u200b-\u200d\u2060\ufeff]|\p{Cc}\[[\d;]{0,20}m|<!-- -->|<wbr>|<br>)/gu;

/** Replaces `texts` by `(hidden)` even if line wrapping or escapes split them. */
export function scrubSplitTexts(message: string, texts: readonly string[]): string {
  if (message.length < minLength) return message;
  return [gaps, gapsWithMarks].reduce((rest, gap) => scrubAcrossGaps(rest, texts, gap), message);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function scrubAcrossGaps(message: string, texts: readonly string[], gap: RegExp): string {
  const { joined, placeOf } = withoutGaps(message, gap);
  if (joined.length === message.length) return message;
  const needles = new Set(texts.map((text) => text.replaceAll(gaps, "")));
  const ranges = [...needles]
    .filter((needle) => needle.length >= minLength)
    .flatMap((needle) => occurrences(joined, needle))
    .map(({ start, end }) => ({ start: placeOf(start), end: placeOf(end - 1) + 1 }));
  return replaceRanges(message, ranges);
}

function occurrences(text: string, needle: string): readonly Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length))
    found.push({ start: at, end: at + needle.length });
  return found;
}

/**
 * Returns the text without its gaps, and a function that maps a position in it to the original
 * text.
 */
function withoutGaps(text: string, gap: RegExp) {
  const parts: { readonly from: number; readonly at: number }[] = [];
  let joined = "";
  let at = 0;
  const take = (end: number) => {
    if (end > at) parts.push({ from: joined.length, at });
    joined += text.slice(at, end);
  };
  for (const { 0: found, index } of text.matchAll(gap)) {
    take(index);
    at = index + found.length;
  }
  take(text.length);
  return { joined, placeOf: (place: number) => originalIndex(parts, place) };
}

/** Finds the part by binary search, because a document has as many parts as words. */
function originalIndex(parts: readonly { from: number; at: number }[], place: number): number {
  let [low, high] = [0, parts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((parts[middle]?.from ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  const part = parts[low];
  return part === undefined ? place : part.at + place - part.from;
}

/**
 * Replaces ranges. They can overlap, because one form of a string contains parts of other forms.
 */
function replaceRanges(message: string, ranges: readonly Range[]): string {
  let rest = "";
  let at = 0;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= at) continue;
    if (start >= at) rest += `${message.slice(at, start)}(hidden)`;
    at = end;
  }
  return rest + message.slice(at);
}
