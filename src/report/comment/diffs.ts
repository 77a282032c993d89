import {
  code,
  codeBlock,
  details,
  escapeHtml,
  html,
  htmlCode,
  md,
} from "../../redaction/markdown.ts";
import { type Phrase, phraseToMarkdown, phraseToText } from "../../redaction/phrase.ts";
import { type Html, joined, type Markdown } from "../../redaction/shown.ts";
import {
  type CommonHunk,
  commonHunks,
  type RepeatedDiffs,
  withoutCommonHunks,
} from "../diff/common-hunks.ts";
import { diffTextLines, type TextDiff } from "../diff/text-diff.ts";
import type { Row } from "../rows/row.ts";
import { fieldsBySource } from "../rows/row-text.ts";
import { actionLabel, actionMark, actionVerb, plural } from "../text/counts.ts";
import type { DeploymentSection, RenderOptions } from "./deployment-section.ts";
import {
  describeReasons,
  foldQuiet,
  renderItem,
  rowNamePhrase,
  rowsToShow,
  separateQuiet,
  shortObjectName,
} from "./objects-list.ts";

/**
 * A diff of at most this many lines is open, as long as all open diffs together fit on one screen.
 */
const smallDiff = 14;
const openLines = 42;
const shortDiff = 20;
const namedObjects = 20;
/** The maximum number of common hunks in a short comment. */
const maxCommonHunks = 5;

/** The options for showing changes. */
export interface ChangesOptions {
  readonly isShort: boolean;
  readonly withDeleted: boolean;
  /** True if a box with errors or findings is above the changes. All diffs are then closed. */
  readonly isBelowBox: boolean;
}

/**
 * Renders what several objects have in common once, then each object on one line.
 * The reason is on the line, and the diff is folded below it. An object whose diff another
 * deployment shows is only named.
 */
export function renderChanges(
  section: DeploymentSection,
  { isShort, withDeleted, isBelowBox }: ChangesOptions,
  look: RenderOptions,
): Markdown {
  const { isFirst, repeated } = section;
  const rows = rowsToShow(section).toSorted((a, b) => rankRow(a, isFirst) - rankRow(b, isFirst));
  const { loud, quiet } = separateQuiet(rows);
  // `repeated` has the rows themselves as keys, so copies wouldn't be found.
  const shown = differing(section.rows, repeated).filter(
    ({ action }) => withDeleted || action !== "delete",
  );
  const common = commonHunks(shown);
  const box = isBelowBox ? closed : openBoxUpToScreen();
  const withDiff = new Set(shown.map(({ name }) => name));
  const entry = (row: Row): ChangeEntry => {
    const why = describeReasons(row, section.config, look.now);
    return {
      ...{ row, why, reason: phraseToText(why), isShort, look, box },
      diff: withDiff.has(row.name) ? withoutCommonHunks(row.diff, common) : undefined,
      isImportant: row.action === "replace" || (isFirst && isWorkload(row)),
    };
  };
  const boxes = joined(
    common.map((hunk) => renderCommon(hunk, shown.length, isShort, box)),
    "\n",
  );
  const parts = [
    boxes,
    ...groupEntries(loud.map(entry)).map(renderGroup),
    foldQuiet(quiet, (rows) => renderEntries(rows.map(entry))),
    renderRepeated(section.rows, repeated),
  ];
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
  );
}

/** An object with the content of its line and its box. */
interface ChangeEntry {
  readonly row: Row;
  readonly why: Phrase;
  /** The reason as plain text. */
  readonly reason: string;
  /** Undefined if the whole difference is shown elsewhere. */
  readonly diff: TextDiff | undefined;
  readonly isShort: boolean;
  readonly isImportant: boolean;
  readonly look: RenderOptions;
  readonly box: Box;
}

/** From this many on, objects with the same action and reason are folded together. */
const minGroupSize = 4;
/** A larger group is closed. */
const maxOpenGroupSize = 15;

/** Entries that are rendered together. */
interface EntryGroup {
  readonly entries: ChangeEntry[];
  /** True if there are many entries and all have the same action and reason. */
  readonly isAlike: boolean;
}

/** Returns the entries in order. Entries with the same action and reason are adjacent. */
function groupEntries(entries: readonly ChangeEntry[]): readonly EntryGroup[] {
  const byReason = Map.groupBy(entries, ({ row, reason }) =>
    row.isRefused === true ? row.name : `${row.action} ${reason}`,
  );
  const groups: EntryGroup[] = [];
  for (const group of byReason.values()) {
    const last = groups.at(-1);
    if (group.length >= minGroupSize) groups.push({ entries: group, isAlike: true });
    else if (last?.isAlike === false) last.entries.push(...group);
    else groups.push({ entries: [...group], isAlike: false });
  }
  return groups;
}

