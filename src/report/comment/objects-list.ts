import { nameOf } from "../../model/object.ts";
import { hasSubject, type Position } from "../../model/problems/problem.ts";
import { code, details, escapeHtml, escapeText, listItem, md } from "../../redaction/markdown.ts";
import {
  inlineCode,
  joinPhrases,
  lineBreak,
  type Phrase,
  phraseToMarkdown,
  placeLink,
  say,
  strong,
  text,
} from "../../redaction/phrase.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import type { DeploymentReview } from "../review/review.ts";
import { isObjectLost } from "../rows/consequences.ts";
import { type Row, type RowField, type RowTrace, rowKind } from "../rows/row.ts";
import { fieldAuthors, fieldsBySource, rowFieldText } from "../rows/row-text.ts";
import { actionLabel, actionVerb, plural } from "../text/counts.ts";
import { namesFiles, shortPattern } from "../trace/trace.ts";
import { findingErrors, type RenderOptions, sectionProblems } from "./deployment-section.ts";
import { immutablePhrase, recreationsInBox } from "./risky-changes.ts";

/** The maximum number of rows without need of review that a list shows unfolded. */
const fewRows = 3;

/**
 * Lists the change of each object, the dangerous ones first. Many that need no review are folded.
 */
export function renderObjects(section: DeploymentReview, look: RenderOptions): Markdown {
  const { config } = section;
  const { loud, quiet } = separateQuiet(rowsToShow(section));
  const parts = [
    renderRows(loud, config, look),
    foldQuiet(quiet, (rows) => renderRows(rows, config, look)),
  ];
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
  );
}

/** Separates the rows that need no review. A few of them aren't worth a fold. */
export function separateQuiet(rows: readonly Row[]) {
  const quiet = rows.filter(({ harmless }) => harmless === true);
  if (quiet.length <= fewRows) return { loud: rows, quiet: [] };
  return { loud: rows.filter(({ harmless }) => harmless !== true), quiet };
}

export function foldQuiet(
  rows: readonly Row[],
  render: (rows: readonly Row[]) => Markdown,
): Markdown {
  if (rows.length === 0) return md``;
  const title = `${plural(rows.length, "more object")} that need no review`;
  return details(escapeHtml(title), render(rows));
}

/** Returns the rows without the facts that the boxes above show. */
export function rowsToShow(section: DeploymentReview): readonly Row[] {
  const culprits = new Set(findingErrors(section).map(({ object }) => nameOf(object)));
  const explained = recreationsInBox(section);
  return section.rows.map((row) => {
    const isRefused = row.isRefused === true || culprits.has(row.name);
    return {
      ...row,
      unsure: isBlocked(row, section) ? undefined : row.unsure,
      recreates: explained.has(row.name) ? undefined : row.recreates,
      ...(isRefused ? { isRefused } : {}),
    };
  });
}

function isBlocked(row: Row, section: DeploymentReview): boolean {
  return (
    row.isRefused === true &&
    sectionProblems(section).some((problem) => hasSubject(problem, row.name))
  );
}

/** Lists the dangerous objects, which are never cut, and counts the others by kind. */
export function renderDangerousObjects(rows: readonly Row[]): Markdown {
  const isKept = (row: Row) =>
    row.action === "delete" || row.action === "replace" || isObjectLost(row);
  const shown = rows.filter(isKept).map((row) => {
    const why = row.note === undefined ? md`` : md`: ${escapeText(row.note)}`;
    return listItem(md`${actionLabel(row)} ${code(row.name)}${why}`);
  });
  const rest = rows.filter((row) => !isKept(row));
  const parts = [joined(shown, "\n"), renderRest(rest, shown.length > 0)];
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
  );
}

const namedKinds = 10;

/**
 * Renders text such as `2999 further changes: 2999 ConfigMap to update`.
 * A number alone wouldn't show the kind.
 */
function renderRest(rows: readonly Row[], isBelowOthers: boolean): Markdown {
  if (rows.length === 0) return md``;
  const groups = [...Map.groupBy(rows, restGroupKey).values()].toSorted(
    (a, b) => b.length - a.length,
  );
  const named = groups.slice(0, namedKinds).flatMap(([row, ...others]) => {
    if (row === undefined) return [];
    const objects =
      row.objects === undefined
        ? md`${others.length + 1} ${code(rowKind(row.name))}`
        : escapeText(row.name);
    return [md`${objects} to ${escapeText(actionVerb(row.action))}`];
  });
  const number = rows.reduce((sum, { objects = 1 }) => sum + objects, 0);
  const more = groups.length - namedKinds;
  const rest = more > 0 ? md` and ${escapeText(plural(more, "more kind"))}` : md``;
  return md`${escapeText(plural(number, isBelowOthers ? "further change" : "change"))}: ${joined(named, ", ")}${rest}. The run's summary lists all of them.`;
}

/** Returns the grouping key of a row. A row for several objects has its own group. */
function restGroupKey({ action, name, objects }: Row): string {
  return `${action} ${objects === undefined ? rowKind(name) : name}`;
}

