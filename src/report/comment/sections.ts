import type { DeploymentReview } from "../review/review.ts";
import { concernsOf, type DeploymentSection, holdsOf, problemsOf } from "./deployment-section.ts";
import { levelOf, levels } from "./level.ts";

/** Returns the deployments of one preview, the worst first, with their effects on each other. */
export function sectionsOf(deployments: readonly DeploymentReview[]): readonly DeploymentSection[] {
  const failing = deployments.filter(isFailing);
  const names = new Set(deployments.map(({ name }) => name));
  const isFlat = deployments.every(
    ({ waitsFor = [], removal }) =>
      removal === undefined && !waitsFor.some((name) => names.has(name)),
  );
  const sections = deployments.map((each): DeploymentSection => {
    const heldBackBy = failing.filter((other) => waits(each, other)).map(({ name }) => name);
    const holdsBack = failing.includes(each)
      ? deployments.filter((other) => other.removal === undefined && waits(other, each))
      : [];
    const held = holdsBack.map(({ name }) => name);
    return { ...each, heldBackBy, holdsBack: held, othersGoOn: isFlat && deployments.length > 1 };
  });
  return sections.toSorted((a, b) => levels.indexOf(levelOf(a)) - levels.indexOf(levelOf(b)));
}

/** Reports whether qvs won't attempt the deployments that wait for this one. */
function isFailing(section: DeploymentReview): boolean {
  return levelOf(section) === "stop" || holdsOf(section).length > 0;
}

/** Reports whether a deployment waits for another one. Deletions follow after all deployments. */
function waits({ waitsFor = [], removal }: DeploymentReview, other: DeploymentReview): boolean {
  const isLater = removal !== undefined && other.removal === undefined;
  return isLater || waitsFor.includes(other.name);
}

/** Reports whether the comment shows a deployment. */
export function isInteresting(section: DeploymentReview): boolean {
  const changed = section.rows.filter(({ action }) => action !== "ignore");
  return changed.length > 0 || problemsOf(section).length > 0 || concernsOf(section) > 0;
}
