import { mapStrings } from "../../model/json.ts";
import { cutLines, md } from "../../redaction/markdown.ts";
import type { Markdown } from "../../redaction/shown.ts";
import { shorten } from "../../redaction/wrap.ts";

/** The maximum size of a comment or summary, and the measure of its size. */
export interface SizeLimit {
  readonly measure: (body: string) => number;
  readonly limit: number;
}

/** Renders all items. Returns undefined as soon as they exceed the limit together. */
export function mapWithinLimit<T>(
  items: readonly T[],
  render: (item: T) => Markdown,
  { measure, limit }: SizeLimit,
): readonly Markdown[] | undefined {
  const rendered: Markdown[] = [];
  let total = 0;
  for (const item of items) {
    const body = render(item);
    total += measure(body);
    if (total > limit) return undefined;
    rendered.push(body);
  }
  return rendered;
}

/**
 * The maximum length of each text in a short comment. A longer one, such as the message of a
 * webhook, would push the deletions out of the comment.
 */
const maxText = 600;

/** Shortens all texts in errors or findings for a short comment. */
export function withShortTexts<T>(all: readonly T[]): readonly T[] {
  return mapStrings(all, (text) => shorten(text, maxText));
}

/**
 * Cuts whole lines and adds the number of missing lines. The last resort, for thousands of
 * deletions.
 */
export function cutBody(body: Markdown, { measure, limit }: SizeLimit): Markdown {
  const { kept, missing } = cutLines(body, measure, limit - 120);
  return md`${kept}\n\n**${missing} more lines are in the run's summary.**\n`;
}
