import { escapeText, md } from "../../redaction/markdown.ts";
import type { Markdown } from "../../redaction/shown.ts";
import type { Row, RowAction } from "../rows/row.ts";

/** The mark and verb of each action. A reader can understand either of them without color. */
const words: Readonly<Record<RowAction, { readonly mark: string; readonly verb: string }>> = {
  delete: { mark: "−", verb: "delete" },
  create: { mark: "+", verb: "create" },
  update: { mark: "~", verb: "update" },
  replace: { mark: "±", verb: "replace" },
  rename: { mark: "~", verb: "rename" },
  keep: { mark: "=", verb: "keep" },
  ignore: { mark: "=", verb: "ignore" },
  foreign: { mark: "·", verb: "show only" },
};

/** The actions that a summary counts, in the order of interest. */
const counted = ["create", "update", "rename", "replace", "delete"] as const;

function count(rows: readonly Row[], action: RowAction): number {
  return rows
    .filter((row) => row.action === action)
    .reduce((sum, { objects = 1 }) => sum + objects, 0);
}

/** Returns text such as `2 to create, 1 to update`. Empty if there are no such actions. */
export function summarizeActions(rows: readonly Row[]): string {
  return counted
    .map((action) => ({ action, number: count(rows, action) }))
    .filter(({ number }) => number > 0)
    .map(({ action, number }) => `${number} to ${words[action].verb}`)
    .join(", ");
}

/** Returns text such as `1 new object, 2 updates`. Empty if there are no such actions. */
export function countChanges(rows: readonly Row[]): string {
  return counted
    .map((action) => ({ action, number: count(rows, action) }))
    .filter(({ number }) => number > 0)
    .map(({ action, number }) => plural(number, nouns[action]))
    .join(", ");
}

const nouns = {
  create: "new object",
  update: "update",
  rename: "rename",
  replace: "replacement",
  delete: "deletion",
} as const;

/** Returns the mark and the verb for one line of a narrow table column. */
export function actionLabel(row: MarkedRow): Markdown {
  return md`${escapeText(actionMark(row))}&nbsp;${escapeText(actionVerb(row.action))}`;
}

export function actionVerb(action: RowAction): string {
  return words[action].verb;
}

/**
 * Returns the mark of a row. An object that the API server rejects has the same mark everywhere.
 */
export function actionMark({ action, isRefused }: MarkedRow): string {
  return isRefused === true ? "🛑" : words[action].mark;
}

interface MarkedRow {
  readonly action: RowAction;
  readonly isRefused?: boolean | undefined;
}

/** Returns the number with the noun: `1 problem`, `2 problems`. */
export function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
