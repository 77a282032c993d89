import { describeProblem } from "../errors.ts";
import { nameOf } from "../model/object.ts";
import type { Change, Plan } from "../model/plan.ts";
import { plural } from "./counts.ts";
import { diffChange } from "./live-diff.ts";
import { visible } from "./markdown.ts";
import { aftermath, countResults, headline, type Outcome } from "./outcome.ts";
import type { TextDiff } from "./text-diff.ts";

/** How a line is set off on a terminal; plain text passes the identity. */
export type Paint = (line: string, tone: Tone) => string;
export type Tone = "added" | "changed" | "removed" | "quiet" | "strong";

export const plain: Paint = (line) => line;

/**
 * A plan for a terminal: what happens to each object in deploy order, its diff, and one line of counts at the end, where the
 * cursor stops.
 */
export function renderPlanText(plan: Plan, paint: Paint = plain): string {
  const blocks = [
    ...plan.changes.flatMap((change) => changeLines(change, paint)),
    ...plan.deletions.map((deletion) => paint(`- delete  ${nameOf(deletion.id)}`, "removed")),
    ...plan.kept.map((kept) =>
      paint(`= keep    ${nameOf(kept.id)}: ${visible(kept.detail)}`, "quiet"),
    ),
    ...plan.notices.map((notice) => `\n${describeProblem(notice)}`),
  ];
  const separator = blocks.length === 0 ? [] : [""];
  return [...blocks, ...separator, paint(totalsOf(plan), "strong"), ""].join("\n");
}

/** What a deployment did, what failed and why, and what that leaves behind. */
export function renderOutcomeText(outcome: Outcome, paint: Paint = plain): string {
  const failures = outcome.results.filter(
    (result) => result.outcome === "failed" || result.outcome === "not attempted",
  );
  const lines = [
    paint(headline(outcome), outcome.succeeded ? "added" : "removed"),
    ...[outcome.refusal].filter((line) => line !== undefined).map(indent),
    ...failures.map(({ outcome, key, detail }) =>
      indent(`${outcome}: ${key}${detail === "" ? "" : `: ${visible(detail)}`}`),
    ),
    ...outcome.evidence.flatMap(({ key, lines }) => [
      "",
      indent(`${key}:`),
      ...lines.map(visible).map(indent).map(indent),
    ]),
    ...[aftermath(outcome)].filter((line) => line !== undefined).map(indent),
    countResults(outcome.results),
  ];
  return `${lines.filter((line, i) => line !== "" || i < lines.length - 1).join("\n")}\n`;
}

function changeLines(change: Change, paint: Paint): readonly string[] {
  switch (change.action) {
    case "unchanged":
      return [];
    case "create":
      return [
        paint(`+ create  ${nameOf(change.id)}${doubt(change)}`, "added"),
        ...diffLines(diffChange(change), paint),
      ];
    case "update":
      return [
        paint(`~ update  ${nameOf(change.id)}${doubt(change)}`, "changed"),
        ...diffLines(diffChange(change), paint),
      ];
  }
}

/** Only doubt is worth a word: everything else was checked by the server. */
function doubt({ certainty }: Change): string {
  return certainty.by === "unchecked" ? ` (unchecked: ${certainty.reason})` : "";
}

function diffLines(diff: TextDiff | undefined, paint: Paint): readonly string[] {
  return (diff?.lines ?? []).map((line) => paint(indent(indent(visible(line))), toneOf(line)));
}

function toneOf(line: string): Tone {
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "quiet";
}

function totalsOf(plan: Plan): string {
  const number = (action: Change["action"]) =>
    plan.changes.filter((change) => change.action === action).length;
  const counts = [
    `${number("create")} to create`,
    `${number("update")} to update`,
    `${plan.deletions.length} to delete`,
    `${number("unchanged")} unchanged`,
    ...(plan.kept.length === 0 ? [] : [`${plan.kept.length} kept`]),
  ].join(", ");
  const nothing = number("create") + number("update") + plan.deletions.length === 0;
  return nothing
    ? `${plan.deployment}: no changes (${plural(plan.changes.length, "object")})`
    : `${plan.deployment}: ${counts}`;
}

function indent(line: string): string {
  return `  ${line}`;
}
