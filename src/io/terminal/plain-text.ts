/**
 * Text from a cluster or a repository made safe to print on one line: it can neither move the cursor, nor reorder
 * what is read, nor give commands to the runner of a workflow (`::set-output…`, `##[error]`).
 */
export function plainText(text: string): string {
  return text
    .replace(orders, "")
    .replace(unprintable, " ")
    .replace(/##\[/g, "## [")
    .replace(/^(\s*):(?=:)/, "$1: ")
    .trim();
}

/** The same for several lines, e.g. of a log. Their indentation is kept. */
export function plainLines(text: string): string {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/);
  return lines.map((line) => (/^ */.exec(line)?.[0] ?? "") + plainText(line)).join("\n");
}

/**
 * Colours, moves of the cursor, titles and links. Node's own stripVTControlCharacters takes minutes for 100 kB of beginnings; here
 * none reaches beyond the next one.
 */
const orders =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)/g;

/** Control characters, line separators, and marks that change the direction of writing or show nothing at all. */
const unprintable =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]+/gu;
