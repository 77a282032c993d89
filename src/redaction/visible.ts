/**
 * Characters that can't be seen, or that change how others are seen, are written out as in JavaScript: a reader must see what is
 * there. Line ends and tabs stay. So do emojis, and the joiners within words of the scripts
 * that need them.
 */
export function visible(text: string): string {
  return replaceHidden(text, escaped);
}

/** The same in another notation. */
export function replaceHidden(text: string, write: (char: string) => string): string {
  if (!suspicious.test(text)) return text;
  return text.replaceAll(eachHidden, (char, hidden?: string) =>
    hidden === undefined ? char : write(char),
  );
}

/** `\u202e`, `\u{e0041}`. */
function escaped(char: string): string {
  const digits = (char.codePointAt(0) ?? 0).toString(16);
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, "0")}`;
}

/**
 * Controls, formats, halves of pairs, private use, what is no character or is drawn as nothing, and all spaces but the two that
 * cannot be taken for another: U+0020 and the wide one of East Asian scripts. Signs of Arabic and its neighbours that enclose a
 * number are formats, too, but seen.
 */
const hiddenChars = String.raw`[[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\ufffc]--[\n\t \u3000\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]`;

/** Of one letter; no language needs more, and each further one would be drawn over the lines around. */
const mostMarks = 8;

/** A mark without a letter below it is drawn over what stands before it, which may be a sign of ours. */
const strayMark = String.raw`(?<![\p{L}\p{M}\p{N}\u200c\u200d\u25cc])\p{M}|(?<=\p{M}{${mostMarks}})\p{M}`;

/** A non-joiner or joiner between letters of scripts that are written with them. */
const joining = String.raw`[[\p{L}\p{M}]&&[\p{scx=Arabic}\p{scx=Syriac}\p{scx=Mongolian}\p{scx=Devanagari}\p{scx=Bengali}\p{scx=Gurmukhi}\p{scx=Gujarati}\p{scx=Oriya}\p{scx=Tamil}\p{scx=Telugu}\p{scx=Kannada}\p{scx=Malayalam}\p{scx=Sinhala}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]]`;
const joiner = String.raw`(?<=${joining})[\u200c\u200d](?=${joining})`;

/**
 * Keycaps, the flags of parts of a country, coloured variants, and families that are joined. Asking Unicode's list of all
 * recommended emojis instead would take seconds for a long text.
 */
const emoji = String.raw`[0-9#*]\ufe0f\u20e3|\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|(?<=\p{Extended_Pictographic})\ufe0f|(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})`;

const suspicious = new RegExp(`${hiddenChars}|${strayMark}`, "v");

/** What comes first is kept; only what is hidden is captured. */
const eachHidden = new RegExp(`${emoji}|${joiner}|(${hiddenChars}|${strayMark})`, "gv");
