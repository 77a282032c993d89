import type { DeploymentReview } from "../review/review.ts";
import { concernsOf, type DeploymentSection, holdsOf, problemsOf } from "./deployment-section.ts";
import { levelOf, levels } from "./level.ts";

/** The deployments of one preview, the worst first, each with what those before it mean for it. */
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

/** Whether it ends in a way that nothing which waits for it is attempted. */
function isFailing(section: DeploymentReview): boolean {
  return levelOf(section) === "stop" || holdsOf(section).length > 0;
}

/** What is removed is deleted after everything else is deployed. */
function waits({ waitsFor = [], removal }: DeploymentReview, other: DeploymentReview): boolean {
  const isLater = removal !== undefined && other.removal === undefined;
  return isLater || waitsFor.includes(other.name);
}

/** Whether there is anything to be said of a deployment. */
export function isInteresting(section: DeploymentReview): boolean {
  const changed = section.rows.filter(({ action }) => action !== "ignore");
  return changed.length > 0 || problemsOf(section).length > 0 || concernsOf(section) > 0;
}
