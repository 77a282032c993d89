import type { Deletion, PrunedRevision } from "../../model/deletion.ts";
import { sameJson } from "../../model/json.ts";
import { nameOf, nameOfKey, type ObjectId } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { inPlain } from "../../redaction/phrase.ts";
import { joined, type TerminalText } from "../../redaction/shown.ts";
import { withoutServerFields } from "../../redaction/shown-change.ts";
import { exactLine, exactLines, terminal } from "../../redaction/terminal.ts";
import { type CommonHunk, commonHunks, diffWithout } from "../diff/common-hunks.ts";
import { isRelabelled, relabelled } from "../diff/relabelled.ts";
import { linesOf, type TextDiff } from "../diff/text-diff.ts";
import { findingLines } from "../findings.ts";
import { aftermath, countResults, headline, type Outcome, remarks } from "../outcome.ts";
import { meaningsOf } from "../rows/meanings.ts";
import type { Row } from "../rows/row.ts";
import { parameterLines, whyLines } from "../rows/row-text.ts";
import { changesOf } from "../rows/rows.ts";
import type { RowsInput } from "../rows/traced-row.ts";
import { whoseInWords } from "../rows/whose.ts";
import { plural } from "../text/counts.ts";
import { problemTextLines } from "../text/problem-text-lines.ts";
import {
  type Looks,
  line,
  showLines,
  type TextLine,
  type Tone,
  verbatim,
} from "../text/text-lines.ts";

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
  looks: Looks = {},
  findings: readonly Finding[] = [],
  known: PlanSurroundings = {},
): TerminalText {
  const { rows, parameters } = changesOf({ ...known, plan });
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const common = commonHunks(rows);
  // Where all goes there is nothing to tell apart, and much to read.
  const isAll = plan.changes.length === 0;
  const renamed = new Set(rows.flatMap(({ replaces }) => replaces ?? []));
  const blocks = [
    ...parameterLines(parameters, known.config).map((text) => line(text, "quiet")),
    ...plan.changes.flatMap((change) => {
      const row = byKey.get(change.key);
      return row === undefined || change.action === "unchanged"
        ? []
        : changeLines(change, row, { known, common });
    }),
    ...commonLines(common),
    ...relabelledLines(plan),
    ...plan.deletions
      .filter(({ key }) => !renamed.has(key))
      .flatMap((deletion) => deletionLines(deletion, byKey.get(deletion.key), isAll)),
    ...plan.kept.map((kept) =>
      line(terminal`= keep    ${titleOf(kept)}: ${exactLine(kept.detail)}`, "quiet"),
    ),
    ...rows
      .filter(({ action }) => action === "ignore")
      .flatMap((row) => [
        line(terminal`= ignore  ${exactLine(row.name)}`, "quiet"),
        ...whyLines(row, known).map((text) => line(indent(indent(text)), "quiet")),
      ]),
    ...[...(known.head?.warnings ?? []), ...plan.notices].flatMap(noticeLines),
    ...findings.flatMap(findingLines),
  ];
  const separator = blocks.length === 0 ? [] : [line(terminal``)];
  const whose = whoseLine(rows, known);
  return showLines(
    [
      ...blocks,
      ...separator,
      ...whose,
      line(totalsOf(plan, renamed.size), "strong"),
      line(terminal``),
    ],
    looks,
  );
}

/** Said where something is not the change's own. */
function whoseLine(rows: readonly Row[], known: PlanSurroundings): readonly TextLine[] {
  const { attributions, base, now } = known;
  const origin = {
    release: attributions?.release,
    commit: attributions?.commit,
    isPullRequest: base !== undefined,
  };
  const words = whoseInWords(rows, origin, now);
  const isOwn = rows.every((row) =>
    [row.source, ...row.fields.map(({ source }) => source)].every(
      (source) => source === undefined || source === "change" || source === "server",
    ),
  );
  return words === undefined || isOwn ? [] : [line(exactLine(inPlain(words)), "changed")];
}

function noticeLines(notice: Problem): readonly TextLine[] {
  return [line(terminal``), ...problemTextLines(notice, "note")];
}

