import { fieldDifferences, formatFieldPath } from "../../model/fields/field-differences.ts";
import { distinct } from "../../model/problems/problem.ts";
import { valueText } from "../text/value-text.ts";
import type { ChangedParam } from "./trace.ts";

/** The changed arguments of one use of an adapter. */
export interface ChangedArguments {
  /** The import path of the adapter. */
  readonly pattern: string;
  /** The line of the config that uses it. */
  readonly line: number;
  readonly changes: readonly ChangedArgument[];
}

/** A changed argument, or a changed field of it. Values are strings on one line. */
export interface ChangedArgument {
  readonly path: string;
  /** Both values are undefined if they must not be shown. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** Returns the changed arguments in the config, each once, even if several objects use it. */
export function listChangedArguments(all: readonly ChangedParam[]): readonly ChangedArguments[] {
  const uses = Map.groupBy(distinct(all), ({ pattern, line }) => `${line} ${pattern}`);
  return [...uses.values()].flatMap((params) => {
    const [first] = params;
    if (first === undefined) return [];
    return [{ pattern: first.pattern, line: first.line, changes: params.flatMap(argumentLeaves) }];
  });
}

function argumentLeaves({ name, before, after }: ChangedParam): readonly ChangedArgument[] {
  if (before === undefined && after === undefined) return [{ path: name }];
  return fieldDifferences(before, after).map((field) => ({
    path: formatFieldPath([name, ...field.path]),
    before: field.before === undefined ? undefined : valueText(field.before),
    after: field.after === undefined ? undefined : valueText(field.after),
  }));
}
