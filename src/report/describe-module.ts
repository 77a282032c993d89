import { describeProblem } from "../errors.ts";
import type { AdapterDescription } from "../model/description.ts";
import type { JsonObject } from "../model/json.ts";
import type { Problem } from "../model/problem.ts";
import { otherCount, paragraphsOf, requiredNames, resourceCount } from "./describe-facts.ts";
import { describeInMarkdown } from "./describe-markdown.ts";
import { code, escapeText, fenced, table, visibleLine } from "./markdown.ts";
import { parametersSchema } from "./parameters-schema.ts";
import type { Paint } from "./plan-text.ts";
import { type Cell, tableRow } from "./text-table.ts";
import { widthOf, wrap } from "./wrap.ts";

/** All adapters of a module, and why others could not be described. */
export interface ModuleDescription {
  /** The module path. */
  readonly module: string;
  readonly adapters: readonly AdapterDescription[];
  readonly failures: readonly {
    readonly pattern: string;
    readonly problems: readonly Problem[];
  }[];
}

/** One table for a terminal of `width` columns: what each adapter needs and makes, below it what it says of itself. */
export function renderModule(
  description: ModuleDescription,
  width: number,
  paint: Paint = (text) => text,
): string {
  const { module, adapters, failures } = description;
  const rows = adapters.map((adapter) => ({ adapter, cells: cellsOf(adapter, module) }));
  const widths = widthsFor(
    rows.map(({ cells }) => cells),
    width,
  );
  const lines = [
    ...wrap(visibleLine(countText(description)), width),
    "",
    ...tableRow(header, widths, paint),
    ...rows.flatMap(({ adapter, cells }) => [
      ...tableRow(cells, widths, paint),
      ...summaryLines(adapter, width, paint),
    ]),
    ...failures.flatMap(({ pattern }) => [
      ...wrap(shortName(pattern, module), width).map((line) => paint(line, "strong")),
      `  ${paint("cannot be described, see below", "removed")}`,
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

const header: readonly Cell[] = [
  { text: "ADAPTER", tone: "quiet" },
  { text: "REQUIRED PARAMS", tone: "quiet" },
  { text: "OTHERS", tone: "quiet" },
  { text: "RESOURCES", tone: "quiet" },
];

function cellsOf(adapter: AdapterDescription, module: string): readonly Cell[] {
  const required = visibleLine(requiredNames(adapter).join(" "));
  return [
    { text: shortName(adapter.pattern, module), tone: "strong" },
    { text: required === "" ? "-" : required },
    { text: String(otherCount(adapter)) },
    { text: resourceCount(adapter) },
  ];
}

/** Half for the adapter, if it needs that, 17 for the last two columns, 6 between them all; the params get what is left. */
function widthsFor(rows: readonly (readonly Cell[])[], width: number): readonly number[] {
  const longest = Math.max(...[header, ...rows].map(([name]) => widthOf(name?.text ?? "")));
  const name = Math.min(longest, Math.floor((width - 26) * 0.55));
  return [name, width - 26 - name, 6, 14];
}

function summaryLines(adapter: AdapterDescription, width: number, paint: Paint): readonly string[] {
  const [summary] = paragraphsOf(adapter);
  if (summary === undefined) return [];
  return wrap(visibleLine(summary), width - 2).map((line) => `  ${paint(line, "quiet")}`);
}

function countText({ module, adapters, failures }: ModuleDescription): string {
  const all = adapters.length + failures.length;
  const pipelines = adapters.filter((adapter) => adapter.pipelinesOnly).length;
  const notes = [
    ...(pipelines === 0 ? [] : [`${pipelines} with pipelines only`]),
    ...(failures.length === 0 ? [] : [`${failures.length} that cannot be described`]),
  ];
  const count = `${all} ${all === 1 ? "adapter" : "adapters"} in ${module}`;
  return notes.length === 0 ? count : `${count}, ${notes.join(", ")}`;
}

/** Within its own module an adapter is known by the rest of its path. */
function shortName(pattern: string, module: string): string {
  const short = pattern.startsWith(`${module}/`) ? pattern.slice(module.length + 1) : pattern;
  return visibleLine(short);
}

/** A document to commit beside the adapters: a table, then a section each. */
export function moduleInMarkdown(description: ModuleDescription): string {
  const { module, adapters, failures } = description;
  const titles = ["Adapter", "Description", "Required params", "Others", "Resources"];
  const rows = adapters.map((adapter) => [
    link(adapter, module),
    escapeText(paragraphsOf(adapter)[0] ?? ""),
    requiredNames(adapter).map(code).join(", "),
    String(otherCount(adapter)),
    resourceCount(adapter),
  ]);
  const broken = failures.map(({ pattern, problems }) =>
    [
      `## ${code(pattern)}`,
      "It cannot be described:",
      fenced("text", problems.map(describeProblem)),
    ].join("\n\n"),
  );
  const blocks = [
    `# Adapters of ${code(module)}`,
    countText({ ...description, module: "this module" }),
    ...(rows.length === 0 ? [] : [table(titles, rows)]),
    ...adapters.map((adapter) => describeInMarkdown(adapter, 2)),
    ...broken,
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** GitHub names a heading after its letters, digits, `-` and `_`. */
function link({ pattern }: AdapterDescription, module: string): string {
  const anchor = pattern.toLowerCase().replaceAll(/[^\p{L}\p{N}_-]/gu, "");
  return `[${code(shortName(pattern, module))}](#${anchor})`;
}

/** JSON Schemas by import path. */
export function moduleSchemas({ adapters }: ModuleDescription): JsonObject {
  return Object.fromEntries(adapters.map((each) => [each.pattern, parametersSchema(each)]));
}
