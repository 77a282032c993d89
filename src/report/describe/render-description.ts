import type { Position } from "../../model/problems/problem.ts";
import type { AdapterDescription, DescribedComposite } from "../../model/sources/description.ts";
import { joined, type TerminalText } from "../../redaction/shown.ts";
import { exactLine, terminal } from "../../redaction/terminal.ts";
import { blanks, displayWidth, wrap } from "../../redaction/wrap.ts";
import type { LinePainter } from "../text/text-lines.ts";
import { tableRow } from "../text/text-table.ts";
import {
  adapterParagraphs,
  compositeText,
  hasResources,
  moreComposites,
  moreResources,
  pipelinesOnly,
  presenceText,
} from "./adapter-facts.ts";
import { type ParameterRow, type ParameterTable, parameterTables } from "./parameter-rows.ts";

/**
 * Renders an adapter for a terminal of `width` columns.
 * No line is longer, and no string of the adapter moves the cursor.
 */
export function renderDescription(
  adapter: AdapterDescription,
  width: number,
  paint: LinePainter = (text) => text,
): TerminalText {
  const blocks = [
    [...headLines(adapter, width, paint)],
    ...parameterTables(adapter.parameters).map((each) => tableBlock(each, adapter, width, paint)),
    conditionBlock(adapter, width, paint),
    listBlock(terminal`Composites`, compositeLines(adapter), width, paint),
    listBlock(terminal`Resources`, resourceLines(adapter), width, paint),
  ];
  const shown = blocks.filter((block) => block.length > 0).map((block) => joined(block, "\n"));
  return terminal`${joined(shown, "\n\n")}\n`;
}

function headLines(
  adapter: AdapterDescription,
  width: number,
  paint: LinePainter,
): readonly TerminalText[] {
  const { pattern, name, group, position } = adapter;
  const facts = [
    name === "" ? "" : `name ${name}`,
    group === "" ? "" : `group ${group}`,
    position === undefined ? "" : placeText(position),
  ].filter((fact) => fact !== "");
  const prose = [...adapterParagraphs(adapter), ...(adapter.pipelinesOnly ? [pipelinesOnly] : [])];
  return [
    ...wrap(exactLine(pattern), width).map((line) => paint(line, "strong")),
    ...prose.flatMap((paragraph) => wrap(exactLine(paragraph), width)),
    ...wrap(exactLine(facts.join(" · ")), width).map((line) => paint(line, "quiet")),
  ];
}

function tableBlock(
  table: ParameterTable,
  adapter: AdapterDescription,
  width: number,
  paint: LinePainter,
): readonly TerminalText[] {
  if (table.rows.length === 0) return [];
  const isType = table.name !== "";
  const file = isType ? table.rows[0]?.position?.file : adapter.position?.file;
  const rows = table.rows.map((row) => rowCells(row, file));
  const { closed = false, patterns = [] } = adapter.parameters;
  const further = patterns.some(({ value }) => value.is !== "any")
    ? [terminal`  More params are allowed. See the source.`]
    : [];
  const columns = columnWidths(rows, width);
  const lines = rows.flatMap((row) => rowLines(row, columns, width, paint));
  if (isType) {
    return [...titleLines(exactLine(table.name), exactLine(file ?? ""), width, paint), ...lines];
  }
  const note = closed ? [terminal`  Other params cause an error.`] : further;
  return [paint(terminal`Parameters`, "strong"), ...lines, ...note];
}

/** Renders the name of a definition, with its file on the same line if it fits. */
function titleLines(
  name: TerminalText,
  file: TerminalText,
  width: number,
  paint: LinePainter,
): readonly TerminalText[] {
  const title = paint(name, "strong");
  if (file === "") return [title];
  if (displayWidth(name) + displayWidth(file) + 2 <= width)
    return [terminal`${title}  ${paint(file, "quiet")}`];
  return [
    title,
    ...wrap(file, width - indent.length).map((line) => terminal`${indent}${paint(line, "quiet")}`),
  ];
}

interface Cells {
  readonly path: TerminalText;
  readonly type: TerminalText;
  readonly presence: TerminalText;
  readonly line: TerminalText;
  readonly doc: string;
}

function rowCells(row: ParameterRow, file: string | undefined): Cells {
  const isHere = row.position?.file === file;
  return {
    path: exactLine(row.path),
    type: exactLine(row.type),
    presence: exactLine(presenceText(row)),
    line:
      row.position === undefined
        ? terminal``
        : isHere
          ? terminal`:${row.position.line}`
          : placeText(row.position),
    doc: row.doc,
  };
}

interface Columns {
  readonly path: number;
  readonly type: number;
  readonly presence: number;
}

const indent = terminal`  `;
const gap = 2;
/** Wide enough for `:9999`. The name of another file is on a line of its own. */
const lineColumn = 5;
/** A narrower column is harder to read than one line per value. */
const leastType = 14;

/**
 * Returns the widths of the columns. The name gets its full width, the others share the rest.
 * Undefined if the columns don't fit next to each other.
 */
