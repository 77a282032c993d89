import type { FieldChange } from "../../model/attribution.ts";
import type { Json } from "../../model/json.ts";
import type { Position } from "../../model/problem.ts";
import { shorten } from "../../redaction/graphemes.ts";
import { code, details, escapeHtml, escapeText, md, table } from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { labelOf, plural, summarise } from "../counts.ts";
import { authorsOf, fieldsBySource } from "../row-text.ts";
import type { Row } from "../rows.ts";
import { shortPattern, type Trace } from "../trace/trace.ts";
import type { Look } from "./verdict.ts";
import { isAlarming } from "./verdict.ts";

/** A few harmless rows are read sooner than a fold is opened. */
const fewRows = 3;

/** What happens to each object, the dangerous first; what nobody has to look at is folded where there is more than a little of it. */
export function renderObjects(rows: readonly Row[], config: string, look: Look): Markdown {
  const harmless = rows.filter((row) => row.harmless === true);
  const isFolded = harmless.length > fewRows;
  const shown = isFolded ? rows.filter((row) => row.harmless !== true) : rows;
  const parts = [
    renderTable(shown, config, look),
    isFolded
      ? details(
          escapeHtml(`${plural(harmless.length, "more object")} that need no look`),
          renderTable(harmless, config, look),
        )
      : md``,
  ];
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
  );
}

/** What is never cut, and how much else there is. */
export function renderDangerousObjects(rows: readonly Row[]): Markdown {
  const isKept = (row: Row) =>
    row.action === "delete" || row.action === "replace" || isAlarming(row);
  const shown = rows
    .filter(isKept)
    .map(({ action, name, note }) => [
      labelOf(action),
      code(name),
      note === undefined ? md`` : escapeText(note),
    ]);
  const rest = rows.length - shown.length;
  const more = md`${escapeText(plural(rest, "further change"))} (${escapeText(summarise(rows))} in all): see the run's summary.`;
  const parts = [
    shown.length === 0 ? md`` : table([md`Action`, md`Object`, md`Why`], shown),
    rest > 0 ? more : md``,
  ];
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
  );
}

function renderTable(rows: readonly Row[], config: string, look: Look): Markdown {
  if (rows.length === 0) return md``;
  const whys = rows.map((row) => whyOf(row, config, look));
  const [first = md``] = whys;
  const isSame = rows.length > 1 && whys.every((why) => why === first);
  const cells = rows.map((row, i) => [
    labelOf(row.action),
    nameIn(row),
    ...(isSame ? [] : [whys[i] ?? md``]),
  ]);
  const header = [md`Action`, md`Object`, ...(isSame ? [] : [md`Why`])];
  const shown = table(header, cells);
  return isSame && first !== "" ? md`${shown}\n\nAll of them: ${first}` : shown;
}

function nameIn({ name, succeeds }: Row): Markdown {
  return succeeds === undefined ? code(name) : md`${code(succeeds)} → ${code(nameAlone(name))}`;
}

/** The kind and the namespace stand before the arrow already. */
function nameAlone(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1).replace(/^\S+ /, "");
}

function whyOf(row: Row, config: string, look: Look): Markdown {
  const parts = [
    ...(row.unsure === undefined ? [] : [md`**${escapeText(row.unsure)}**`]),
    ...(row.note === undefined ? [] : [escapeText(row.note)]),
    ...renamed(row),
    ...sourceLines(row, look.now),
    ...row.ignored.map(
      ({ path, live, declared }) =>
        md`ignored: ${code(path)} is ${shownValue(live)}, declared ${shownValue(declared)}`,
    ),
    ...(row.trace === undefined ? [] : [describeTrace(row.trace, config, look)]),
  ];
  return joined(parts, "<br>");
}

function renamed({ succeeds, action }: Row): readonly Markdown[] {
  if (succeeds === undefined) return [];
  return [action === "rename" ? md`the old one is deleted in the end` : md`the old one stays`];
}

/** The fields that are not this change's, by whose they are; those that are have the diff. */
function sourceLines({ attribution }: Row, now: string | undefined): readonly Markdown[] {
  return fieldsBySource(attribution?.fields ?? []).map(({ words, fields, all }) => {
    const authors = authorsOf(all, now);
    const from = authors.length === 0 ? md`` : md` (${escapeText(authors.slice(0, 2).join("; "))})`;
    const names = fields.length === 0 ? md`` : md`: ${listFields(fields)}`;
    return md`${escapeText(words)}${names}${from}`;
  });
}

const namedFields = 3;

function listFields(fields: readonly FieldChange[]): Markdown {
  const shown = joined(
    fields.slice(0, namedFields).map(({ path }) => code(path)),
    ", ",
  );
  const rest = fields.length - namedFields;
  return rest > 0 ? md`${shown} and ${rest} more` : shown;
}

function describeTrace(
  { patterns, line, changed, written }: Trace,
  config: string,
  { show }: Look,
): Markdown {
  const path = joined(
    patterns.map((pattern) => code(shortPattern(pattern))),
    " → ",
  );
  const names = [...new Set(changed.map(({ name }) => name))];
  const by = names.length === 0 ? md`` : md`, by ${joined(names.map(code), ", ")}`;
  const place = show({ file: config, line }, md`line ${line}`);
  return joined([md`${path} (${place})${by}`, ...describePlaces(written, show)], "<br>");
}

const shownPlaces = 3;

function describePlaces(written: readonly Position[], show: Look["show"]): readonly Markdown[] {
  if (written.length === 0) return [];
  const places = written.slice(0, shownPlaces).map((position) => show(position));
  const more = written.length > shownPlaces ? md` and ${written.length - shownPlaces} more` : md``;
  return [md`the adapter writes it differently: ${joined(places, ", ")}${more}`];
}

/** A value on one line. */
export function shownValue(value: Json | undefined): Markdown {
  if (value === undefined) return md`not set`;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return code(shorten(text, 60, 57));
}
