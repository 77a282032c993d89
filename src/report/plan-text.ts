import { describeProblem } from "../errors.ts";
import { nameOf, type ObjectId } from "../model/object.ts";
import type { Change, Deletion, Plan } from "../model/plan.ts";
import { plural } from "./counts.ts";
import { diffChange } from "./live-diff.ts";
import { visible, visibleLine } from "./markdown.ts";
import { aftermath, countResults, headline, type Outcome } from "./outcome.ts";
import type { TextDiff } from "./text-diff.ts";
import { whyRetired } from "./why-retired.ts";

/** How a line is set off on a terminal; plain text passes the identity. */
export type Paint = (line: string, tone: Tone) => string;
export type Tone = "added" | "changed" | "removed" | "quiet" | "strong";

const plain: Paint = (line) => line;

/**
 * A plan for a terminal: what happens to each object in deploy order, its diff, and one line of counts at the end, where the
 * cursor stops.
 */
export function renderPlanText(plan: Plan, paint: Paint = plain): string {
  const blocks = [
    ...plan.changes.flatMap((change) => changeLines(change, paint)),
    ...plan.deletions.map((deletion) =>
      paint(`- delete  ${titleOf(deletion)}${retirement(deletion)}`, "removed"),
    ),
    ...plan.kept.map((kept) =>
      paint(`= keep    ${titleOf(kept)}: ${visibleLine(kept.detail)}`, "quiet"),
    ),
    ...plan.notices.map((notice) => `\n${visible(describeProblem(notice))}`),
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
    paint(visibleLine(headline(outcome)), outcome.succeeded ? "added" : "removed"),
    ...[outcome.refusal]
      .filter((line) => line !== undefined)
      .map(visible)
      .map(indent),
    ...failures.map(({ outcome, key, detail }) =>
      indent(visibleLine(`${outcome}: ${key}${detail === "" ? "" : `: ${detail}`}`)),
    ),
    ...outcome.evidence.flatMap(({ key, lines }) => [
      "",
      indent(visibleLine(`${key}:`)),
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
        paint(`+ create  ${titleOf(change)}${doubt(change)}`, "added"),
        ...diffLines(diffChange(change), paint),
      ];
    case "replace":
      return [
        paint(`± replace ${titleOf(change)}: deleted, then created anew`, "removed"),
        ...diffLines(diffChange(change), paint),
      ];
    case "update":
      return [
        paint(`~ update  ${titleOf(change)}${doubt(change)}`, "changed"),
        ...diffLines(diffChange(change), paint),
      ];
  }
}

/** A name goes to the terminal before the server has judged it. */
function titleOf({ id }: { readonly id: ObjectId }): string {
  return visibleLine(nameOf(id));
}

/** That something protected goes needs its reason. */
function retirement({ retires }: Deletion): string {
  return retires === undefined ? "" : `: ${visibleLine(whyRetired(retires))}`;
}

/** Only doubt is worth a word: everything else was checked by the server. */
function doubt({ certainty }: Change): string {
  return certainty.by === "unchecked" ? ` (unchecked: ${visibleLine(certainty.reason)})` : "";
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
    ...(number("replace") === 0 ? [] : [`${number("replace")} to replace`]),
    `${plan.deletions.length} to delete`,
    `${number("unchanged")} unchanged`,
    ...(plan.kept.length === 0 ? [] : [`${plan.kept.length} kept`]),
  ].join(", ");
  const stage = plan.onlyStage === undefined ? "" : ` (only ${plan.onlyStage})`;
  const deployment = `${visibleLine(plan.deployment)}${stage}`;
  const nothing =
    number("create") + number("update") + number("replace") + plan.deletions.length === 0;
  return nothing
    ? `${deployment}: no changes (${plural(plan.changes.length, "object")})`
    : `${deployment}: ${counts}`;
}

function indent(line: string): string {
  return `  ${line}`;
}
