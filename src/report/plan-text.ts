import { describeProblem } from "../model/errors.ts";
import type { Finding } from "../model/finding.ts";
import { sameJson } from "../model/json.ts";
import { nameOf, type ObjectId } from "../model/object.ts";
import type { Change, Deletion, Plan, PrunedRevision } from "../model/plan.ts";
import { joined, type TerminalText } from "../redaction/shown.ts";
import { withoutServerFields } from "../redaction/shown-change.ts";
import { exactLine, exactLines, plainLines, terminal } from "../redaction/terminal.ts";
import { plural } from "./counts.ts";
import { diffChange } from "./diff/live-diff.ts";
import { isRelabelled, relabelled } from "./diff/relabelled.ts";
import type { TextDiff } from "./diff/text-diff.ts";
import { renderFindingsText } from "./findings.ts";
import { aftermath, countResults, headline, type Outcome, remarks } from "./outcome.ts";

/** How a line is set off on a terminal; plain text passes the identity. */
export type Paint = (line: TerminalText, tone: Tone) => TerminalText;
export type Tone = "added" | "changed" | "removed" | "quiet" | "strong";

const plain: Paint = (line) => line;

/**
 * A plan for a terminal: what happens to each object in deploy order, its diff, and one line of counts at the end, where the
 * cursor stops.
 */
export function renderPlanText(
  plan: Plan,
  paint: Paint = plain,
  findings: readonly Finding[] = [],
): TerminalText {
  const blocks = [
    ...plan.changes
      .filter((change) => !isRelabelled(change))
      .flatMap((change) => changeLines(change, plan.hides, paint)),
    ...relabelledLines(plan, paint),
    ...plan.deletions.map((deletion) =>
      paint(terminal`- delete  ${titleOf(deletion)}${prunedText(deletion)}`, "removed"),
    ),
    ...plan.kept.map((kept) =>
      paint(terminal`= keep    ${titleOf(kept)}: ${exactLine(kept.detail)}`, "quiet"),
    ),
    ...plan.notices.map((notice) => terminal`\n${plainLines(describeProblem(notice))}`),
    ...renderFindingsText(findings),
  ];
  const separator = blocks.length === 0 ? [] : [terminal``];
  return joined([...blocks, ...separator, paint(totalsOf(plan), "strong"), terminal``], "\n");
}

/** What a deployment did, what failed and why, and what that leaves behind. */
export function renderOutcomeText(outcome: Outcome, paint: Paint = plain): TerminalText {
  const failures = outcome.results.filter(
    (result) => result.outcome === "failed" || result.outcome === "not attempted",
  );
  const lines = [
    paint(exactLine(headline(outcome)), outcome.succeeded ? "added" : "removed"),
    ...[outcome.refusal]
      .filter((line) => line !== undefined)
      .map(exactLines)
      .map(indent),
    ...failures.map(({ outcome, key, detail }) =>
      indent(exactLine(`${outcome}: ${key}${detail === "" ? "" : `: ${detail}`}`)),
    ),
    ...outcome.evidence.flatMap(({ key, lines }) => [
      terminal``,
      indent(exactLine(`${key}:`)),
      ...lines.map(exactLines).map(indent).map(indent),
    ]),
    ...[aftermath(outcome)]
      .filter((line) => line !== undefined)
      .map(exactLine)
      .map(indent),
    ...remarks(outcome).map(exactLines).map(indent),
    exactLine(countResults(outcome.results)),
  ];
  const shown = lines.filter((line, i) => line !== "" || i < lines.length - 1);
  return terminal`${joined(shown, "\n")}\n`;
}

function changeLines(change: Change, hides: Plan["hides"], paint: Paint): readonly TerminalText[] {
  switch (change.action) {
    case "unchanged":
      return [];
    case "create":
      return [
        paint(terminal`+ create  ${titleOf(change)}${uncheckedNote(change)}`, "added"),
        ...diffLines(diffChange(change, hides), paint),
      ];
    case "replace":
      return [
        paint(terminal`± replace ${titleOf(change)}: deleted and recreated`, "removed"),
        ...diffLines(diffChange(change, hides), paint),
      ];
    case "update":
      return [
        paint(terminal`~ update  ${titleOf(change)}${updateNote(change)}`, "changed"),
        ...diffLines(diffChange(change, hides), paint),
      ];
  }
}

function updateNote(change: Change): TerminalText {
  return isOfOwnersOnly(change)
    ? terminal` (no value changes, only the record of its owners)`
    : uncheckedNote(change);
}

/** An update without a word would look like a mistake. */
function isOfOwnersOnly({ certainty, live, predicted, shows }: Change): boolean {
  if (certainty.by !== "server" || live === undefined || predicted === undefined) return false;
  const isSame = sameJson(withoutServerFields(live), withoutServerFields(predicted));
  return isSame && shows === undefined;
}

function relabelledLines({ changes }: Plan, paint: Paint): readonly TerminalText[] {
  const found = changes.filter(isRelabelled).length;
  if (found === 0) return [];
  return [
    paint(terminal`~ update  ${exactLine(`${plural(found, "object")}: ${relabelled}`)}`, "changed"),
  ];
}

/** A name is printed before the server has validated it. */
function titleOf({ id }: { readonly id: ObjectId }): TerminalText {
  return exactLine(nameOf(id));
}

/** The deletion of something protected needs its reason. */
function prunedText({ retires }: Deletion): TerminalText {
  return retires === undefined ? terminal`` : terminal`: ${exactLine(whyRetired(retires))}`;
}

/** Only what is unchecked is marked: everything else was checked by the server. */
function uncheckedNote({ certainty }: Change): TerminalText {
  switch (certainty.by) {
    case "server":
    case "comparison":
      return terminal``;
    case "unchecked":
      return terminal` (unchecked: ${exactLine(certainty.reason)})`;
    case "refused":
      return terminal` (refused, see below)`;
  }
}

function diffLines(diff: TextDiff | undefined, paint: Paint): readonly TerminalText[] {
  return (diff?.lines ?? []).map((line) => paint(indent(indent(exactLines(line))), toneOf(line)));
}

function toneOf(line: string): Tone {
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "quiet";
}

function totalsOf(plan: Plan): TerminalText {
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
  const deployment = exactLine(plan.deployment + stage);
  const nothing =
    number("create") + number("update") + number("replace") + plan.deletions.length === 0;
  return nothing
    ? terminal`${deployment}: no changes (${exactLine(plural(plan.changes.length, "object"))})`
    : terminal`${deployment}: ${exactLine(counts)}`;
}

function indent(line: TerminalText): TerminalText {
  return terminal`  ${line}`;
}

/** Why an object is deleted although an annotation protects it. */
export function whyRetired({ key, revision }: PrunedRevision): string {
  return `revision ${revision} of key ${key}, enough newer ones are kept`;
}
