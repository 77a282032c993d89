import type { Markdown } from "./shown.ts";

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
