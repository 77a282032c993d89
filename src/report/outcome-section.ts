import type { ObjectResult } from "../model/release.ts";
import { plural } from "./counts.ts";
import { code, details, escapeText, fenced, htmlCode, table } from "./markdown.ts";
import { aftermath, countResults, headline, type Outcome } from "./outcome.ts";

/** How much of an outcome is written; each is shorter than the one before. Headline and counts are in all of them. */
export const outcomeSizes = ["full", "failures", "first failures", "counts"] as const;
export type OutcomeSize = (typeof outcomeSizes)[number];

/** What a shortened outcome has of everything that can be long. */
const firstRows = 50;
const firstEvidence = 5;
const firstLines = 20;
const firstCharacters = 500;

/** One deployment: what came of it, the numbers, then what failed and why. */
export function renderOutcome(outcome: Outcome, size: OutcomeSize): string {
  const parts = [
    `## ${outcome.succeeded ? "✅" : "🛑"} ${escapeText(cut(headline(outcome), size))}`,
    alertOf(outcome, size),
    countResults(outcome.results),
    size === "counts" ? "" : tableOf(outcome.results, size),
    ...(size === "counts" ? [] : evidenceOf(outcome, size)),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function alertOf(outcome: Outcome, size: OutcomeSize): string {
  const lines = [outcome.refusal, aftermath(outcome)].filter((line) => line !== undefined);
  if (lines.length === 0) return "";
  return ["> [!CAUTION]", ...lines.map((line) => `> - ${escapeText(cut(line, size))}`)].join("\n");
}

/** What went well is a number; what did not is a list, failures first. */
function tableOf(results: readonly ObjectResult[], size: OutcomeSize): string {
  const failed = results.filter(({ outcome }) => outcome === "failed");
  const waiting = results.filter(({ outcome }) => outcome === "not attempted");
  const all = size === "full" ? [...failed, ...waiting] : failed;
  const listed = size === "first failures" ? all.slice(0, firstRows) : all;
  const rows = listed.map(({ outcome, key, detail }) => [
    markOf(outcome),
    code(cut(key, size)),
    escapeText(cut(detail, size)),
  ]);
  const rest = failed.length + waiting.length - listed.length;
  return [
    rows.length === 0 ? "" : table(["Outcome", "Object", "Why"], rows),
    rest === 0 ? "" : `${plural(rest, "more object")} not listed here.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function markOf(outcome: ObjectResult["outcome"]): string {
  return outcome === "failed" ? "🔴 failed" : "⚪ not attempted";
}

function evidenceOf({ evidence }: Outcome, size: OutcomeSize): readonly string[] {
  const isShort = size === "first failures";
  return evidence.slice(0, isShort ? firstEvidence : evidence.length).map((each) => {
    const lines = isShort ? each.publicLines.slice(0, firstLines) : each.publicLines;
    const shown = lines.map((line) => cut(line, size));
    return details(`Why ${htmlCode(cut(each.key, size))} failed`, fenced("text", shown), true);
  });
}

function cut(text: string, size: OutcomeSize): string {
  const whole = size === "full" || size === "failures" || text.length <= firstCharacters;
  return whole ? text : `${text.slice(0, firstCharacters)}…`;
}
