import type { DeploymentReview } from "../review/review.ts";
import { notableChanges } from "../rows/notable-changes.ts";
import { isAlarming, lossesInWords } from "./dangers.ts";
import { concernsOf, errorsOf, problemsOf } from "./deployment-section.ts";

/** How much a reader has to worry, the worst first. */
export const levels = ["stop", "risk", "change", "nothing"] as const;
export type Level = (typeof levels)[number];

export const marksOfLevels = { stop: "🛑", risk: "⚠️", change: "🟢", nothing: "✅" } as const;

export function levelOf(section: DeploymentReview): Level {
  if (problemsOf(section).length > 0 || errorsOf(section).length > 0) return "stop";
  if (isRisky(section)) return "risk";
  return section.rows.every(({ action }) => action === "keep" || action === "ignore")
    ? "nothing"
    : "change";
}

function isRisky(section: DeploymentReview): boolean {
  const { rows } = section;
  return (
    section.removal !== undefined ||
    concernsOf(section) > 0 ||
    rows.some(
      (row) => isAlarming(row) || row.action === "replace" || lossesInWords(row).length > 0,
    ) ||
    notableChanges(rows).some(({ isRisk }) => isRisk)
  );
}