/** Renders entries with the same reason as one box, and other entries separately. */
function renderGroup({ entries, isAlike }: EntryGroup): Markdown {
  const [first] = entries;
  if (first === undefined || !isAlike) return renderEntries(entries);
  const { row, why, reason, look } = first;
  const isOpen = entries.length <= maxOpenGroupSize;
  const inTitle = isOpen || reason === "" ? "" : ` · ${reason.replaceAll("\n", " · ")}`;
  const summary = html`${htmlLabel(row)} ${escapeHtml(`${entries.length} objects${inTitle}`)}`;
  const body = renderEntries(entries, true);
  return details(
    summary,
    reason === "" ? body : md`${phraseToMarkdown(why, look.show)}\n\n${body}`,
    isOpen,
  );
}

/**
 * Renders entries with a diff as boxes and other entries as list items.
 * A group shows the action and the reason above them.
 */
function renderEntries(entries: readonly ChangeEntry[], isGrouped = false): Markdown {
  const runs: ChangeEntry[][] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (last !== undefined && isBox(last[0]) === isBox(entry)) last.push(entry);
    else runs.push([entry]);
  }
  return joined(
    runs.map((run) =>
      joined(
        run.map((entry) => renderEntry(entry, isGrouped)),
        "\n",
      ),
    ),
    "\n\n",
  );
}

function isBox(entry: ChangeEntry | undefined): boolean {
  return entry?.diff !== undefined;
}

function renderEntry(entry: ChangeEntry, isGrouped: boolean): Markdown {
  const { row, why, diff, look } = entry;
  const reason = isGrouped ? md`` : phraseToMarkdown(why, look.show);
  if (diff !== undefined) return renderBox(entry, diff, reason, isGrouped);
  const name = phraseToMarkdown(rowNamePhrase(row), look.show);
  return renderItem(isGrouped ? name : md`${actionLabel(row)} ${name}`, reason);
}

function renderBox(
  { row, isShort, isImportant, box }: ChangeEntry,
  diff: TextDiff,
  reason: Markdown,
  isGrouped: boolean,
): Markdown {
  const asides = [
    diffSize(diff),
    ...fieldsBySource(row.fields).map(({ words }) => `· ${words}`),
    ...(row.isUnchecked === true ? ["· unchecked"] : []),
  ];
  const name = isGrouped ? htmlName(row) : html`${htmlLabel(row)} ${htmlName(row)}`;
  const summary = html`${name} ${escapeHtml(asides.join(" "))}`;
  const text = renderDiffBody(diff, isShort);
  const body = reason === "" ? text : md`${reason}\n\n${text}`;
  if (row.action === "delete") return details(summary, body);
  return box(summary, body, diffHeight(diff), isImportant);
}

function htmlLabel(row: Row): Html {
  return html`${escapeHtml(actionMark(row))} ${escapeHtml(actionVerb(row.action))}`;
}

/** Returns the name of the object, after the name of the object that it replaces. */
function htmlName({ name, succeeds }: Row): Html {
  return succeeds === undefined
    ? htmlCode(name)
    : html`${htmlCode(succeeds)} → ${htmlCode(shortObjectName(name))}`;
}

/**
 * Renders the changes that several objects have in common, without each object's own changes.
 * In a preview of a thousand objects, this can be all that the comment shows.
 */
export function renderCommonDiffs({ rows, repeated }: DeploymentSection): Markdown {
  const shown = differing(rows, repeated).filter(({ action }) => action !== "delete");
  const box = openBoxUpToScreen();
  const hunks = commonHunks(shown).slice(0, maxCommonHunks);
  return joined(
    hunks.map((hunk) => renderCommon(hunk, shown.length, true, box)),
    "\n",
  );
}

/** Returns the rows with a diff that no earlier section shows. */
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

/** Folds everything, because the box above is more important. */
const closed: Box = (summary, body) => details(summary, body);

/** Folds long diffs, and all diffs after one screen. */
function openBoxUpToScreen(): Box {
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
  const diff = codeBlock("diff", cut(lines, isShort));
  const body = isAll ? diff : md`${diff}\n\n${listObjects(names)}`;
  return box(html`~ same change in ${escapeHtml(number)}`, body, lines.length, false);
}

/** Ranks workloads first in a first deployment. */
function rankRow(row: Row, isFirst: boolean): number {
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

/** Renders the diff. A CustomResourceDefinition has a summary, with its diff folded below. */
function renderDiffBody(diff: TextDiff, isShort: boolean): Markdown {
  const text = codeBlock("diff", cut(diffTextLines(diff), isShort));
  if (diff.words === undefined) return text;
  return md`${joined(
    diff.words.map((words) => md`- ${code(words)}`),
    "\n",
  )}\n\n${details(html`Full diff`, text)}`;
}

function diffHeight(diff: TextDiff): number {
  return (diff.words ?? diffTextLines(diff)).length;
}

function diffSize({ added, removed }: TextDiff): string {
  return [added > 0 ? `+${added}` : "", removed > 0 ? `−${removed}` : ""]
    .filter((part) => part !== "")
    .join(" ");
}

function cut(lines: readonly string[], isShort: boolean): readonly string[] {
  if (!isShort || lines.length <= shortDiff) return lines;
  return [...lines.slice(0, shortDiff), `@@ ${lines.length - shortDiff} more lines @@`];
}
