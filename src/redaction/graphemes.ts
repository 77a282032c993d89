import { lazily } from "../model/lazily.ts";

/**
 * Splits text into user-perceived characters: a letter with its marks, a surrogate pair, a family
 * of emojis.
 */
export function splitGraphemes(text: string): readonly string[] {
  return plainPattern.test(text)
    ? [...text]
    : Array.from(segmenter().segment(text), (each) => each.segment);
}

/**
 * Shortens a text of more than `most` UTF-16 units to the first `kept` units and `…`, without
 * splitting a character.
 * The result must still be encoded. Shortening encoded text could split an escape.
 */
export function shorten(text: string, most: number, kept = most): string {
  if (text.length <= most) return text;
  return `${text.slice(0, segmenter().segment(text).containing(kept)?.index ?? kept)}…`;
}

/**
 * Matches text in which every character stands alone. A line end of two characters doesn't match.
 */
const plainPattern = /^[\n -~]*$/;

/**
 * Created for the first text that needs it. Its tables take 10 ms to read, and most runs print only
 * plain text.
 */
const segmenter = lazily(() => new Intl.Segmenter("en", { granularity: "grapheme" }));
