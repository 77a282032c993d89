import type { ExplainedMessage } from "./explain-message.ts";

/** Explains a message of CUE, or of the engine's loader, about an `@embed`. */
export function explainEmbed(message: string): ExplainedMessage {
  const text = message.replace(/^@embed: /, "").replace(/^cannot embed ".*?": /s, "");
  const rule = rules.find(([pattern]) => pattern.test(text));
  const code = /^cannot embed "|no matches/.test(message.replace(/^@embed: /, ""))
    ? "embedded-file-unreadable"
    : "invalid-cue";
  if (rule === undefined) {
    return {
      code: "invalid-cue",
      what: "the embedded file can't be used",
      facts: [{ label: "cue", value: text }],
      fix: "Correct the file",
      otherwise: ["correct the attribute"],
    };
  }
  const [pattern, what, ...fixes] = rule;
  const [fix, ...otherwise] = fixes;
  return {
    code,
    what: text.replace(pattern, what),
    fix,
    ...(otherwise.length === 0 ? {} : { otherwise }),
  };
}

const commitFix = "commit the file: the Action reads only committed files";

/** A pattern, the fact with the pattern's groups, and the fixes. */
const rules: readonly (readonly [RegExp, string, string, ...string[]])[] = [
  [
    /^(.+) does not exist$/s,
    "embedded file $1 doesn't exist",
    "Create the file",
    "correct its name, which is relative to the directory of the CUE file",
    commitFix,
  ],
  [
    /^(.+) leads outside of its module$/s,
    "embedded file $1 is a link that leads out of its module",
    "Replace the link with the file itself",
  ],
  [
    /^(.+) is too large to embed$/s,
    "embedded file $1 is too large",
    "Embed at most 10 MB in one file, and at most 50 MB together with all CUE",
  ],
  [
    /^(.+) is a directory$/s,
    "embedded file $1 is a directory",
    "Name a regular file",
    "use glob= to embed all files of the directory",
  ],
  [
    /^(.+) is not a regular file that can be read$/s,
    "embedded file $1 isn't a readable regular file",
    "Name a readable regular file",
    "use glob= to embed all files of a directory",
  ],
  [
    /^no matches for glob pattern (.+)$/s,
    "no file matches the glob $1",
    "Correct the pattern, which is relative to the directory of the CUE file",
    "add allowEmptyGlob",
    "commit the files: the Action reads only committed files",
  ],
  [
    /^unknown file extension (.+)$/s,
    "file extension $1 has no known type",
    "Add the type to the attribute: type=text, type=json or type=yaml",
  ],
  [
    /^.*(?:parent directory|in different module).*$|^only relative.*$/s,
    "the embedded file is outside the directory of the CUE file",
    "Move the file below the directory of the CUE file, into the same module",
  ],
  [
    /^streaming not implemented: .*$/s,
    "the embedded file contains several documents",
    "Split it into files with one document each, and embed them with glob=",
  ],
];
