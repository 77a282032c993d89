import { code, details, escapeHtml, fenced, html, htmlCode, md } from "../../redaction/markdown.ts";
import { type Html, joined, type Markdown } from "../../redaction/shown.ts";
import { type CommonHunk, commonHunks, diffWithout } from "../diff/common-hunks.ts";
import { linesOf, type TextDiff } from "../diff/text-diff.ts";
import { isAlarming } from "../rows/meanings.ts";
import type { Row } from "../rows/row.ts";
import { markOf, plural, verbOf } from "../text/counts.ts";
import type { DeploymentSection } from "./deployment-section.ts";
import type { RepeatedDiffs } from "./repeated-diffs.ts";

/** A diff of this many lines is shown open, as long as all open ones together stay within one screen. */
const smallDiff = 14;
const openLines = 42;
const shortDiff = 20;
const namedObjects = 20;
/** Of a comment that has no room for more. */
const mostCommon = 5;

/**
 * What changes in the objects: what is the same in several of them once, then the rest of each, and what is as in another deployment by
 * its name. Of a first deployment a reader looks at the workloads first.
 */
export function renderDiffs(
  { rows, isFirst, repeated }: DeploymentSection,
  { isShort, withDeleted }: { readonly isShort: boolean; readonly withDeleted: boolean },
): Markdown {
  const shown = differing(rows, repeated)
    .filter(({ action }) => withDeleted || action !== "delete")
    .toSorted((a, b) => rankOf(a, isFirst) - rankOf(b, isFirst));
  const common = commonHunks(shown);
  const box = openUpToOneScreen();
  const ofAll = common.map((hunk) => renderCommon(hunk, shown.length, isShort, box));
  const ofEach = shown.flatMap((row) => {
    const diff = diffWithout(row.diff, common);
    if (diff === undefined) return [];
    const summary = html`${escapeHtml(`${markOf(row)} ${verbOf(row.action)}`)} ${htmlCode(row.name)} ${escapeHtml(sizeOf(diff))}`;
    const isImportant = row.action === "replace" || isAlarming(row) || (isFirst && isWorkload(row));
    const body = bodyOf(diff, isShort);
    // That it goes stands above; what it was is for whoever wants to know.
    if (row.action === "delete") return [details(summary, body)];
    return [box(summary, body, heightOf(diff), isImportant)];
  });
  const boxes = joined([...ofAll, ...ofEach], "\n");
  const rest = renderRepeated(rows, repeated);
  return boxes === "" || rest === "" ? md`${boxes}${rest}` : md`${boxes}\n\n${rest}`;
}

/** What changes alike in several objects, without what is each object's own: of a thousand objects this may be all that there is to see. */
export function renderCommonDiffs({ rows, repeated }: DeploymentSection): Markdown {
  const shown = differing(rows, repeated).filter(({ action }) => action !== "delete");
  const box = openUpToOneScreen();
  const hunks = commonHunks(shown).slice(0, mostCommon);
  return joined(
    hunks.map((hunk) => renderCommon(hunk, shown.length, true, box)),
    "\n",
  );
}

/** Those with a diff that no deployment above shows. */
function differing(
  rows: readonly Row[],
  repeated: RepeatedDiffs | undefined,
): readonly (Row & { readonly diff: TextDiff })[] {
  return rows.flatMap((row) => {
    const { diff } = row;
    return diff === undefined || repeated?.has(row) === true ? [] : [{ ...row, diff }];
  });
}

type Box = (summary: Html, body: Markdown, lines: number, isImportant: boolean) => Markdown;

/** Folds what is long, and all that comes after one screen. */
function openUpToOneScreen(): Box {
  let open = openLines;
  return (summary, body, lines, isImportant) => {
    const isOpen = isImportant ? lines <= openLines : lines <= Math.min(smallDiff, open);
    if (isOpen) open -= lines;
    return details(summary, body, isOpen);
  };
}

function renderCommon(
  { names, lines }: CommonHunk,
  objects: number,
  isShort: boolean,
  box: Box,
): Markdown {
  const isAll = names.length === objects;
  const number = `${isAll ? "all " : ""}${plural(names.length, "object")}`;
  const diff = fenced("diff", cut(lines, isShort));
  const body = isAll ? diff : md`${diff}\n\n${listObjects(names)}`;
  return box(html`🟡 The same in ${escapeHtml(number)}`, body, lines.length, false);
}

/** What is deleted comes last: what is looked at in a diff is what will be there. */
function rankOf(row: Row, isFirst: boolean): number {
  if (row.action === "delete") return 2;
  return isFirst && !isWorkload(row) ? 1 : 0;
}

function listObjects(names: readonly string[]): Markdown {
  const rest = names.length - namedObjects;
  const more = rest > 0 ? md` and ${rest} more` : md``;
  return md`In ${joined(names.slice(0, namedObjects).map(code), ", ")}${more}.`;
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
