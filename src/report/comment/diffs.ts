import { code, details, escapeHtml, fenced, html, htmlCode, md } from "../../redaction/markdown.ts";
import { type Html, joined, type Markdown } from "../../redaction/shown.ts";
import { commonHunks, diffWithout } from "../diff/common-hunks.ts";
import { linesOf, type TextDiff } from "../diff/text-diff.ts";
import type { Row } from "../rows/row.ts";
import { markOf, plural } from "../text/counts.ts";
import { isAlarming } from "./dangers.ts";
import type { DeploymentSection } from "./deployment-section.ts";
import type { RepeatedDiffs } from "./repeated-diffs.ts";

/** A diff of this many lines is shown open, as long as all open ones together stay within one screen. */
const smallDiff = 14;
const openLines = 42;
const shortDiff = 20;
const namedObjects = 20;

/**
 * What changes in the objects: what is the same in several of them once, then the rest of each, and what is as in another deployment by
 * its name. Of a first deployment a reader looks at the workloads first.
 */
export function renderDiffs(
  { rows, isFirst, repeated }: DeploymentSection,
  isShort: boolean,
): Markdown {
  const withDiffs = rows.filter((row) => row.diff !== undefined && repeated?.has(row) !== true);
  const shown = isFirst
    ? withDiffs.toSorted((a, b) => Number(isWorkload(b)) - Number(isWorkload(a)))
    : withDiffs;
  const common = commonHunks(shown);
  let open = openLines;
  const box = (summary: Html, body: Markdown, lines: number, isImportant: boolean) => {
    const isOpen = isImportant ? lines <= openLines : lines <= Math.min(smallDiff, open);
    if (isOpen) open -= lines;
    return details(summary, body, isOpen);
  };
  const ofAll = common.map(({ names, lines }) => {
    const summary = html`🟡 The same in ${escapeHtml(plural(names.length, "object"))}`;
    const isAll = names.length === shown.length;
    const list = isAll ? md`all of them` : joined(names.slice(0, namedObjects).map(code), ", ");
    const rest = isAll ? 0 : names.length - namedObjects;
    const body = md`${fenced("diff", cut(lines, isShort))}\n\nIn ${list}${rest > 0 ? md` and ${rest} more` : md``}.`;
    return box(summary, body, lines.length, false);
  });
  const ofEach = shown.flatMap((row) => {
    const diff = diffWithout(row.diff, common);
    if (diff === undefined) return [];
    const summary = html`${escapeHtml(markOf(row))} ${htmlCode(row.name)} ${escapeHtml(sizeOf(diff))}`;
    const isImportant = row.action === "replace" || isAlarming(row) || (isFirst && isWorkload(row));
    return [box(summary, bodyOf(diff, isShort), heightOf(diff), isImportant)];
  });
  const boxes = joined([...ofAll, ...ofEach], "\n");
  const rest = renderRepeated(rows, repeated);
  return boxes === "" || rest === "" ? md`${boxes}${rest}` : md`${boxes}\n\n${rest}`;
}

function renderRepeated(rows: readonly Row[], repeated: RepeatedDiffs = new Map()): Markdown {
  const found = rows.flatMap((row) => {
    const other = repeated.get(row);
    return other === undefined ? [] : [{ row, other }];
  });
  const lines = [...Map.groupBy(found, ({ other }) => other)].map(([other, same]) => {
    const names = same.slice(0, namedObjects).map(({ row }) => code(row.name));
    const more = same.length - names.length;
    return md`The same diff as in ${code(other)} above: ${joined(names, ", ")}${more > 0 ? md` and ${more} more` : md``}`;
  });
  return joined(lines, "\n\n");
}

function isWorkload({ name }: Row): boolean {
  return /^(Deployment|StatefulSet|DaemonSet|Rollout|CronJob|Job) /.test(name);
}

/** The words about a definition, whose text is folded below them. */
function bodyOf(diff: TextDiff, isShort: boolean): Markdown {
  const text = fenced("diff", cut(linesOf(diff), isShort));
  if (diff.words === undefined) return text;
  return md`${joined(
    diff.words.map((words) => md`- ${code(words)}`),
    "\n",
  )}\n\n${details(html`Whole text`, text)}`;
}

function heightOf(diff: TextDiff): number {
  return (diff.words ?? linesOf(diff)).length;
}

function sizeOf({ added, removed }: TextDiff): string {
  return [added > 0 ? `+${added}` : "", removed > 0 ? `−${removed}` : ""]
    .filter((part) => part !== "")
    .join(" ");
}

function cut(lines: readonly string[], isShort: boolean): readonly string[] {
  if (!isShort || lines.length <= shortDiff) return lines;
  return [...lines.slice(0, shortDiff), `@@ ${lines.length - shortDiff} more lines @@`];
}
