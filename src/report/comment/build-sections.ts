import type { DeploymentReview } from "../review/review.ts";
import {
  countConcerns,
  type DeploymentSection,
  freezeNotices,
  sectionProblems,
} from "./deployment-section.ts";
import { levels, verdictLevel } from "./level.ts";

/** Returns the deployments of one preview, the worst first, with their effects on each other. */
export function buildSections(
  deployments: readonly DeploymentReview[],
): readonly DeploymentSection[] {
  const failing = deployments.filter(isFailing);
  const failingSet = new Set(failing);
  const names = new Set(deployments.map(({ name }) => name));
  const isFlat = deployments.every(
    ({ waitsFor = [], removal }) =>
      removal === undefined && !waitsFor.some((name) => names.has(name)),
  );
  const sections = deployments.map((each): DeploymentSection => {
    const heldBackBy = failing
      .filter((other) => waitsForDeployment(each, other))
      .map(({ name }) => name);
    const holdsBack = failingSet.has(each)
      ? deployments.filter(
          (other) => other.removal === undefined && waitsForDeployment(other, each),
        )
      : [];
    const heldBackNames = holdsBack.map(({ name }) => name);
    return {
      ...each,
      heldBackBy,
      holdsBack: heldBackNames,
      othersContinue: isFlat && deployments.length > 1,
    };
  });
  const ranked = sections.map((section) => ({
    section,
    rank: levels.indexOf(verdictLevel(section)),
  }));
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ section }) => section);
}

/** Reports whether qvs won't attempt the deployments that wait for this one. */
function isFailing(section: DeploymentReview): boolean {
  return verdictLevel(section) === "stop" || freezeNotices(section).length > 0;
}

/** Reports whether a deployment waits for another one. Deletions follow after all deployments. */
function waitsForDeployment(
  { waitsFor = [], removal }: DeploymentReview,
  other: DeploymentReview,
): boolean {
  const isLater = removal !== undefined && other.removal === undefined;
  return isLater || waitsFor.includes(other.name);
}

/** Reports whether the comment shows a deployment. */
export function isInteresting(section: DeploymentReview): boolean {
  const changed = section.rows.filter(({ action }) => action !== "ignore");
  const hasSources = (section.sources ?? []).length > 0;
  const isChanged = changed.length > 0 || hasSources;
  return isChanged || sectionProblems(section).length > 0 || countConcerns(section) > 0;
}
