import type { AdapterDescription, Composite } from "../model/description.ts";
import type { Position } from "../model/problem.ts";
import {
  compositeText,
  hasResources,
  moreComposites,
  moreResources,
  paragraphsOf,
  pipelinesOnly,
  presenceText,
} from "./describe-facts.ts";
import { visible, visibleLine } from "./markdown.ts";
import { type ParameterRow, type ParameterTable, parameterTables } from "./parameter-rows.ts";
import type { Paint } from "./plan-text.ts";
import { tableRow } from "./text-table.ts";
import { widthOf, wrap } from "./wrap.ts";

/** An adapter for a terminal of `width` columns: no line is longer, and no word of the adapter's moves the cursor. */
export function renderDescription(
  adapter: AdapterDescription,
  width: number,
  paint: Paint = (text) => text,
): string {
  const blocks = [
    [...headOf(adapter, width, paint)],
    ...parameterTables(adapter.parameters).map((each) => tableBlock(each, adapter, width, paint)),
    conditionBlock(adapter, width, paint),
    listBlock("Composites", compositeLines(adapter), width, paint),
    listBlock("Resources", resourceLines(adapter), width, paint),
  ];
  const shown = blocks.filter((block) => block.length > 0).map((block) => block.join("\n"));
  return `${shown.join("\n\n")}\n`;
}

function headOf(adapter: AdapterDescription, width: number, paint: Paint): readonly string[] {
  const { pattern, name, group, position } = adapter;
  const facts = [
    name === "" ? "" : `name ${name}`,
    group === "" ? "" : `group ${group}`,
    position === undefined ? "" : placeOf(position),
  ].filter((fact) => fact !== "");
  const prose = [...paragraphsOf(adapter), ...(adapter.pipelinesOnly ? [pipelinesOnly] : [])];
  return [
    ...wrap(visibleLine(pattern), width).map((line) => paint(line, "strong")),
    ...prose.flatMap((paragraph) => wrap(visibleLine(paragraph), width)),
    ...wrap(visibleLine(facts.join(" · ")), width).map((line) => paint(line, "quiet")),
  ];
}

function tableBlock(
  table: ParameterTable,
  adapter: AdapterDescription,
  width: number,
  paint: Paint,
): readonly string[] {
  if (table.rows.length === 0) return [];
  const isType = table.name !== "";
  const file = isType ? table.rows[0]?.position?.file : adapter.position?.file;
  const rows = table.rows.map((row) => cellsOf(row, file));
  const { closed = false, patterns = [] } = adapter.parameters;
  const further = patterns.some(({ value }) => value.is !== "any")
    ? ["  Further params are allowed, see its source."]
    : [];
  const columns = columnsFor(rows, width);
  const lines = rows.flatMap((row) => rowLines(row, columns, width, paint));
  if (isType) {
    return [
      ...titleLines(visibleLine(table.name), visibleLine(file ?? ""), width, paint),
      ...lines,
    ];
  }
  const note = closed ? ["  Other params are an error."] : further;
  return [paint("Parameters", "strong"), ...lines, ...note];
}

/** The name of a definition, and the file that it is in beside it where there is room. */
function titleLines(name: string, file: string, width: number, paint: Paint): readonly string[] {
  const title = paint(name, "strong");
  if (file === "") return [title];
  if (widthOf(name) + widthOf(file) + 2 <= width) return [`${title}  ${paint(file, "quiet")}`];
  return [title, ...wrap(file, width - indent.length).map((line) => indent + paint(line, "quiet"))];
}

interface Cells {
  readonly path: string;
  readonly type: string;
  readonly presence: string;
  readonly line: string;
  readonly doc: string;
}

function cellsOf(row: ParameterRow, file: string | undefined): Cells {
  const isHere = row.position?.file === file;
  return {
    path: visibleLine(row.path),
    type: visibleLine(row.type),
    presence: visibleLine(presenceText(row)),
    line:
      row.position === undefined ? "" : isHere ? `:${row.position.line}` : placeOf(row.position),
    doc: row.doc,
  };
}

interface Columns {
  readonly path: number;
  readonly type: number;
  readonly presence: number;
}

const indent = "  ";
const gap = 2;
/** Wide enough for `:9999`; the name of another file has a line of its own. */
const lineColumn = 5;
/** A narrower column is harder to read than lines below each other. */
const leastType = 14;

