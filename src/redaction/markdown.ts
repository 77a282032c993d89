import {
  type CheckTitle,
  fillTemplate,
  type Html,
  type IssueTitle,
  type Markdown,
} from "./shown.ts";
import { visible } from "./visible.ts";
import { shorten } from "./wrap.ts";

/**
 * Encoders that put text from other sources into GitHub's Markdown as plain text: no mention, no
 * reference to another issue, no HTML, no broken table. All results appear in public comments.
 */

/** Returns qvs's own Markdown with encoded values. */
export function md(
  parts: TemplateStringsArray,
  ...values: readonly (Markdown | number)[]
): Markdown {
  return fillTemplate(parts, values);
}

/** Returns qvs's own HTML with encoded values. */
export function html(parts: TemplateStringsArray, ...values: readonly (Html | number)[]): Html {
  return fillTemplate(parts, values);
}

/** Encodes plain text on one line. It is also safe at the start of a line. */
export function escapeText(text: string): Markdown {
  return preventAutolinks(
    visible(toOneLine(text))
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(/[\\`*_{}[\]()>~$]/g, (char) => `\\${char}`)
      .replace(blockStart, (start) => `${start.slice(0, -1)}\\${start.at(-1)}`),
  ).replaceAll("|", "&#124;") as Markdown;
}

/** Matches the start of a list, a rule, or the underline of a heading. */
const blockStart = /^ ?(?:[-+](?= |$)|-(?=[- ]*$)|=(?==*$)|\d{1,9}\.(?= |$))/;

/** Encodes a word in an HTML comment, which `--` could end. */
export function encodeHtmlComment(text: string): Markdown {
  return encodeURIComponent(text.toWellFormed()).replaceAll("-", "%2D") as Markdown;
}

/**
 * Returns a code span on one line, in which backticks are allowed.
 * A pipe would end a table cell even in a code span, but an entity doesn't.
 */
export function code(text: string): Markdown {
  const line = breakMarkers(visible(text.replaceAll(/[ \t\n]+/g, " ")).trim());
  if (line === "") return md`(empty)`;
  if (line.includes("|")) return md`<code>${escapeText(line)}</code>`;
  const fence = "`".repeat(longestRun(line, "`") + 1);
  const space = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return (fence + space + line + space + fence) as Markdown;
}

/** Returns a code block that its content can't end. */
export function codeBlock(
  language: "cue" | "diff" | "mermaid" | "sh" | "text" | "yaml",
  lines: readonly string[],
) {
  const body = breakMarkers(lines.map(visible).join("\n"));
  const fence = "`".repeat(Math.max(3, longestRun(body, "`") + 1));
  return `${fence}${language}\n${body}\n${fence}` as Markdown;
}

/**
 * Returns a collapsible section. GitHub doesn't read Markdown in a summary, so its text is HTML.
 */
export function details(summary: Html, body: Markdown, open = false): Markdown {
  const start = open ? "<details open>" : "<details>";
  return `${start}<summary>${summary}</summary>\n\n${body}\n\n</details>` as Markdown;
}

export function escapeHtml(text: string): Html {
  return preventAutolinks(
    visible(toOneLine(text))
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;"),
  ) as Html;
}

/**
 * Returns text that is hidden in a comment. It can't end the line or the surrounding HTML comment.
 */
export function hiddenText(text: string): Markdown {
  return breakMarkers(text.replaceAll(/[^\x20-\x7e]|[<>]/g, "")) as Markdown;
}

export function htmlCode(text: string): Html {
  return html`<code>${escapeHtml(text)}</code>`;
}

/** Returns a table. Its cells are already encoded Markdown; only line ends are replaced. */
export function table(
  header: readonly Markdown[],
  rows: readonly (readonly Markdown[])[],
): Markdown {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("\n", " ")).join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n") as Markdown;
}

/** Returns a link. If the address isn't an HTTP or HTTPS URL, it returns only the text. */
export function link(text: Markdown, address: string): Markdown {
  if (!URL.canParse(address)) return text;
  const { protocol, href } = new URL(address);
  if (protocol !== "https:" && protocol !== "http:") return text;
  return `[${text}](${href.replaceAll(/[()<>[\]\\`*_~|@]/g, percentEncode)})` as Markdown;
}

/** Returns a link to a heading. GitHub derives the anchor from letters, digits, `-` and `_`. */
export function linkToHeading(text: Markdown, heading: string): Markdown {
  const anchor = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_-]/gu, "");
  return `[${text}](#${encodeURIComponent(anchor.toWellFormed())})` as Markdown;
}

function percentEncode(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Replaces each run of white space by one space. */
function toOneLine(text: string): string {
  return text.replaceAll(/[\p{Zs}\t\n]+/gu, " ");
}

/**
 * Prevents links that GitHub creates by itself: mentions, references to issues and commits, URLs,
 * emojis. An invisible HTML comment within the word keeps GitHub from recognizing it.
 */
function preventAutolinks(text: string): string {
  return text
    .replaceAll(/[@#]|(?<![a-z0-9])GH-/gi, (char) => `${char}<!-- -->`)
    .replaceAll(/:\/\//g, ":<!-- -->//")
    .replaceAll(/www(?=\.)/gi, "$&<!-- -->")
    .replaceAll(/:(?=(?:\\?[a-z\d_+-])+:)(?!(?!100:|1234:)\d+:)/g, ":<!-- -->")
    .replaceAll(/(?<![\w./-])[0-9a-f]{7,40}(?!\w)/g, (id) =>
      id.replaceAll(/.{6}(?=.)/g, "$&<!-- -->"),
    );
}

/**
 * Breaks the HTML comments that mark qvs's own content. In code, other HTML comments are plain
 * text.
 */
function breakMarkers(text: string): string {
  return text.replaceAll(/<!--(?=\s*\/?qvs-action)/g, "<! --");
}

function longestRun(text: string, char: "`"): number {
  const runs = text.match(new RegExp(`${char}+`, "g")) ?? [];
  return runs.reduce((longest, run) => Math.max(longest, run.length), 0);
}

/**
 * Returns the name of a task in a Mermaid Gantt chart. There, `:`, `;` and `#` are syntax, and so
 * is a keyword at the start of the name.
 */
export function ganttName(text: string): string {
  const name = visible(text).replaceAll(/[^\w ,./()-]/gu, "_");
  return /^(?:click|excludes|gantt|includes|section|title|vert|weekday)\s/i.test(name)
    ? `_${name}`
    : name;
}

/**
 * Returns a label for Mermaid, which reads HTML and its own syntax in labels. Numeric entities are
 * always text.
 */
export function mermaidLabel(text: string): string {
  return visible(text).replaceAll(/[^\w ./:-]/gu, (char) => `#${char.codePointAt(0)};`);
}

/** GitHub accepts 256 characters in the title of an issue; lists show fewer. */
const maxTitleLength = 200;

/**
 * Returns an issue title on one line.
 * GitHub shows entities, backslashes and HTML comments in a title literally, so escapes don't work.
 * Characters of mentions, references, code and emojis are therefore written like invisible
 * characters.
 */
export function issueTitle(text: string): IssueTitle {
  const plain = titleLine(text).replaceAll(/[@#`<>]|:(?=[\w+-]+:)/g, escapeChar);
  return shorten(plain, maxTitleLength) as IssueTitle;
}

/** Returns the title of a check on one line. GitHub reads neither Markdown nor mentions in it. */
export function checkTitle(text: string): CheckTitle {
  return shorten(titleLine(text), maxTitleLength) as CheckTitle;
}

function titleLine(text: string): string {
  return visible(text.replaceAll(/[\p{Zs}\t\r\n]+/gu, " ")).trim();
}

function escapeChar(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Returns the body of a comment that qvs wrote, read back from GitHub. qvs is its author, and its
 * first line is qvs's marker. No other text from GitHub is trusted Markdown.
 */
export function ownMarkdown(body: string): Markdown {
  return body as Markdown;
}

/** Splits Markdown into lines. */
export function splitLines(markdown: Markdown): readonly Markdown[] {
  return markdown.split(/\r?\n/) as unknown as readonly Markdown[];
}

/** Puts a document into a quotation. */
export function blockQuote(markdown: Markdown): Markdown {
  return markdown
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n") as Markdown;
}

export function listItem(markdown: Markdown): Markdown {
  const [first = "", ...others] = markdown.split("\n");
  return [`- ${first}`, ...others.map((line) => `  ${line}`.trimEnd())].join("\n") as Markdown;
}

/**
 * Returns the first whole lines that fit the limit. It closes an open code fence or section, which
 * would otherwise include the text that follows.
 */
export function cutLines(
  markdown: Markdown,
  measure: (text: string) => number,
  limit: number,
): { readonly kept: Markdown; readonly missing: number } {
  const lines = markdown.split("\n");
  let remaining = limit;
  const end = lines.findIndex((line) => {
    remaining -= measure(line) + 1;
    return remaining < 0;
  });
  const kept = end < 0 ? lines : lines.slice(0, end);
  const open = closingLines(kept);
  return {
    kept: [...kept, ...open].join("\n") as Markdown,
    missing: lines.length - kept.length,
  };
}

/** Returns the lines that close the open fence and sections, innermost first. */
function closingLines(lines: readonly string[]): readonly string[] {
  let fence: string | undefined;
  let boxes = 0;
  for (const line of lines) {
    const [, ticks] = /^(`{3,})/.exec(line) ?? [];
    if (fence !== undefined) {
      if (ticks !== undefined && ticks.length >= fence.length && line === ticks) fence = undefined;
    } else if (ticks !== undefined) fence = ticks;
    else if (line.startsWith("<details")) boxes += 1;
    else if (line === "</details>") boxes -= 1;
  }
  return [
    ...(fence === undefined ? [] : [fence]),
    ...Array.from({ length: Math.max(0, boxes) }, () => "\n</details>"),
  ];
}
