import { rowsOf } from "../rows.ts";
import type { CommentInput } from "./comment-input.ts";
import { concernsOf, problemsOf, type Section } from "./deployment-section.ts";
import { levelOf, levels } from "./level.ts";

export function sectionsOf(input: CommentInput): readonly Section[] {
  return input.deployments.map((report) => ({ report, rows: rowsOf(report) }));
}

export function worstFirst(sections: readonly Section[]): readonly Section[] {
  return sections.toSorted((a, b) => levels.indexOf(levelOf(a)) - levels.indexOf(levelOf(b)));
}

/** Whether there is anything to be said of a deployment. */
export function isInteresting({ report, rows }: Section): boolean {
  const changed = rows.filter(({ action }) => action !== "ignore");
  return changed.length > 0 || problemsOf(report).length > 0 || concernsOf(report) > 0;
}
