import type { Markdown } from "./shown.ts";

/**
 * A comment that we wrote ourselves, read back from GitHub: its author is us, and its first line our marker. Nothing else that comes
 * from GitHub is Markdown of ours.
 */
export function ownMarkdown(body: string): Markdown {
  return body as Markdown;
}

/** The first of several lines, and the others. */
export function splitLines(markdown: Markdown): readonly Markdown[] {
  return markdown.split(/\r?\n/) as unknown as readonly Markdown[];
}

/** A document within a box of ours, or within an item of a list. */
export function quoted(markdown: Markdown): Markdown {
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
 * As much of a document as is measured to fit, by whole lines. What is open then is closed: a fence or a box would swallow
 * what is said below.
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
  const open = openIn(kept);
  return {
    kept: [...kept, ...open].join("\n") as Markdown,
    missing: lines.length - kept.length,
  };
}

/** What closes the fence and the boxes that are open, innermost first. */
function openIn(lines: readonly string[]): readonly string[] {
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
