/**
 * Writes characters that are invisible, or that change how others look, as JavaScript escapes, so
 * that a reader sees all of the text. Line ends and tabs stay, and so do emojis and the joiners
 * within words of scripts that need them.
 */
export function visible(text: string): string {
  return replaceHidden(text, escapeChar);
}

/** Replaces the same characters by another notation. */
export function replaceHidden(text: string, write: (char: string) => string): string {
  if (!/[^\n\t\x20-\x7e]/.test(text)) return text;
  suspicious ??= new RegExp(hidden, "v");
  if (!suspicious.test(text)) return text;
  eachHidden ??= new RegExp(`${emoji}|${joiner}|(${hidden})`, "gv");
  return text.replaceAll(eachHidden, (char, escaped?: string) =>
    escaped === undefined ? char : write(char),
  );
}

/** Returns the escape of a character, such as `\u202e` or `\u{e0041}`. */
function escapeChar(char: string): string {
  const digits = (char.codePointAt(0) ?? 0).toString(16);
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, "0")}`;
}

/**
 * Matches controls, format characters, unpaired surrogates, private use, noncharacters and
 * characters without a glyph. It also matches all spaces except U+0020 and the wide East Asian
 * space, which can't be confused with others. Arabic and related signs that enclose a number are
 * format characters, but they are visible.
 */
const hiddenChars = String.raw`[[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\ufffc]--[\n\t \u3000\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]`;

/**
 * The maximum number of marks on one letter. No language needs more, and each further mark would
 * cover the lines around it.
 */
const maxMarks = 8;

/**
 * Matches a mark without a letter. It would be drawn over the character before it, which can be a
 * character of qvs's own text.
 */
const strayMark = String.raw`(?<![\p{L}\p{M}\p{N}\u200c\u200d\u25cc])\p{M}|(?<=\p{M}{${maxMarks}})\p{M}`;

/** Matches a letter of a script that uses joiners and non-joiners. */
const joining = String.raw`[[\p{L}\p{M}]&&[\p{scx=Arabic}\p{scx=Syriac}\p{scx=Mongolian}\p{scx=Devanagari}\p{scx=Bengali}\p{scx=Gurmukhi}\p{scx=Gujarati}\p{scx=Oriya}\p{scx=Tamil}\p{scx=Telugu}\p{scx=Kannada}\p{scx=Malayalam}\p{scx=Sinhala}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]]`;
const joiner = String.raw`(?<=${joining})[\u200c\u200d](?=${joining})`;

/**
 * Matches keycaps, flags of parts of a country, colored variants and joined families. A check
 * against Unicode's list of all recommended emojis would take seconds for a long text.
 */
const emoji = String.raw`[0-9#*]\ufe0f\u20e3|\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|(?<=\p{Extended_Pictographic})\ufe0f|(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})`;

const hidden = `${hiddenChars}|${strayMark}`;

/** V8 takes 1 ms to create the first pattern, and 5 ms for the second. Most runs need none. */
let suspicious: RegExp | undefined;
/** Keeps the matches of the first alternatives and captures only hidden characters. */
let eachHidden: RegExp | undefined;
