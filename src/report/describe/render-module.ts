import type { JsonObject } from "../../model/json.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { describeProblem } from "../../model/problems/problem-text.ts";
import type { AdapterDescription } from "../../model/sources/description.ts";
import { code, codeBlock, escapeText, linkToHeading, md, table } from "../../redaction/markdown.ts";
import { joined, type Markdown, type TerminalText } from "../../redaction/shown.ts";
import { exactLine, terminal } from "../../redaction/terminal.ts";
import { displayWidth, wrap } from "../../redaction/wrap.ts";
import type { LinePainter } from "../text/text-lines.ts";
import { type Cell, tableRow } from "../text/text-table.ts";
import { adapterParagraphs, otherCount, requiredNames, resourceCount } from "./adapter-facts.ts";
import { adapterMarkdown } from "./adapter-markdown.ts";
import { parametersSchema } from "./parameters-schema.ts";

/** All adapters of a module, with the errors of those that qvs can't describe. */
export interface ModuleDescription {
  /** The module path. */
  readonly module: string;
  readonly adapters: readonly AdapterDescription[];
  readonly failures: readonly {
    readonly pattern: string;
    readonly problems: readonly Problem[];
  }[];
}

/**
 * Renders one table for a terminal of `width` columns.
 * Each row has an adapter's required parameters and resources, with its summary below them.
 */
export function renderModule(
  description: ModuleDescription,
  width: number,
  paint: LinePainter = (text) => text,
): TerminalText {
  const { module, adapters, failures } = description;
  const rows = adapters.map((adapter) => ({ adapter, cells: adapterCells(adapter, module) }));
  const widths = moduleWidths(
    rows.map(({ cells }) => cells),
    width,
  );
  const lines = [
    ...wrap(exactLine(countText(description)), width),
    terminal``,
    ...tableRow(header, widths, paint),
    ...rows.flatMap(({ adapter, cells }) => [
      ...tableRow(cells, widths, paint),
      ...summaryLines(adapter, width, paint),
    ]),
    ...failures.flatMap(({ pattern }) => [
      ...wrap(exactLine(shortName(pattern, module)), width).map((line) => paint(line, "strong")),
      terminal`  ${paint(terminal`qvs can't describe it, see below`, "removed")}`,
    ]),
  ];
  return terminal`${joined(lines, "\n")}\n`;
}

const header: readonly Cell[] = [
  { text: terminal`ADAPTER`, tone: "quiet" },
  { text: terminal`REQUIRED PARAMS`, tone: "quiet" },
  { text: terminal`OTHERS`, tone: "quiet" },
  { text: terminal`RESOURCES`, tone: "quiet" },
];

function adapterCells(adapter: AdapterDescription, module: string): readonly Cell[] {
  const required = exactLine(requiredNames(adapter).join(" "));
  return [
    { text: exactLine(shortName(adapter.pattern, module)), tone: "strong" },
    { text: required === "" ? terminal`-` : required },
    { text: terminal`${otherCount(adapter)}` },
    { text: exactLine(resourceCount(adapter)) },
  ];
}

/**
 * Divides the width into columns.
 * The last two columns have 6 and 14, and the gaps have 6 together. The adapter gets at most 55 %
 * of the rest, and the params get the remainder.
 */
function moduleWidths(rows: readonly (readonly Cell[])[], width: number): readonly number[] {
  const longest = Math.max(
    ...[header, ...rows].map(([name]) => displayWidth(name?.text ?? terminal``)),
  );
  const name = Math.min(longest, Math.floor((width - 26) * 0.55));
  return [name, width - 26 - name, 6, 14];
}

function summaryLines(
  adapter: AdapterDescription,
  width: number,
  paint: LinePainter,
): readonly TerminalText[] {
  const [summary] = adapterParagraphs(adapter);
  if (summary === undefined) return [];
  return wrap(exactLine(summary), width - 2).map((line) => terminal`  ${paint(line, "quiet")}`);
}

function countText({ module, adapters, failures }: ModuleDescription): string {
  const all = adapters.length + failures.length;
  const pipelines = adapters.filter((adapter) => adapter.pipelinesOnly).length;
  const notes = [
    ...(pipelines === 0 ? [] : [`${pipelines} with pipelines only`]),
    ...(failures.length === 0 ? [] : [`${failures.length} that qvs can't describe`]),
  ];
  const count = `${all} ${all === 1 ? "adapter" : "adapters"} in ${module}`;
  return notes.length === 0 ? count : `${count}, ${notes.join(", ")}`;
}

/** Returns the name of an adapter relative to its module. */
function shortName(pattern: string, module: string): string {
  return pattern.startsWith(`${module}/`) ? pattern.slice(module.length + 1) : pattern;
}

/**
 * Renders a document to commit next to the adapters: a table, then one section for each adapter.
 */
export function moduleMarkdown(description: ModuleDescription): Markdown {
  const { module, adapters, failures } = description;
  const titles = [md`Adapter`, md`Description`, md`Required params`, md`Others`, md`Resources`];
  const rows = adapters.map((adapter) => [
    link(adapter, module),
    escapeText(adapterParagraphs(adapter)[0] ?? ""),
    joined(requiredNames(adapter).map(code), ", "),
    md`${otherCount(adapter)}`,
    escapeText(resourceCount(adapter)),
  ]);
  const broken = failures.map(({ pattern, problems }) =>
    joined(
      [
        md`## ${code(pattern)}`,
        md`qvs can't describe this adapter:`,
        codeBlock(
          "text",
          problems.flatMap((problem) => describeProblem(problem).split("\n")),
        ),
      ],
      "\n\n",
    ),
  );
  const blocks = [
    md`# Adapters of ${code(module)}`,
    escapeText(countText({ ...description, module: "this module" })),
    ...(rows.length === 0 ? [] : [table(titles, rows)]),
    ...adapters.map((adapter) => adapterMarkdown(adapter, 2)),
    ...broken,
  ];
  return md`${joined(blocks, "\n\n")}\n`;
}

function link({ pattern }: AdapterDescription, module: string): Markdown {
  return linkToHeading(code(shortName(pattern, module)), pattern);
}

/** Returns the JSON Schemas by import path. */
export function moduleSchemas({ adapters }: ModuleDescription): JsonObject {
  return Object.fromEntries(adapters.map((each) => [each.pattern, parametersSchema(each)]));
}
