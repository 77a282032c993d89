import { notableChanges } from "../facts.ts";
import { isAlarming, lossesInWords } from "./dangers.ts";
import { concernsOf, errorsOf, problemsOf, type Section } from "./deployment-section.ts";

/** How much a reader has to worry, the worst first. */
export const levels = ["stop", "risk", "change", "nothing"] as const;
export type Level = (typeof levels)[number];

export const marksOfLevels = { stop: "🛑", risk: "⚠️", change: "🟢", nothing: "✅" } as const;

export function levelOf(section: Section): Level {
  const { report, rows } = section;
  if (problemsOf(report).length > 0 || errorsOf(report).length > 0) return "stop";
  if (isRisky(section)) return "risk";
  return rows.every(({ action }) => action === "keep" || action === "ignore")
    ? "nothing"
    : "change";
}

function isRisky({ report, rows }: Section): boolean {
  return (
    concernsOf(report) > 0 ||
    rows.some(
      (row) => isAlarming(row) || row.action === "replace" || lossesInWords(row).length > 0,
    ) ||
    notableChanges(rows).some(({ isRisk }) => isRisk)
  );
}