/** Renders a list. On a phone, a table has no room for columns and its words don't wrap. */
function renderRows(rows: readonly Row[], config: string, look: RenderOptions): Markdown {
  if (rows.length === 0) return md``;
  const whys = rows.map((row) =>
    phraseToMarkdown(describeReasons(row, config, look.now), look.show),
  );
  const [first = md``] = whys;
  const isSame = rows.length > 1 && whys.every((why) => why === first);
  const items = rows.map((row, i) => {
    const why = isSame ? md`` : (whys[i] ?? md``);
    return renderItem(
      md`${actionLabel(row)} ${phraseToMarkdown(rowNamePhrase(row), look.show)}`,
      why,
    );
  });
  const shown = joined(items, "\n");
  const all = rows.length === 2 ? md`Both` : md`All ${rows.length}`;
  return isSame && first !== "" ? md`${shown}\n\n${all} objects: ${first}` : shown;
}

/** Renders an object with the reason below it. */
export function renderItem(head: Markdown, why: Markdown): Markdown {
  return listItem(why === "" ? head : md`${head}<br>${why}`);
}

/** Returns the name of the object, after the name of the object that it replaces. */
export function rowNamePhrase({ name, succeeds }: Row): Phrase {
  return succeeds === undefined
    ? inlineCode(name)
    : say`${inlineCode(succeeds)} → ${inlineCode(shortObjectName(name))}`;
}

/** Returns the name without kind and namespace. */
export function shortObjectName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1).replace(/^\S+ /, "");
}

/** Returns the reason of a change, its source, and the adapter that wrote the object. */
export function describeReasons(row: Row, config: string, now: string | undefined): Phrase {
  const parts = [
    ...(row.unsure === undefined ? [] : [strong(text(row.unsure))]),
    ...(row.note === undefined ? [] : [text(row.note)]),
    ...(row.recreates === undefined || row.recreates.length === 0
      ? []
      : [say`deleted and recreated ${immutablePhrase(row)}`]),
    ...renamed(row),
    ...sourceLines(row, now),
    ...row.ignored.map(
      ({ path, live, declared }) =>
        say`ignored: ${inlineCode(path)} is ${shownValue(live)} in the cluster, ${shownValue(declared)} in the manifest`,
    ),
    ...(row.trace === undefined ? [] : [describeTrace(row.trace, config)]),
  ];
  return joinPhrases(parts, lineBreak);
}

/** Describes the fate of the old object. */
function renamed({ succeeds, action }: Row): readonly Phrase[] {
  if (succeeds === undefined) return [];
  const kind = text(rowKind(succeeds));
  return [
    action === "rename"
      ? say`new name: qvs deletes the old ${kind} at the end`
      : say`new name: the old ${kind} stays`,
  ];
}

/**
 * Lists the fields that this pull request didn't change, by source. The diff shows the other
 * fields.
 */
function sourceLines({ fields: changed }: Row, now: string | undefined): readonly Phrase[] {
  return fieldsBySource(changed).map(({ words, fields, all }) => {
    const authors = fieldAuthors(all, now);
    const from = authors.length === 0 ? [] : say` (${text(authors.slice(0, 2).join("; "))})`;
    const names = fields.length === 0 ? [] : say`: ${listFields(fields)}`;
    return say`${text(words)}${names}${from}`;
  });
}

const namedFields = 3;

function listFields(fields: readonly RowField[]): Phrase {
  const shown = joinPhrases(
    fields.slice(0, namedFields).map((field) => inlineCode(rowFieldText(field))),
    ", ",
  );
  const rest = fields.length - namedFields;
  return rest > 0 ? say`${shown} and ${rest} more` : shown;
}

function describeTrace(trace: RowTrace, config: string): Phrase {
  const { patterns, line, changed, written, patched = [], declared = [] } = trace;
  const adapters = patterns.map((pattern) => inlineCode(shortPattern(pattern)));
  const path = joinPhrases(adapters.toReversed(), ", used by ");
  const by =
    changed.length === 0
      ? []
      : say`, because ${joinPhrases(changed.map(inlineCode), ", ")} changed`;
  const place = placeLink({ file: config, line }, say`line ${line}`);
  const fromFile = namesFiles(patterns[0] ?? "");
  const source = fromFile ? say`from ${path}` : say`from adapter ${path}`;
  return joinPhrases(
    [
      say`${source} (${place})${by}`,
      ...describePlaces(say`patched at`, patched),
      ...describePlaces(fromFile ? say`changed at` : say`changed in the adapter:`, written),
      ...describePlaces(say`declared at`, declared),
    ],
    lineBreak,
  );
}

const shownPlaces = 3;

function describePlaces(label: Phrase, all: readonly Position[]): readonly Phrase[] {
  if (all.length === 0) return [];
  const places = all.slice(0, shownPlaces).map((position) => placeLink(position));
  const more = all.length > shownPlaces ? say` and ${all.length - shownPlaces} more` : [];
  return [say`${label} ${joinPhrases(places, ", ")}${more}`];
}

function shownValue(value: string | undefined): Phrase {
  return value === undefined ? say`not set` : inlineCode(value);
}
