import { shorten } from "./graphemes.ts";
import { filledIn, type Html, type IssueTitle, type Markdown } from "./shown.ts";
import { visible } from "./visible.ts";

/**
 * Text that others wrote, put into GitHub's Markdown without becoming Markdown: no mention, no reference to another issue, no
 * HTML, no broken table. Everything here goes into public comments.
 */

/** Markdown of our own with what the functions below have made of the words of others. */
export function md(
  parts: TemplateStringsArray,
  ...values: readonly (Markdown | number)[]
): Markdown {
  return filledIn(parts, values);
}

/** The same for HTML. */
export function html(parts: TemplateStringsArray, ...values: readonly (Html | number)[]): Html {
  return filledIn(parts, values);
}

/** Plain text on one line, also where it begins one. */
export function escapeText(text: string): Markdown {
  return withoutLinks(
    visible(onOneLine(text))
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(/[\\`*_{}[\]()>~$]/g, (char) => `\\${char}`)
      .replace(blockStart, (start) => `${start.slice(0, -1)}\\${start.at(-1)}`),
  ).replaceAll("|", "&#124;") as Markdown;
}

/** A list, a rule or the underline of a heading. */
const blockStart = /^ ?(?:[-+](?= |$)|-(?=[- ]*$)|=(?==*$)|\d{1,9}\.(?= |$))/;

/** A code span on one line; backticks inside are allowed. A pipe would end a table's cell even there, an entity does not. */
/** A word within a comment of HTML, which "--" could end. */
export function inHtmlComment(text: string): Markdown {
  return encodeURIComponent(text.toWellFormed()).replaceAll("-", "%2D") as Markdown;
}

export function code(text: string): Markdown {
  const line = withoutMarkers(visible(text.replaceAll(/[ \t\n]+/g, " ")).trim());
  if (line === "") return md`(empty)`;
  if (line.includes("|")) return md`<code>${escapeText(line)}</code>`;
  const fence = "`".repeat(longestRun(line, "`") + 1);
  const space = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return (fence + space + line + space + fence) as Markdown;
}

/** A code block that nothing inside can end. */
export function fenced(
  language: "cue" | "diff" | "mermaid" | "sh" | "text" | "yaml",
  lines: readonly string[],
) {
  const body = withoutMarkers(lines.map(visible).join("\n"));
  const fence = "`".repeat(Math.max(3, longestRun(body, "`") + 1));
  return `${fence}${language}\n${body}\n${fence}` as Markdown;
}

/** Markdown is not read inside a summary, so its text is HTML. */
export function details(summary: Html, body: Markdown, open = false): Markdown {
  const start = open ? "<details open>" : "<details>";
  return `${start}<summary>${summary}</summary>\n\n${body}\n\n</details>` as Markdown;
}

export function escapeHtml(text: string): Html {
  return withoutLinks(
    visible(onOneLine(text))
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;"),
  ) as Html;
}

/** What is in a comment without being shown: nothing in it can end the line or the HTML comment around it. */
export function hidden(text: string): Markdown {
  return withoutMarkers(text.replaceAll(/[^\x20-\x7e]|[<>]/g, "")) as Markdown;
}

export function htmlCode(text: string): Html {
  return html`<code>${escapeHtml(text)}</code>`;
}

/** Cells are Markdown, made by the functions above, of which only the line is left. */
export function table(
  header: readonly Markdown[],
  rows: readonly (readonly Markdown[])[],
): Markdown {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("\n", " ")).join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n") as Markdown;
}

/** A link of ours; where the address is none of the web, its text alone. */
export function link(text: Markdown, address: string): Markdown {
  if (!URL.canParse(address)) return text;
  const { protocol, href } = new URL(address);
  if (protocol !== "https:" && protocol !== "http:") return text;
  return `[${text}](${href.replaceAll(/[()<>[\]\\`*_~|@]/g, percentEncoded)})` as Markdown;
}

/** A link to a heading, which GitHub names after its letters, digits, `-` and `_`. */
export function linkToHeading(text: Markdown, heading: string): Markdown {
  const anchor = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_-]/gu, "");
  return `[${text}](#${encodeURIComponent(anchor.toWellFormed())})` as Markdown;
}

function percentEncoded(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** White space of any kind is one blank. */
function onOneLine(text: string): string {
  return text.replaceAll(/[\p{Zs}\t\n]+/gu, " ");
}

/**
 * What GitHub makes of words by itself: mentions, references to issues and commits, addresses, emojis. A comment in their middle is
 * not seen, and they are not recognised.
 */
function withoutLinks(text: string): string {
  return text
    .replaceAll(/[@#]|(?<![a-z0-9])GH-/gi, (char) => `${char}<!-- -->`)
    .replaceAll(/:\/\//g, ":<!-- -->//")
    .replaceAll(/www(?=\.)/gi, "$&<!-- -->")
    .replaceAll(/:(?=(?:\\?[a-z\d_+-])+:)(?!(?!100:|1234:)\d+:)/g, ":<!-- -->")
    .replaceAll(/(?<![\w./-])[0-9a-f]{7,40}(?!\w)/g, (id) =>
      id.replaceAll(/.{6}(?=.)/g, "$&<!-- -->"),
    );
}

/** The comments by which we find what is ours; in code, other comments are only text. */
function withoutMarkers(text: string): string {
  return text.replaceAll(/<!--(?=\s*\/?qvs-action)/g, "<! --");
}

function longestRun(text: string, char: "`"): number {
  const runs = text.match(new RegExp(`${char}+`, "g")) ?? [];
  return runs.reduce((longest, run) => Math.max(longest, run.length), 0);
}

/** The name of a task in a Mermaid Gantt chart, where `:`, `;` and `#` are syntax, and so is a keyword that it begins with. */
export function ganttName(text: string): string {
  const name = visible(text).replaceAll(/[^\w ,./()-]/gu, "_");
  return /^(?:click|excludes|gantt|includes|section|title|vert|weekday)\s/i.test(name)
    ? `_${name}`
    : name;
}

/** Mermaid reads HTML and its own syntax inside labels; entities by number are always text. */
export function mermaidLabel(text: string): string {
  return visible(text).replaceAll(/[^\w ./:-]/gu, (char) => `#${char.codePointAt(0)};`);
}

/** GitHub has room for 256 characters; a list of issues has less. */
const mostInTitle = 200;

/**
 * A title on one line. Nothing escapes anything there: an entity, a backslash or a comment of HTML would be read as it is. So what
 * stands for more than itself in Markdown, a mention, a reference, code, an emoji, is written out like a character that can't be seen.
 */
export function issueTitle(text: string): IssueTitle {
  const line = visible(text.replaceAll(/[\p{Zs}\t\r\n]+/gu, " ")).trim();
  const plain = line.replaceAll(/[@#`<>]|:(?=[\w+-]+:)/g, writtenOut);
  return shorten(plain, mostInTitle) as IssueTitle;
}

function writtenOut(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
