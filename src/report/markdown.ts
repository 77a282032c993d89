/**
 * Text that others wrote, put into GitHub's Markdown without becoming Markdown: no mention, no reference to another issue, no
 * HTML, no broken table. Everything here goes into public comments.
 */

/** Plain text on one line. */
export function escapeText(text: string): string {
  return visible(text)
    .replaceAll(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_{}[\]()>~$]/g, (sign) => `\\${sign}`)
    .replaceAll(/[@#]|\bGH-/g, (sign) => `${sign}<!-- -->`)
    .replaceAll(/:\/\//g, ":<!-- -->//")
    .replaceAll("|", "&#124;");
}

/** A code span on one line; backticks inside are allowed. A pipe would end a table's cell even there, an entity does not. */
export function code(text: string): string {
  const line = visible(text).replaceAll(/\s+/g, " ").trim();
  if (line === "") return "(empty)";
  if (line.includes("|")) return `<code>${escapeText(line)}</code>`;
  const fence = "`".repeat(longestRun(line, "`") + 1);
  const space = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return fence + space + line + space + fence;
}

/** A code block that nothing inside can end. */
export function fenced(language: string, lines: readonly string[]): string {
  const body = lines.map(visible).join("\n");
  const fence = "`".repeat(Math.max(3, longestRun(body, "`") + 1));
  return `${fence}${language}\n${body}\n${fence}`;
}

/** Markdown is not read inside a summary, so its text is HTML. */
export function details(summaryHtml: string, body: string, open = false): string {
  return `<details${open ? " open" : ""}><summary>${summaryHtml}</summary>\n\n${body}\n\n</details>`;
}

export function escapeHtml(text: string): string {
  return visible(text)
    .replaceAll(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/[@#]|\bGH-/g, (sign) => `${sign}<!-- -->`);
}

export function htmlCode(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

/** Cells are Markdown on one line, made by the functions above. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}

/** The same for what has to stay on one line: its line ends are written out, too. */
export function visibleLine(text: string): string {
  return visible(text.replaceAll("\n", "\\n").replaceAll("\t", "\\t"));
}

/** Control, direction and invisible characters can make a line read as something else than it is; they are written out. */
export function visible(text: string): string {
  return text.replaceAll(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu,
    (sign) => `\\u${sign.codePointAt(0)?.toString(16).padStart(4, "0")}`,
  );
}

function longestRun(text: string, sign: string): number {
  const runs = text.match(new RegExp(`${sign}+`, "g")) ?? [];
  return runs.reduce((longest, run) => Math.max(longest, run.length), 0);
}
