import type { DeploymentReview } from "../review/review.ts";
import { concernsOf, problemsOf } from "./deployment-section.ts";
import { levelOf, levels } from "./level.ts";

export function worstFirst(sections: readonly DeploymentReview[]): readonly DeploymentReview[] {
  return sections.toSorted((a, b) => levels.indexOf(levelOf(a)) - levels.indexOf(levelOf(b)));
}

/** Whether there is anything to be said of a deployment. */
export function isInteresting(section: DeploymentReview): boolean {
  const changed = section.rows.filter(({ action }) => action !== "ignore");
  return changed.length > 0 || problemsOf(section).length > 0 || concernsOf(section) > 0;
}
