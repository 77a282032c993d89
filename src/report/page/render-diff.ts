import { escapePage, page } from "../../redaction/page.ts";
import { joined, type Page } from "../../redaction/shown.ts";
import { diffTextLines, type TextDiff } from "../diff/text-diff.ts";
import { plural } from "../text/counts.ts";

/** Longer diffs of one object aren't useful on the page. */
const maxLines = 2_000;
const maxUnits = 400_000;

/**
 * Renders a diff side by side. A narrow screen shows one side below the other.
 * A summary of the diff, if any, is first.
 */
export function renderDiff(diff: TextDiff): Page {
  const { words } = diff;
  const text = renderLines(diffTextLines(diff));
  if (words === undefined) return text;
  const items = words.map((each) => page`<li><code>${escapePage(each)}</code></li>`);
  return page`<ul>${joined(items, "")}</ul><details><summary>Full diff</summary>${text}</details>`;
}

export function renderLines(lines: readonly string[]): Page {
  const shown = lines.slice(0, countFittingLines(lines));
  const rest = lines.length - shown.length;
  const more =
    rest === 0
      ? page``
      : page`<p class="place">Not shown: ${escapePage(plural(rest, "more line"))}. <code>qvs diff</code> shows the full diff.</p>`;
  return page`<div class="lines">${joined(groupLines(shown).map(renderBlock), "")}${more}</div>`;
}

function countFittingLines(lines: readonly string[]): number {
  let units = 0;
  const end = lines.findIndex((line, i) => {
    units += line.length;
    return i >= maxLines || units > maxUnits;
  });
  return end < 0 ? lines.length : end;
}

type Block =
  | { readonly type: "place" | "same"; readonly lines: string[] }
  | { readonly type: "changed"; readonly old: string[]; readonly now: string[] };

/** Groups the lines into blocks: a place, unchanged lines, or the changed lines of one place. */
function groupLines(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    const mark = line.charAt(0);
    if (mark === "@") blocks.push({ type: "place", lines: [line.replace(/^@@ ?| ?@@$/g, "")] });
    else if (mark === "-" || mark === "+") {
      const isNext = last?.type !== "changed" || (mark === "-" && last.now.length > 0);
      const block = isNext ? { type: "changed" as const, old: [], now: [] } : last;
      if (isNext) blocks.push(block);
      (mark === "-" ? block.old : block.now).push(line);
    } else if (last?.type === "same") last.lines.push(line);
    else blocks.push({ type: "same", lines: [line] });
  }
  return blocks;
}

/**
 * Renders a block with the signs at the start of its lines, because many readers can't distinguish
 * the colors.
 */
function renderBlock(block: Block): Page {
  switch (block.type) {
    case "place":
      return page`<p class="place">${escapePage(block.lines.join(""))}</p>`;
    case "same": {
      const text = joinLines(block.lines);
      return page`<div class="pair"><div>${text}</div><div class="copy" aria-hidden="true">${text}</div></div>`;
    }
    case "changed": {
      const old = block.old.length === 0 ? page`` : page`<del>${joinLines(block.old)}</del>`;
      const now = block.now.length === 0 ? page`` : page`<ins>${joinLines(block.now)}</ins>`;
      return page`<div class="pair">${old}${now}</div>`;
    }
  }
}

function joinLines(lines: readonly string[]): Page {
  return escapePage(lines.join("\n"));
}
