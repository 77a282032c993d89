import type { Position } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { exactLine } from "../../redaction/terminal.ts";
import type { ChangedArguments } from "../trace/changed-arguments.ts";
import { namesFiles, shortPattern } from "../trace/trace.ts";
import { describeConsequences } from "./consequences.ts";
import { authorText } from "./notable-changes.ts";
import { notDeployedYet } from "./plan-rows.ts";
import type { Row, RowField } from "./row.ts";

interface RowContext {
  readonly config?: string | undefined;
  readonly now?: string | undefined;
}

/** Returns the consequence, the reason and the source of a change, one per line. */
export function whyLines(row: Row, { now }: RowContext): readonly TerminalText[] {
  const { trace, note, ignored } = row;
  const lines = [
    ...describeConsequences(row),
    ...(note === undefined ? [] : [note]),
    ...(row.succeeds !== undefined && row.action !== "rename"
      ? [`replaces ${row.succeeds}, which stays`]
      : []),
    ...sourceLines(row, now),
    ...ignored.map(
      ({ path, live, declared }) =>
        `ignored: ${path} is ${live ?? notSet} in the cluster, ${declared ?? notSet} in the manifest`,
    ),
    ...(trace?.written ?? []).map(({ file, line }) =>
      namesFiles(trace?.patterns[0] ?? "")
        ? `changed at ${file}:${line}`
        : `changed in the adapter: ${file}:${line}`,
    ),
    ...declaredLine(trace?.declared ?? []),
  ];
  return lines.map(exactLine);
}

function declaredLine(places: readonly Position[]): readonly string[] {
  const texts = places.map(({ file, line }) => `${file}:${line}`);
  return texts.length === 0 ? [] : [`declared at ${summarizeList(texts, shownPlaces)}`];
}

/**
 * Returns the adapters that write an object, their line in the config, and the changed arguments.
 */
export function traceText({ trace }: Row, { config }: RowContext): TerminalText | undefined {
  if (trace === undefined) return undefined;
  const { patterns, line, changed, patched = [] } = trace;
  const by = changed.length === 0 ? "" : `, because ${changed.join(", ")} changed`;
  const place = config === undefined ? `line ${line}` : `${config}:${line}`;
  const at = patched.map((each) => `${each.file}:${each.line}`);
  const patches = at.length === 0 ? "" : `, patched at ${summarizeList(at, shownPlaces)}`;
  const path = patterns.map(shortPattern).toReversed().join(" in ");
  return exactLine(`${path} (${place})${patches}${by}`);
}

const shownPlaces = 3;

/** The words for sources other than the compared commits. */
export const sourceLabels = {
  undeployed: notDeployedYet,
  drift: "drift",
  adoption: "ownership taken",
} as const;

function sourceLines({ fields: changed }: Row, now: string | undefined): readonly string[] {
  return fieldsBySource(changed).map(({ words, fields, all }) => {
    const authors = fieldAuthors(all, now);
    const from = authors.length === 0 ? "" : ` (${authors.join("; ")})`;
    const names = fields.length === 0 ? "" : `: ${fields.map(rowFieldText).join(", ")}`;
    return `${words}${names}${from}`;
  });
}

/** Fields with the same source. */
interface FieldsOfSource {
  readonly words: string;
  /** The fields that are listed by name. */
  readonly fields: readonly RowField[];
  readonly all: readonly RowField[];
}

/**
 * Groups the fields with other sources than the change itself.
 * For an adoption, it names only the fields with a live value. The other fields are new.
 */
export function fieldsBySource(fields: readonly RowField[]): readonly FieldsOfSource[] {
  const of = (source: RowField["source"]) => fields.filter((each) => each.source === source);
  const byServer = of("server");
  const groups = [
    { words: sourceLabels.undeployed, all: of("undeployed") },
    { words: sourceLabels.drift, all: of("drift") },
    { words: sourceLabels.adoption, all: of("adoption"), isNamed: hadValue },
    { words: "added by the API server", all: byServer.filter((each) => !hadValue(each)) },
    { words: "changed by the API server", all: byServer.filter(hadValue) },
  ];
  return groups.flatMap(({ words, all, isNamed = () => true }) =>
    all.length === 0 ? [] : [{ words, all, fields: all.filter(isNamed) }],
  );
}

/**
 * Returns the path of a field, with its value if no diff shows that: `spec.clusterIP: 10.0.0.1`.
 */
export function rowFieldText({ path, filledIn }: RowField): string {
  return filledIn === undefined ? path : `${path}: ${filledIn}`;
}

function hadValue({ wasSet }: RowField): boolean {
  return wasSet;
}

/** Returns the authors of these fields, without duplicates. */
export function fieldAuthors(
  fields: readonly RowField[],
  now: string | undefined,
): readonly string[] {
  const texts = fields.flatMap(({ by }) => (by === undefined ? [] : [authorText(by, now)]));
  return [...new Set(texts)];
}

const notSet = "not set";

/** Lists the changed arguments, without duplicates, by adapter. */
export function parameterLines(
  parameters: readonly ChangedArguments[],
  config: string | undefined,
): readonly TerminalText[] {
  return parameters.flatMap(({ pattern, line, changes }) => {
    const place = config === undefined ? `line ${line}` : `${config}:${line}`;
    const lines = changes.map(({ path, before, after }) =>
      before === undefined && after === undefined
        ? `  ${path} changed`
        : `  ${path}: ${before ?? notSet} → ${after ?? notSet}`,
    );
    return [`parameters of ${shortPattern(pattern)} (${place}):`, ...lines].map(exactLine);
  });
}
