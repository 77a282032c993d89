import type { FieldChange } from "../model/attribution.ts";
import { differencesOf, textOfPath } from "../model/field-differences.ts";
import type { Json } from "../model/json.ts";
import { shorten } from "../redaction/graphemes.ts";
import type { TerminalText } from "../redaction/shown.ts";
import { exactLine } from "../redaction/terminal.ts";
import { authorInWords } from "./facts.ts";
import { notDeployedYet, type Row } from "./rows.ts";
import { shortPattern, type Trace } from "./trace/trace.ts";

interface Known {
  readonly config?: string | undefined;
  readonly now?: string | undefined;
}

/** Why an object changes and whose doing it is, a line each. */
export function whyLines(row: Row, { config, now }: Known): readonly TerminalText[] {
  const { trace, note, ignored } = row;
  const lines = [
    ...(note === undefined ? [] : [note]),
    ...(row.succeeds !== undefined && row.action !== "rename"
      ? [`succeeds ${row.succeeds}, which stays`]
      : []),
    ...sourceLines(row, now),
    ...ignored.map(
      ({ path, live, declared }) =>
        `ignored: ${path} is ${valueText(live)}, declared ${valueText(declared)}`,
    ),
    ...(trace === undefined ? [] : traceLines(trace, config)),
  ];
  return lines.map(exactLine);
}

/** The words for whose doing a change is, where it is not that of what is compared. */
export const sourceWords = {
  undeployed: notDeployedYet,
  drift: "drift",
  adoption: "taken over",
} as const;

function sourceLines({ attribution }: Row, now: string | undefined): readonly string[] {
  return fieldsBySource(attribution?.fields ?? []).map(({ words, fields, all }) => {
    const authors = authorsOf(all, now);
    const from = authors.length === 0 ? "" : ` (${authors.join("; ")})`;
    const names = fields.length === 0 ? "" : `: ${fields.map(({ path }) => path).join(", ")}`;
    return `${words}${names}${from}`;
  });
}

/** Fields that have the same to be said of them. */
interface FieldsOfSource {
  readonly words: string;
  /** What has to be named. */
  readonly fields: readonly FieldChange[];
  readonly all: readonly FieldChange[];
}

/** What is not the change's own. Of what is taken over, only what others had there is named: the rest is what we add. */
export function fieldsBySource(fields: readonly FieldChange[]): readonly FieldsOfSource[] {
  const of = (source: FieldChange["source"]) => fields.filter((each) => each.source === source);
  const byServer = of("server");
  const groups = [
    { words: sourceWords.undeployed, all: of("undeployed") },
    { words: sourceWords.drift, all: of("drift") },
    { words: sourceWords.adoption, all: of("adoption"), isNamed: hadValue },
    { words: "filled in by the server", all: byServer.filter((each) => !hadValue(each)) },
    { words: "changed by the server", all: byServer.filter(hadValue) },
  ];
  return groups.flatMap(({ words, all, isNamed = () => true }) =>
    all.length === 0 ? [] : [{ words, all, fields: all.filter(isNamed) }],
  );
}

function hadValue({ before }: FieldChange): boolean {
  return before !== undefined;
}

/** Who has written these fields, each once. */
export function authorsOf(
  fields: readonly FieldChange[],
  now: string | undefined,
): readonly string[] {
  const texts = fields.flatMap(({ by }) => (by === undefined ? [] : [authorInWords(by, now)]));
  return [...new Set(texts)];
}

function traceLines({ patterns, line, changed, written }: Trace, config: string | undefined) {
  const names = [...new Set(changed.map(({ name }) => name))];
  const by = names.length === 0 ? "" : `, because ${names.join(", ")} changed`;
  const place = config === undefined ? `line ${line}` : `${config}:${line}`;
  return [
    `from ${patterns.map(shortPattern).join(" → ")} (${place})${by}`,
    ...written.map(
      (position) => `the adapter writes it differently: ${position.file}:${position.line}`,
    ),
  ];
}

/** The arguments that differ, each once, by the adapter that is given them. */
export function parameterLines(
  rows: readonly Row[],
  config: string | undefined,
): readonly TerminalText[] {
  const all = rows.flatMap(({ trace }) => trace?.changed ?? []);
  const distinct = [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
  const uses = Map.groupBy(distinct, ({ pattern, line }) => `${line} ${pattern}`);
  return [...uses.values()].flatMap((params) => {
    const [first] = params;
    if (first === undefined) return [];
    const place = config === undefined ? `line ${first.line}` : `${config}:${first.line}`;
    const lines = params.flatMap(({ name, before, after }) =>
      before === undefined && after === undefined
        ? [`  ${name} changed`]
        : differencesOf(before, after).map(
            (field) =>
              `  ${textOfPath([name, ...field.path])}: ${valueText(field.before)} → ${valueText(field.after)}`,
          ),
    );
    return [`parameters of ${shortPattern(first.pattern)} (${place}):`, ...lines].map(exactLine);
  });
}

function valueText(value: Json | undefined): string {
  if (value === undefined) return "not set";
  return shorten(typeof value === "string" ? value : JSON.stringify(value), 60, 57);
}