function columnWidths(rows: readonly Cells[], width: number): Columns | undefined {
  const longest = (of: (cells: Cells) => TerminalText) =>
    Math.max(...rows.map((r) => displayWidth(of(r))));
  const path = longest((row) => row.path);
  const line = Math.min(
    5,
    longest((row) => row.line),
  );
  const rest = width - gap - path - gap - gap - gap - line;
  const widths = { type: longest((row) => row.type), presence: longest((row) => row.presence) };
  const presence = Math.min(widths.presence, Math.max(Math.floor(rest / 2), rest - widths.type));
  const type = Math.min(widths.type, rest - presence);
  return type < Math.min(leastType, widths.type) || presence < Math.min(leastType, widths.presence)
    ? undefined
    : { path, type, presence };
}

const docIndent = terminal`      `;

function rowLines(
  row: Cells,
  columns: Columns | undefined,
  width: number,
  paint: LinePainter,
): readonly TerminalText[] {
  const doc = row.doc
    .split("\n")
    .flatMap((line) => wrap(exactLine(line), width - docIndent.length))
    .map((line) => terminal`${docIndent}${paint(line, "quiet")}`);
  if (columns === undefined) return [...stacked(row, width, paint), ...doc];
  const fits = displayWidth(row.line) <= lineColumn;
  const cells = [
    { text: row.path, tone: "strong" as const },
    { text: row.type },
    { text: row.presence },
    { text: fits ? row.line : terminal``, tone: "quiet" as const },
  ];
  const lines = tableRow(cells, [columns.path, columns.type, columns.presence], paint);
  const elsewhere = fits ? [] : wrap(row.line, width - docIndent.length);
  return [
    ...lines.map((line) => terminal`${indent}${line}`),
    ...elsewhere.map((line) => terminal`${docIndent}${paint(line, "quiet")}`),
    ...doc,
  ];
}

function stacked(row: Cells, width: number, paint: LinePainter): readonly TerminalText[] {
  const facts = wrap(terminal`${row.type}, ${row.presence}`, width - 2 * indent.length);
  const [name = terminal``, ...more] = wrap(row.path, width - indent.length);
  const place = row.line === "" ? [] : wrap(row.line, width - 2 * indent.length);
  const fitsBeside = displayWidth(name) + displayWidth(row.line) + 3 <= width && more.length === 0;
  const there = fitsBeside && row.line !== "" ? terminal` ${paint(row.line, "quiet")}` : terminal``;
  return [
    terminal`${indent}${paint(name, "strong")}${there}`,
    ...more.map((line) => terminal`${indent}${paint(line, "strong")}`),
    ...facts.map((line) => terminal`${indent}${indent}${line}`),
    ...(fitsBeside ? [] : place.map((line) => terminal`${indent}${indent}${paint(line, "quiet")}`)),
  ];
}

function conditionBlock(
  { conditions }: AdapterDescription,
  width: number,
  paint: LinePainter,
): readonly TerminalText[] {
  if (conditions.length === 0) return [];
  const shown = conditions.flatMap(({ text, position }) => [
    ...placeLines(position, width, paint),
    ...text.split("\n").flatMap((line) => wrapped(line.replaceAll("\t", "  "), width)),
  ]);
  return [paint(terminal`Further rules`, "strong"), ...shown];
}

function placeLines(
  position: Position | undefined,
  width: number,
  paint: LinePainter,
): readonly TerminalText[] {
  if (position === undefined) return [];
  const lines = wrap(placeText(position), width - indent.length);
  return lines.map((line) => terminal`${indent}${paint(line, "quiet")}`);
}

function wrapped(line: string, width: number): readonly TerminalText[] {
  const before = blanks(4 + (/^ */.exec(line)?.[0].length ?? 0));
  const parts = wrap(exactLine(line.trim()), Math.max(20, width - before.length));
  return parts.map((part) => terminal`${before}${part}`);
}

function listBlock(
  title: TerminalText,
  items: readonly { readonly level: number; readonly text: string }[],
  width: number,
  paint: LinePainter,
): readonly TerminalText[] {
  if (items.length === 0) return [];
  const lines = items.flatMap(({ level, text }) => {
    const before = blanks(indent.length * level);
    const [first = terminal``, ...others] = wrap(exactLine(text), width - before.length - 2);
    return [terminal`${before}${first}`, ...others.map((line) => terminal`${before}  ${line}`)];
  });
  return [paint(title, "strong"), ...lines];
}

function compositeLines(adapter: AdapterDescription) {
  const { composites, compositesKnown } = adapter;
  const below = (
    composite: DescribedComposite,
    level: number,
  ): { level: number; text: string }[] => [
    { level, text: compositeText(composite) },
    ...composite.composites.flatMap((each) => below(each, level + 1)),
  ];
  const known = composites.flatMap((composite) => below(composite, 1));
  return compositesKnown ? known : [...known, { level: 1, text: moreComposites }];
}

function resourceLines({ resources }: AdapterDescription) {
  return (["appSetup", "app"] as const).flatMap((stage) => {
    const { ids, more } = resources[stage];
    if (!hasResources(resources[stage])) return [];
    return [
      { level: 1, text: `${stage}: ${[...ids, ...(more ? [moreResources] : [])].join(", ")}` },
    ];
  });
}

function placeText({ file, line, column }: Position): TerminalText {
  return exactLine(`${file}:${line}:${column}`);
}
