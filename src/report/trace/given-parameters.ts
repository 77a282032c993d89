import { differencesOf, textOfPath } from "../../model/fields/field-differences.ts";
import { distinct } from "../../model/problems/problem.ts";
import { valueText } from "../text/value-text.ts";
import type { ChangedParam } from "./trace.ts";

/** What one use of an adapter is given in another way. */
export interface GivenParameters {
  /** Import path of the adapter. */
  readonly pattern: string;
  /** Where the QVS config uses it. */
  readonly line: number;
  readonly changes: readonly GivenValue[];
}

/** Of a value with fields, only a field that changes. Values are texts on one line. */
export interface GivenValue {
  readonly path: string;
  /** Neither side is there where the values may not be shown. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** The arguments that the config gives in another way, each once, however many objects it reaches. */
export function givenParameters(all: readonly ChangedParam[]): readonly GivenParameters[] {
  const uses = Map.groupBy(distinct(all), ({ pattern, line }) => `${line} ${pattern}`);
  return [...uses.values()].flatMap((params) => {
    const [first] = params;
    if (first === undefined) return [];
    return [{ pattern: first.pattern, line: first.line, changes: params.flatMap(leavesOf) }];
  });
}

function leavesOf({ name, before, after }: ChangedParam): readonly GivenValue[] {
  if (before === undefined && after === undefined) return [{ path: name }];
  return differencesOf(before, after).map((field) => ({
    path: textOfPath([name, ...field.path]),
    before: field.before === undefined ? undefined : valueText(field.before),
    after: field.after === undefined ? undefined : valueText(field.after),
  }));
}
