import { differencesOf, textOfPath } from "../../model/field-differences.ts";
import { code, md } from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import type { Row } from "../rows.ts";
import { type ChangedParam, shortPattern } from "../trace/trace.ts";
import { shownValue } from "./objects-table.ts";
import type { Look } from "./verdict.ts";

/** Beyond this many the diffs tell more. */
const mostParameters = 20;

/** The arguments that the config gives in another way, each once, however many objects it reaches. */
export function renderParameters(rows: readonly Row[], config: string, { show }: Look): Markdown {
  const all = rows.flatMap(({ trace }) => trace?.changed ?? []);
  const distinct = [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
  if (distinct.length === 0) return md``;
  const uses = Map.groupBy(distinct, ({ pattern, line }) => `${line} ${pattern}`);
  const lists = [...uses.values()].flatMap((params) => {
    const [first] = params;
    if (first === undefined) return [];
    const place = show({ file: config, line: first.line }, md`line ${first.line}`);
    const lines = params.flatMap(leavesOf);
    const rest = lines.length - mostParameters;
    const more = rest > 0 ? [md`- and ${rest} more`] : [];
    const head = md`Parameters of ${code(shortPattern(first.pattern))} (${place}):`;
    return [joined([head, ...lines.slice(0, mostParameters), ...more], "\n")];
  });
  return joined(lists, "\n\n");
}

/** Of a value with fields, only those that change. */
function leavesOf({ name, before, after }: ChangedParam): readonly Markdown[] {
  if (before === undefined && after === undefined) return [md`- ${code(name)} changed`];
  return differencesOf(before, after).map((field) => {
    const path = textOfPath([name, ...field.path]);
    if (field.before === undefined) return md`- ${code(path)} added: ${shownValue(field.after)}`;
    if (field.after === undefined) return md`- ${code(path)} removed`;
    return md`- ${code(path)}: ${shownValue(field.before)} → ${shownValue(field.after)}`;
  });
}