/** What a deployment did, what failed and why, and what that leaves behind. */
export function renderOutcomeText(outcome: Outcome): TerminalText {
  const failures = outcome.results.filter(
    (result) => result.outcome === "failed" || result.outcome === "not attempted",
  );
  const lines = [
    exactLine(headline(outcome)),
    ...[outcome.refusal]
      .filter((line) => line !== undefined)
      .flatMap(linesIn)
      .map(indent),
    ...failures.map(({ outcome, key, detail }) =>
      indent(exactLine(`${outcome}: ${nameOfKey(key)}${detail === "" ? "" : `: ${detail}`}`)),
    ),
    ...outcome.evidence.flatMap(({ key, lines }) => [
      terminal``,
      indent(exactLine(`${nameOfKey(key)}:`)),
      ...lines.flatMap(linesIn).map(indent).map(indent),
    ]),
    ...[aftermath(outcome)]
      .filter((line) => line !== undefined)
      .map(exactLine)
      .map(indent),
    ...[...remarks(outcome), ...(outcome.waysBack ?? [])].flatMap(linesIn).map(indent),
    exactLine(countResults(outcome.results)),
  ];
  const shown = lines.filter((line, i) => line !== "" || i < lines.length - 1);
  return terminal`${joined(shown, "\n")}\n`;
}

/** A cure stands deeper than what it is for, also where both are indented. */
function linesIn(text: string): readonly TerminalText[] {
  return text.split("\n").map(exactLine);
}

interface Context {
  readonly known: PlanSurroundings;
  readonly common: readonly CommonHunk[];
}

function changeLines(change: Change, row: Row, { known, common }: Context): readonly TextLine[] {
  return [
    headOf(change, row),
    ...whyLines(row, known).map((text) => line(indent(indent(text)), "quiet")),
    ...diffLines(diffWithout(row.diff, common)),
  ];
}

function headOf(change: Change, row: Row): TextLine {
  const title = titleOf(change);
  if (row.action === "rename") {
    const before = exactLine(nameOfKey(row.replaces ?? ""));
    return line(
      terminal`~ rename  ${before} → ${exactLine(change.id.name)}${uncheckedNote(change)}`,
      "changed",
    );
  }
  switch (change.action) {
    case "replace":
      return line(
        terminal`± replace ${title}: deleted and recreated${uncheckedNote(change)}`,
        "removed",
      );
    case "update":
      return line(terminal`~ update  ${title}${updateNote(change)}`, "changed");
    default:
      return line(terminal`+ create  ${title}${uncheckedNote(change)}`, "added");
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
  return isSame && shows?.whole !== false;
}

function commonLines(common: readonly CommonHunk[]): readonly TextLine[] {
  return common.flatMap(({ names, lines }) => [
    line(terminal`~ the same in ${exactLine(plural(names.length, "object"))}:`, "changed"),
    ...names.map((name) => line(indent(indent(exactLine(name))), "quiet")),
    ...toDiffLines(lines),
  ]);
}

function relabelledLines({ changes }: Plan): readonly TextLine[] {
  const found = changes.filter(isRelabelled).length;
  if (found === 0) return [];
  return [
    line(terminal`~ update  ${exactLine(`${plural(found, "object")}: ${relabelled}`)}`, "changed"),
  ];
}

/** A name is printed before the server has validated it. */
function titleOf({ id }: { readonly id: ObjectId }): TerminalText {
  return exactLine(nameOf(id));
}

/** The deletion of something protected needs its reason, and a reader what is lost. */
function deletionLines(
  deletion: Deletion,
  row: Row | undefined,
  isAll: boolean,
): readonly TextLine[] {
  const { retires } = deletion;
  const [why] = retires === undefined ? ((row && meaningsOf(row)) ?? []) : [whyRetired(retires)];
  const told = why === undefined ? terminal`` : terminal`: ${exactLine(why)}`;
  const head = line(terminal`- delete  ${titleOf(deletion)}${told}`, "removed");
  return [head, ...(isAll ? [] : diffLines(row?.diff))];
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

export function diffLines(diff: TextDiff | undefined): readonly TextLine[] {
  const words = (diff?.words ?? []).map((text) => line(indent(indent(exactLine(text))), "changed"));
  return [...words, ...toDiffLines(linesOf(diff))];
}

function toDiffLines(lines: readonly string[]): readonly TextLine[] {
  return lines.map((text) => verbatim(indent(indent(exactLines(text))), toneOf(text)));
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
export function whyRetired({ key, revision, isLast }: PrunedRevision): string {
  if (isLast === true) return `revision ${revision} of key ${key}, which was kept so far`;
  return `revision ${revision} of key ${key}, enough newer ones are kept`;
}
