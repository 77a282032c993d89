import type { DeploymentReview } from "../review/review.ts";
import { isObjectLost } from "../rows/consequences.ts";
import { notableChanges } from "../rows/notable-changes.ts";
import type { Row } from "../rows/row.ts";
import {
  countConcerns,
  type DeploymentSection,
  findingErrors,
  freezeNotices,
  isHeldBack,
  sectionProblems,
} from "./deployment-section.ts";
import { crdLosses } from "./risky-changes.ts";

/** The levels of concern, the worst first. */
export const levels = ["stop", "risk", "held", "unchecked", "change", "nothing"] as const;
export type VerdictLevel = (typeof levels)[number];

export const levelMarks = {
  stop: "🛑",
  risk: "⚠️",
  held: "⏸️",
  unchecked: "❓",
  change: "🟢",
  nothing: "✅",
} as const;

/** The verdict of each level, next to its mark. */
export const levelNames = {
  stop: "Blocked",
  risk: "Needs review",
  held: "Waiting",
  unchecked: "Not checked",
  change: "Ready",
  nothing: "No changes",
} as const;

/** The levels as values of the Action's output `outcome`. */
export const levelOutcomes = {
  stop: "blocked",
  risk: "review",
  held: "waiting",
  unchecked: "unchecked",
  change: "ready",
  nothing: "no-change",
} as const;

/** Reports whether a reader must look at a deployment of this level before the merge. */
export function isDangerous(level: VerdictLevel | undefined): boolean {
  return level === "stop" || level === "risk";
}

export function verdictLevel(section: DeploymentSection): VerdictLevel {
  if (sectionProblems(section).length > 0 || findingErrors(section).length > 0) return "stop";
  if (isRisky(section)) return "risk";
  if (changedRows(section).length === 0) return "nothing";
  if (isHeldBack(section)) return "held";
  return isUnchecked(section) ? "unchecked" : "change";
}

/** Reports whether no change was checked by a cluster. A green mark would then promise too much. */
export function isUnchecked(section: DeploymentReview): boolean {
  if (section.notComparedBecause !== undefined) return true;
  const changed = changedRows(section);
  return changed.length > 0 && changed.every((row) => row.isUnchecked === true);
}

function changedRows({ rows }: DeploymentReview): readonly Row[] {
  return rows.filter(({ action }) => action !== "keep" && action !== "ignore");
}

function isRisky(section: DeploymentReview): boolean {
  const { rows } = section;
  return (
    section.removal !== undefined ||
    countConcerns(section) > 0 ||
    rows.some(
      (row) => isObjectLost(row) || row.action === "replace" || crdLosses(row).length > 0,
    ) ||
    notableChanges(rows).some(({ isRisk }) => isRisk)
  );
}

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
