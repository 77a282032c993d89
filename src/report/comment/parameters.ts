import { differencesOf, textOfPath } from "../../model/field-differences.ts";
import { md } from "../../redaction/markdown.ts";
import { inMarkdown, named, type Phrase, placed, say } from "../../redaction/phrase.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import type { Row } from "../rows.ts";
import { type ChangedParam, shortPattern } from "../trace/trace.ts";
import type { Look } from "./deployment-section.ts";
import { shownValue } from "./objects-table.ts";

/** Beyond this many the diffs tell more. */
const mostParameters = 20;

/** What an adapter is given in another way. */
interface GivenParameters {
  readonly head: Phrase;
  readonly changes: readonly Phrase[];
}

export function renderParameters(rows: readonly Row[], config: string, { show }: Look): Markdown {
  const lists = parametersOf(rows, config).map(({ head, changes }) =>
    joined(
      [inMarkdown(head, show), ...changes.map((each) => md`- ${inMarkdown(each, show)}`)],
      "\n",
    ),
  );
  return joined(lists, "\n\n");
}

/** So few are read at once, and so stand near the headline. */
const fewParameters = 5;

export function areFew(rows: readonly Row[], config: string): boolean {
  const numbers = parametersOf(rows, config).map(({ changes }) => changes.length);
  return numbers.reduce((sum, each) => sum + each, 0) <= fewParameters;
}

/** The arguments that the config gives in another way, each once, however many objects it reaches. */
export function parametersOf(rows: readonly Row[], config: string): readonly GivenParameters[] {
  const all = rows.flatMap(({ trace }) => trace?.changed ?? []);
  const distinct = [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
  const uses = Map.groupBy(distinct, ({ pattern, line }) => `${line} ${pattern}`);
  return [...uses.values()].flatMap((params) => {
    const [first] = params;
    if (first === undefined) return [];
    const place = placed({ file: config, line: first.line }, say`line ${first.line}`);
    const lines = params.flatMap(leavesOf);
    const rest = lines.length - mostParameters;
    const more = rest > 0 ? [say`and ${rest} more`] : [];
    const head = say`Parameters of ${named(shortPattern(first.pattern))} (${place}):`;
    return [{ head, changes: [...lines.slice(0, mostParameters), ...more] }];
  });
}

/** Of a value with fields, only those that change. */
function leavesOf({ name, before, after }: ChangedParam): readonly Phrase[] {
  if (before === undefined && after === undefined) return [say`${named(name)} changed`];
  return differencesOf(before, after).map((field) => {
    const path = textOfPath([name, ...field.path]);
    if (field.before === undefined) return say`${named(path)} added: ${shownValue(field.after)}`;
    if (field.after === undefined) return say`${named(path)} removed`;
    return say`${named(path)}: ${shownValue(field.before)} → ${shownValue(field.after)}`;
  });
}