/** undefined where the columns have no room beside each other. The name takes what it needs, the others share the rest. */
function columnsFor(rows: readonly Cells[], width: number): Columns | undefined {
  const longest = (of: (cells: Cells) => string) => Math.max(...rows.map((r) => widthOf(of(r))));
  const path = longest((row) => row.path);
  const line = Math.min(
    5,
    longest((row) => row.line),
  );
  const rest = width - gap - path - gap - gap - gap - line;
  const wanted = { type: longest((row) => row.type), presence: longest((row) => row.presence) };
  const presence = Math.min(wanted.presence, Math.max(Math.floor(rest / 2), rest - wanted.type));
  const type = Math.min(wanted.type, rest - presence);
  return type < Math.min(leastType, wanted.type) || presence < Math.min(leastType, wanted.presence)
    ? undefined
    : { path, type, presence };
}

const docIndent = " ".repeat(6);

function rowLines(
  row: Cells,
  columns: Columns | undefined,
  width: number,
  paint: Paint,
): readonly string[] {
  const doc = row.doc
    .split("\n")
    .flatMap((line) => wrap(visibleLine(line), width - docIndent.length))
    .map((line) => docIndent + paint(line, "quiet"));
  if (columns === undefined) return [...stacked(row, width, paint), ...doc];
  const fits = widthOf(row.line) <= lineColumn;
  const cells = [
    { text: row.path, tone: "strong" as const },
    { text: row.type },
    { text: row.presence },
    { text: fits ? row.line : "", tone: "quiet" as const },
  ];
  const lines = tableRow(cells, [columns.path, columns.type, columns.presence], paint);
  const elsewhere = fits ? [] : wrap(row.line, width - docIndent.length);
  return [
    ...lines.map((line) => indent + line),
    ...elsewhere.map((line) => docIndent + paint(line, "quiet")),
    ...doc,
  ];
}

function stacked(row: Cells, width: number, paint: Paint): readonly string[] {
  const facts = wrap(`${row.type}, ${row.presence}`, width - 2 * indent.length);
  const [name = "", ...more] = wrap(row.path, width - indent.length);
  const place = row.line === "" ? [] : wrap(row.line, width - 2 * indent.length);
  const beside = widthOf(name) + widthOf(row.line) + 3 <= width && more.length === 0;
  return [
    indent +
      paint(name, "strong") +
      (beside && row.line !== "" ? ` ${paint(row.line, "quiet")}` : ""),
    ...more.map((line) => indent + paint(line, "strong")),
    ...facts.map((line) => indent + indent + line),
    ...(beside ? [] : place.map((line) => indent + indent + paint(line, "quiet"))),
  ];
}

function conditionBlock(
  { conditions }: AdapterDescription,
  width: number,
  paint: Paint,
): readonly string[] {
  if (conditions.length === 0) return [];
  const shown = conditions.flatMap(({ text, position }) => [
    ...placeLines(position, width, paint),
    ...text.split("\n").flatMap((line) => wrapped(visible(line.replaceAll("\t", "  ")), width)),
  ]);
  return [paint("Further rules", "strong"), ...shown];
}

function placeLines(
  position: Position | undefined,
  width: number,
  paint: Paint,
): readonly string[] {
  if (position === undefined) return [];
  const lines = wrap(placeOf(position), width - indent.length);
  return lines.map((line) => indent + paint(line, "quiet"));
}

function wrapped(line: string, width: number): readonly string[] {
  const before = " ".repeat(4) + (/^ */.exec(line)?.[0] ?? "");
  return wrap(line.trim(), Math.max(20, width - before.length)).map((part) => before + part);
}

function listBlock(
  title: string,
  items: readonly { readonly level: number; readonly text: string }[],
  width: number,
  paint: Paint,
): readonly string[] {
  if (items.length === 0) return [];
  const lines = items.flatMap(({ level, text }) => {
    const before = indent.repeat(level);
    const [first = "", ...others] = wrap(visibleLine(text), width - before.length - 2);
    return [before + first, ...others.map((line) => `${before}  ${line}`)];
  });
  return [paint(title, "strong"), ...lines];
}

function compositeLines(adapter: AdapterDescription) {
  const { composites, compositesKnown } = adapter;
  const below = (composite: Composite, level: number): { level: number; text: string }[] => [
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

function placeOf({ file, line, column }: Position): string {
  return visibleLine(`${file}:${line}:${column}`);
}
