import type { ObjectResult } from "../model/release.ts";
import { code, details, escapeText, fenced, htmlCode, table } from "./markdown.ts";
import { aftermath, countResults, headline, type Outcome } from "./outcome.ts";

const sectionStart = "<!-- qvs-action:outcome -->";
const sectionEnd = "<!-- /qvs-action:outcome -->";

/** GitHub refuses comments of more than 65,536 characters. */
const maxUnits = 65_000;

/** What became of the merged pull request, for its comment and for the step summary. */
export function renderOutcomes(
  outcomes: readonly Outcome[],
  commit: string,
  runUrl: string | undefined,
): string {
  const run = runUrl === undefined ? "" : ` · [run](${runUrl})`;
  const footer = `<sub>Commit ${code(commit.slice(0, 12))}${run}</sub>`;
  return [sectionStart, ...outcomes.map(renderOutcome), footer, "---", sectionEnd].join("\n\n");
}

/**
 * The comment with the outcome under its marker, in the place of an earlier one. The preview below has served its purpose, so
 * it is what goes when both together are too long.
 */
export function withOutcome(body: string, section: string): string {
  const [marker = "", ...preview] = withoutOutcome(body).split("\n");
  const whole = `${marker}\n${section}\n\n${preview.join("\n").trimStart()}`;
  return whole.length <= maxUnits ? whole : `${marker}\n${section}\n`;
}

function withoutOutcome(body: string): string {
  const start = body.indexOf(sectionStart);
  const end = body.indexOf(sectionEnd);
  if (start < 0 || end < start) return body;
  return body.slice(0, start) + body.slice(end + sectionEnd.length).trimStart();
}

function renderOutcome(outcome: Outcome): string {
  const parts = [
    `## ${outcome.succeeded ? "✅" : "🛑"} ${escapeText(headline(outcome))}`,
    alertOf(outcome),
    tableOf(outcome.results),
    ...outcome.evidence.map(({ key, lines }) =>
      details(`Why ${htmlCode(key)} failed`, fenced("text", lines), true),
    ),
    countResults(outcome.results),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function alertOf(outcome: Outcome): string {
  const lines = [outcome.refusal, aftermath(outcome)].filter((line) => line !== undefined);
  if (lines.length === 0) return "";
  return ["> [!CAUTION]", ...lines.map((line) => `> - ${escapeText(line)}`)].join("\n");
}

/** What went well is a number; what did not is a list. */
function tableOf(results: readonly ObjectResult[]): string {
  const rows = results
    .filter(({ outcome }) => outcome === "failed" || outcome === "not attempted")
    .map(({ outcome, key, detail }) => [markOf(outcome), code(key), escapeText(detail)]);
  return rows.length === 0 ? "" : table(["Outcome", "Object", "Why"], rows);
}

function markOf(outcome: ObjectResult["outcome"]): string {
  return outcome === "failed" ? "🔴 failed" : "⚪ not attempted";
}
