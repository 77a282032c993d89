import { lazily } from "../model/lazily.ts";

/** What people take for one character: a letter with its marks, a pair of surrogates, a family of emojis. */
export function graphemesOf(text: string): readonly string[] {
  return isPlain.test(text)
    ? [...text]
    : Array.from(segmenter().segment(text), (each) => each.segment);
}

/**
 * The first `kept` UTF-16 units of a text that has more than `most`, and `…`; never a part of a character. It is text from elsewhere
 * still: what is cut after it was encoded could end within an escape.
 */
export function shorten(text: string, most: number, kept = most): string {
  if (text.length <= most) return text;
  return `${text.slice(0, segmenter().segment(text).containing(kept)?.index ?? kept)}…`;
}

/** Every character is one of its own. A line end of two is no plain text. */
const isPlain = /^[\n -~]*$/;

/** With the first text that needs it: its tables take 10 ms to read, and most runs print plain text only. */
const segmenter = lazily(() => new Intl.Segmenter("en", { granularity: "grapheme" }));
