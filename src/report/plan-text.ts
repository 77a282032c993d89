import { describeProblem } from "../model/errors.ts";
import type { Finding } from "../model/finding.ts";
import { sameJson } from "../model/json.ts";
import { nameOf, nameOfKey, type ObjectId } from "../model/object.ts";
import type { Change, Deletion, Plan, PrunedRevision } from "../model/plan.ts";
import { joined, type TerminalText } from "../redaction/shown.ts";
import { withoutServerFields } from "../redaction/shown-change.ts";
import { exactLine, exactLines, plainLines, terminal } from "../redaction/terminal.ts";
import { plural } from "./counts.ts";
import { type CommonHunk, commonHunks, diffWithout } from "./diff/common-hunks.ts";
import { isRelabelled, relabelled } from "./diff/relabelled.ts";
import type { TextDiff } from "./diff/text-diff.ts";
import { sourcesInWords } from "./facts.ts";
import { renderFindingsText } from "./findings.ts";
import { aftermath, countResults, headline, type Outcome, remarks } from "./outcome.ts";
import { parameterLines, whyLines } from "./row-text.ts";
import { type Row, type RowsInput, rowsOf } from "./rows.ts";

/** How a line is set off on a terminal; plain text passes the identity. */
export type Paint = (line: TerminalText, tone: Tone) => TerminalText;
export type Tone = "added" | "changed" | "removed" | "quiet" | "strong";

const plain: Paint = (line) => line;

/** What is known besides the plan, and the time of now (ISO 8601). */
export type PlanSurroundings = Omit<RowsInput, "plan"> & {
  readonly config?: string | undefined;
  readonly now?: string | undefined;
};

/**
 * A plan for a terminal: what happens to each object in deploy order, why and whose doing it is, its diff, and one line of counts at the
 * end, where the cursor stops.
 */
export function renderPlanText(
  plan: Plan,
  paint: Paint = plain,
  findings: readonly Finding[] = [],
  known: PlanSurroundings = {},
): TerminalText {
  const rows = rowsOf({ ...known, plan });
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const common = commonHunks(rows);
  const renamed = new Set(rows.flatMap(({ replaces }) => replaces ?? []));
  const blocks = [
    ...parameterLines(rows, known.config).map((line) => paint(line, "quiet")),
    ...plan.changes.flatMap((change) => {
      const row = byKey.get(change.key);
      return row === undefined || change.action === "unchanged"
        ? []
        : changeLines(change, row, { paint, known, common });
    }),
    ...commonLines(common, paint),
    ...relabelledLines(plan, paint),
    ...plan.deletions
      .filter(({ key }) => !renamed.has(key))
      .map((deletion) =>
        paint(terminal`- delete  ${titleOf(deletion)}${prunedText(deletion)}`, "removed"),
      ),
    ...plan.kept.map((kept) =>
      paint(terminal`= keep    ${titleOf(kept)}: ${exactLine(kept.detail)}`, "quiet"),
    ),
    ...rows
      .filter(({ action }) => action === "ignore")
      .flatMap((row) => [
        paint(terminal`= ignore  ${exactLine(row.name)}`, "quiet"),
        ...whyLines(row, known).map((line) => paint(indent(indent(line)), "quiet")),
      ]),
    ...plan.notices.map((notice) => terminal`\n${plainLines(describeProblem(notice))}`),
    ...renderFindingsText(findings),
  ];
  const separator = blocks.length === 0 ? [] : [terminal``];
  const sources = sourcesInWords(rows, known.attributions?.release, known.now);
  return joined(
    [
      ...blocks,
      ...separator,
      ...(sources === undefined ? [] : [paint(exactLine(sources), "changed")]),
      paint(totalsOf(plan, renamed.size), "strong"),
      terminal``,
    ],
    "\n",
  );
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

interface Context {
  readonly paint: Paint;
  readonly known: PlanSurroundings;
  readonly common: readonly CommonHunk[];
}

function changeLines(change: Change, row: Row, { paint, known, common }: Context) {
  return [
    headOf(change, row, paint),
    ...whyLines(row, known).map((line) => paint(indent(indent(line)), "quiet")),
    ...diffLines(diffWithout(row.diff, common), paint),
  ];
}

function headOf(change: Change, row: Row, paint: Paint): TerminalText {
  const title = titleOf(change);
  if (row.action === "rename") {
    const before = exactLine(nameOfKey(row.replaces ?? ""));
    return paint(
      terminal`~ rename  ${before} → ${exactLine(change.id.name)}${uncheckedNote(change)}`,
      "changed",
    );
  }
  switch (change.action) {
    case "replace":
      return paint(terminal`± replace ${title}: deleted and recreated`, "removed");
    case "update":
      return paint(terminal`~ update  ${title}${updateNote(change)}`, "changed");
    default:
      return paint(terminal`+ create  ${title}${uncheckedNote(change)}`, "added");
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

function commonLines(common: readonly CommonHunk[], paint: Paint): readonly TerminalText[] {
  return common.flatMap(({ names, lines }) => [
    paint(terminal`~ the same in ${exactLine(plural(names.length, "object"))}:`, "changed"),
    ...names.map((name) => paint(indent(indent(exactLine(name))), "quiet")),
    ...toDiffLines(lines, paint),
  ]);
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
    case "schema":
      return terminal` (checked by its schema: ${exactLine(certainty.reason)})`;
    case "unchecked":
      return terminal` (unchecked: ${exactLine(certainty.reason)})`;
    case "refused":
      return terminal` (refused, see below)`;
  }
}

function diffLines(diff: TextDiff | undefined, paint: Paint): readonly TerminalText[] {
  const words = (diff?.words ?? []).map((line) =>
    paint(indent(indent(exactLine(line))), "changed"),
  );
  return [...words, ...toDiffLines(diff?.lines ?? [], paint)];
}

function toDiffLines(lines: readonly string[], paint: Paint): readonly TerminalText[] {
  return lines.map((line) => paint(indent(indent(exactLines(line))), toneOf(line)));
}

function toneOf(line: string): Tone {
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "quiet";
}

function totalsOf(plan: Plan, renamed: number): TerminalText {
  const number = (action: Change["action"]) =>
    plan.changes.filter((change) => change.action === action).length;
  const counts = [
    `${number("create") - renamed} to create`,
    `${number("update")} to update`,
    ...(renamed === 0 ? [] : [`${renamed} to rename`]),
    ...(number("replace") === 0 ? [] : [`${number("replace")} to replace`]),
    `${plan.deletions.length - renamed} to delete`,
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
