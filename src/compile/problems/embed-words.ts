import type { ExplainedMessage } from "./cue-words.ts";

/** Explains a message of CUE, or of the engine's loader, about an `@embed`. */
export function explainEmbed(message: string): ExplainedMessage {
  const text = message.replace(/^@embed: /, "");
  const rule = rules.find(([pattern]) => pattern.test(text));
  if (rule === undefined)
    return { code: "invalid-cue", what: text, fix: "Correct the file, or the attribute" };
  const [pattern, fix, what] = rule;
  const code = /^cannot embed "|no matches/.test(text) ? "embedded-file-unreadable" : "invalid-cue";
  return { code, what: what === undefined ? text : text.replace(pattern, what), fix };
}

/** A pattern, the fix, and a replacement for the message if CUE's own text is unclear. */
const rules: readonly (readonly [RegExp, string, string?])[] = [
  [
    / does not exist$/,
    "Create the file, or correct its name, which counts from the directory of the CUE file; the Action reads only committed files",
  ],
  [/ leads outside of its module$/, "Replace the link with the file itself"],
  [
    / is too large to embed$/,
    "Embed at most 10 MB in one file, and at most 50 MB together with all CUE",
  ],
  [
    / is (a directory|not a regular file that can be read)$/,
    "Name a regular file that can be read; glob= embeds all files of a directory",
  ],
  [
    /^no matches for glob pattern (.+)$/s,
    "Correct the pattern, which counts from the directory of the CUE file, or add allowEmptyGlob; the Action reads only committed files",
    "no file matches the glob $1",
  ],
  [
    /^unknown file extension (.+)$/s,
    "Add the type to the attribute: type=text, type=json or type=yaml",
    "the type of a file that ends in $1 is unknown",
  ],
  [
    /parent directory$|^only relative|in different module$/,
    "Move the file below the directory of the CUE file, into the same module",
  ],
  [
    /^streaming not implemented: .*$/s,
    "Split it into files with one document each, and embed them with glob=",
    "the embedded file contains several documents",
  ],
];
