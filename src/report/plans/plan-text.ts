import { sameJson } from "../../model/json.ts";
import type { VersionCheck } from "../../model/kubernetes-versions.ts";
import { nameFromKey, nameOf, type ObjectId } from "../../model/object.ts";
import type { Deletion, PrunedRevision } from "../../model/plan/deletion.ts";
import {
  type Change,
  hooksOf,
  isLastHook,
  type Plan,
  replacesPods,
} from "../../model/plan/plan.ts";
import { isReversible, type RollbackPreview } from "../../model/plan/predictions.ts";
import type { Finding } from "../../model/problems/finding.ts";
import type { ChangedSource } from "../../model/sources/locked-source.ts";
import { phraseToText } from "../../redaction/phrase.ts";
import { withoutServerFields } from "../../redaction/redacted-change.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { exactLine, exactLines, terminal } from "../../redaction/terminal.ts";
import { describeChangedSources, replacedSourceProblems } from "../changed-sources.ts";
import type { DeploymentReport } from "../comment/comment-input.ts";
import { verdictText } from "../comment/describe-verdict.ts";
import { type VerdictLevel, verdictLevel } from "../comment/level.ts";
import { type CommonHunk, commonHunks, withoutCommonHunks } from "../diff/common-hunks.ts";
import { isRelabeled, relabelSummary } from "../diff/live-diff.ts";
import { diffTextLines, type TextDiff } from "../diff/text-diff.ts";
import { rollbackLine, versionLine } from "../prediction-lines.ts";
import { findingLines } from "../problem-phrases.ts";
import { reviewDeployment } from "../review/build-review.ts";
import type { DeploymentReview } from "../review/review.ts";
import { buildChanges, type Changes } from "../rows/build-changes.ts";
import { describeSources } from "../rows/change-sources.ts";
import { describeConsequences } from "../rows/consequences.ts";
import { forecastText, namedForecasts } from "../rows/forecasts.ts";
import type { RowsInput } from "../rows/manifest-row.ts";
import type { Row } from "../rows/row.ts";
import { parameterLines, traceText, whyLines } from "../rows/row-text.ts";
import { plural } from "../text/counts.ts";
import {
  type Looks,
  line,
  problemTextLines,
  showLines,
  type TextLine,
  type Tone,
  verbatim,
} from "../text/text-lines.ts";

/** Facts in addition to the plan. */
export type PlanFacts = Omit<RowsInput, "plan"> & {
  readonly config?: string | undefined;
  /** ISO 8601. */
  readonly now?: string | undefined;
  /** The first line of the comment: the verdict, the deployment and the reason. */
  readonly verdict?: Verdict | undefined;
  readonly rollback?: RollbackPreview | undefined;
  readonly againstVersion?: VersionCheck | undefined;
  readonly sources?: readonly ChangedSource[] | undefined;
  /** The changes of this plan, if they are computed already. */
  readonly changes?: Changes | undefined;
};

interface Verdict {
  readonly text: string;
  readonly tone: Tone;
  /** True if the text counts the changes. */
  readonly hasCounts: boolean;
}

/**
 * Returns the changes and the verdict of a report, as the comment on a pull request shows them.
 * `section` is the review of the report, if it is made already.
 */
export function planFacts(
  report: DeploymentReport,
  section: DeploymentReview = reviewDeployment(report),
): PlanFacts {
  const { rows, parameters } = section;
  const level = verdictLevel(section);
  const hasCounts = level === "change" || level === "nothing";
  const verdict = { text: verdictText(section), tone: levelTones[level], hasCounts };
  return { ...report, config: report.deployment.config, verdict, changes: { rows, parameters } };
}

const levelTones: Readonly<Record<VerdictLevel, Tone>> = {
  stop: "removedTitle",
  risk: "changedTitle",
  held: "changedTitle",
  unchecked: "changedTitle",
  change: "addedTitle",
  nothing: "addedTitle",
};

/**
 * Renders a plan for a terminal: the verdict, the counts if the verdict has none, then each object
 * in deploy order with its source and its diff, then notices and findings. A long text ends with
 * the counts, where the cursor stops.
 */
export function renderPlanText(
  plan: Plan,
  looks: Looks = {},
  findings: readonly Finding[] = [],
  known: PlanFacts = {},
): TerminalText {
  const { rows, parameters } = known.changes ?? buildChanges({ ...known, plan });
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const context = { known, common: commonHunks(rows), shared: sharedNotes(plan) };
  // If everything is deleted, the diffs are much to read and distinguish nothing.
  const isAll = plan.changes.every(({ hook }) => hook !== undefined);
  const renamed = new Set(rows.flatMap(({ replaces }) => replaces ?? []));
  const linesOf = (change: Change) => {
    const row = byKey.get(change.key);
    if (row === undefined) return [];
    if (change.action !== "unchanged") return changeLines(change, row, context);
    const why = exactLine(row.note ?? "");
    return change.hook === undefined
      ? []
      : [line(terminal`- delete ${objectName(change)}: ${why}`, "removedTitle")];
  };
  const blocks = [
    parameterLines(parameters, known.config).map((text) => line(text, "quiet")),
    sourceLines(known),
    ...plan.changes.filter((change) => !isLastHook(change)).map(linesOf),
    ...context.common.map(commonLines),
    relabeledLines(plan),
    namedForecasts(plan, findings).map((each) =>
      line(
        terminal`  rollout of ${exactLine(each.name)}: ${exactLine(forecastText(each))}`,
        "quiet",
      ),
    ),
    ...plan.deletions
      .filter(({ key }) => !renamed.has(key))
      .map((deletion) => deletionLines(deletion, byKey.get(deletion.key), isAll)),
    ...plan.changes.filter(isLastHook).map(linesOf),
    ...plan.kept.map((kept) => [
      line(terminal`= keep   ${objectName(kept)}: ${exactLine(kept.detail)}`, "quiet"),
    ]),
    ...rows
      .filter(({ action }) => action === "ignore")
      .map((row) => [
        line(terminal`= ignore ${exactLine(row.name)}`, "quiet"),
        ...whyLines(row, known).map((text) => line(indent(indent(text)), "quiet")),
      ]),
    sharedLines(context.shared),
    ...[...(known.head?.warnings ?? []), ...plan.notices].map((notice) => [
      line(terminal``),
      ...problemTextLines(notice, "note"),
    ]),
    ...replacedSourceProblems(known.sources).map((problem) => [
      line(terminal``),
      ...problemTextLines(problem, "warning"),
    ]),
    ...findings.map(findingLines),
  ];
  const body = separated(blocks);
  const totals = line(planTotals(plan, renamed.size), "strong");
  const isCounted = known.verdict?.hasCounts === true && plan.onlyStage === undefined;
  const head = [...verdictLine(known), ...(isCounted ? [] : [totals]), ...sourcesLine(rows, known)];
  const isLong = body.length > screenLines;
  return showLines(
    [
      ...head,
      ...(body.length === 0 ? [] : [line(terminal``), ...body]),
      ...rollbackLines(known),
      ...versionLines(known),
      ...(isLong ? [line(terminal``), totals] : []),
      line(terminal``),
    ],
    looks,
  );
}

function sourceLines({ sources }: PlanFacts): readonly TextLine[] {
  const described = describeChangedSources(sources);
  if (described === undefined) return [];
  const [heading, ...items] = [described.heading, ...described.items].map((phrase) =>
    exactLine(phraseToText(phrase)),
  );
  return [heading ?? terminal``, ...items.map(indent)].map((each) => line(each, "quiet"));
}

/** A text of more lines than this scrolls its first line off most screens. */
const screenLines = 40;

function rollbackLines({ rollback }: PlanFacts): readonly TextLine[] {
  if (rollback === undefined) return [];
  const tone = isReversible(rollback) ? "quiet" : "changed";
  return [line(terminal``), line(exactLine(rollbackLine(rollback)), tone)];
}

/** Renders the check against another version of Kubernetes without a plan. */
export function renderVersionCheck(
  againstVersion: VersionCheck,
  findings: readonly Finding[] = [],
  looks: Looks = {},
): TerminalText {
  const about = findings.filter(({ upgrade }) => upgrade !== undefined);
  const lines = [...about.flatMap(findingLines), ...versionLines({ againstVersion })];
  // Each block begins with an empty line. The first block needs none.
  return terminal`${showLines([...lines.slice(1), line(terminal``)], looks)}\n`;
}

function versionLines({ againstVersion }: Pick<PlanFacts, "againstVersion">): readonly TextLine[] {
  if (againstVersion === undefined) return [];
  const tone = againstVersion.findings === 0 ? "quiet" : "changed";
  return [line(terminal``), line(exactLine(versionLine(againstVersion)), tone)];
}

function verdictLine({ verdict }: PlanFacts): readonly TextLine[] {
  return verdict === undefined ? [] : [line(exactLine(verdict.text), verdict.tone)];
}

/** Joins blocks with an empty line around each block of several lines. */
function separated(blocks: readonly (readonly TextLine[])[]): readonly TextLine[] {
  const lines: TextLine[] = [];
  let wasLong = false;
  for (const block of blocks.filter((each) => each.length > 0)) {
    const isApart = block[0]?.text === "";
    if (lines.length > 0 && !isApart && (wasLong || block.length > 1)) lines.push(line(terminal``));
    lines.push(...(lines.length === 0 && isApart ? block.slice(1) : block));
    wasLong = block.length > 1;
  }
  return lines;
}

/** Returns how many objects change by whom, unless everything is the change of the manifests. */
function sourcesLine(rows: readonly Row[], known: PlanFacts): readonly TextLine[] {
  const { attributions, base, now } = known;
  const origin = {
    release: attributions?.release,
    commit: attributions?.commit,
    isPullRequest: base !== undefined,
  };
  const words = describeSources(rows, origin, now);
  const isOwn = rows.every((row) =>
    [row.source, ...row.fields.map(({ source }) => source)].every(
      (source) => source === undefined || source === "change" || source === "server",
    ),
  );
  return words === undefined || isOwn ? [] : [line(exactLine(phraseToText(words)), "changed")];
}

interface ChangeContext {
  readonly known: PlanFacts;
  readonly common: readonly CommonHunk[];
  readonly shared: ReadonlyMap<string, number>;
}

function changeLines(change: Change, row: Row, context: ChangeContext): readonly TextLine[] {
  const { known, common } = context;
  return [
    changeTitle(change, row, context),
    ...whyLines(row, known).map((text) => line(indent(indent(text)), "quiet")),
    ...diffLines(withoutCommonHunks(row.diff, common)),
  ];
}

function changeTitle(change: Change, row: Row, { known, shared }: ChangeContext): TextLine {
  const title = objectName(change);
  const aside = traceText(row, known);
  const note = certaintyNote(change, shared);
  if (row.action === "rename") {
    const before = exactLine(nameFromKey(row.replaces ?? ""));
    return {
      ...line(terminal`~ rename ${before} → ${exactLine(change.id.name)}${note}`, "changedTitle"),
      aside,
    };
  }
  switch (change.action) {
    case "replace":
      return {
        ...line(terminal`± replace ${title}: ${effectOf(change)}${note}`, "removedTitle"),
        aside,
      };
    case "update":
      return {
        ...line(terminal`~ update ${title}${updateNote(change, note)}`, "changedTitle"),
        aside,
      };
    default:
      return { ...line(terminal`+ create ${title}${note}`, "addedTitle"), aside };
  }
}

function effectOf(change: Change): TerminalText {
  return replacesPods(change)
    ? terminal`deleted and recreated`
    : terminal`deleted and recreated, Pods stay`;
}

function updateNote(change: Change, note: TerminalText): TerminalText {
  return changesOnlyOwners(change) ? terminal` (only field ownership changes)` : note;
}

/** Reports whether no value changes: an update without an explanation would look like a mistake. */
function changesOnlyOwners({ certainty, live, predicted, redacted }: Change): boolean {
  if (certainty.by !== "server" || live === undefined || predicted === undefined) return false;
  const isSame = sameJson(withoutServerFields(live), withoutServerFields(predicted));
  return isSame && redacted?.isComplete !== false;
}

function commonLines({ names, lines }: CommonHunk): readonly TextLine[] {
  return [
    line(terminal`~ the same in ${exactLine(plural(names.length, "object"))}`, "changedTitle"),
    ...names.map((name) => line(indent(indent(exactLine(name))), "quiet")),
    ...toDiffLines(lines),
  ];
}

function relabeledLines({ changes }: Plan): readonly TextLine[] {
  const found = changes.filter(isRelabeled).length;
  if (found === 0) return [];
  return [
    line(
      terminal`~ update ${exactLine(`${plural(found, "object")}: ${relabelSummary}`)}`,
      "changedTitle",
    ),
  ];
}

/** Returns the name for output. The API server might not have validated it yet. */
function objectName({ id }: { readonly id: ObjectId }): TerminalText {
  return exactLine(nameOf(id));
}

/** Renders a deletion with the loss, or with the reason that overrides its protection. */
function deletionLines(
  deletion: Deletion,
  row: Row | undefined,
  isAll: boolean,
): readonly TextLine[] {
  const { prunedRevision } = deletion;
  const [why] =
    prunedRevision === undefined
      ? ((row && describeConsequences(row)) ?? [])
      : [retirementReason(prunedRevision)];
  const reason = why === undefined ? terminal`` : terminal`: ${exactLine(why)}`;
  const head = line(terminal`- delete ${objectName(deletion)}${reason}`, "removedTitle");
  return [head, ...(isAll ? [] : diffLines(row?.diff))];
}

/** Returns a note unless the API server checked the change, or a common line has the note. */
function certaintyNote(change: Change, shared: ReadonlyMap<string, number>): TerminalText {
  const note = certaintyText(change);
  return note === undefined || shared.has(note) ? terminal`` : terminal` (${exactLine(note)})`;
}

function certaintyText({ certainty }: Change): string | undefined {
  switch (certainty.by) {
    case "server":
    case "comparison":
      return undefined;
    case "schema":
      return `checked by schema only: ${certainty.reason}`;
    case "unchecked":
      return `unchecked: ${certainty.reason}`;
    case "refused":
      return "rejected, see below";
  }
}

/** Counts the objects with the same note, for notes that several have. */
function sharedNotes({ changes }: Plan): ReadonlyMap<string, number> {
  const notes = changes.flatMap((change) =>
    change.action === "unchanged" || change.certainty.by === "refused"
      ? []
      : (certaintyText(change) ?? []),
  );
  const counts = Map.groupBy(notes, (note) => note);
  return new Map(
    [...counts].flatMap(([note, { length }]) => (length > 1 ? [[note, length] as const] : [])),
  );
}

function sharedLines(shared: ReadonlyMap<string, number>): readonly TextLine[] {
  return [...shared].map(([note, count]) => line(exactLine(`${count} objects: ${note}`), "quiet"));
}

export function diffLines(diff: TextDiff | undefined): readonly TextLine[] {
  const words = (diff?.words ?? []).map((text) => line(indent(indent(exactLine(text))), "changed"));
  return [...words, ...toDiffLines(diffTextLines(diff))];
}

function toDiffLines(lines: readonly string[]): readonly TextLine[] {
  return lines.map((text) => verbatim(indent(indent(exactLines(text))), diffTone(text)));
}

function diffTone(line: string): Tone {
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "quiet";
}

function planTotals(plan: Plan, renamed: number): TerminalText {
  const hooks = hooksOf(plan);
  const number = (action: Change["action"]) =>
    plan.changes.filter((change) => change.action === action).length;
  const deletions = plan.deletions.length + hooks.length;
  const unchanged = plan.changes.filter(
    ({ action, hook }) => action === "unchanged" && hook === undefined,
  );
  const counts = [
    `${number("create") - renamed} to create`,
    `${number("update")} to update`,
    ...(renamed === 0 ? [] : [`${renamed} to rename`]),
    ...(number("replace") === 0 ? [] : [`${number("replace")} to replace`]),
    `${deletions - renamed} to delete`,
    `${unchanged.length} unchanged`,
    ...(plan.kept.length === 0 ? [] : [`${plan.kept.length} kept`]),
  ].join(", ");
  const stage = plan.onlyStage === undefined ? "" : ` (only ${plan.onlyStage})`;
  const deployment = exactLine(plan.deployment + stage);
  const nothing = number("create") + number("update") + number("replace") + deletions === 0;
  return nothing
    ? terminal`${deployment}: no changes (${exactLine(plural(plan.changes.length, "object"))})`
    : terminal`${deployment}: ${exactLine(counts)}`;
}

function indent(line: TerminalText): TerminalText {
  return terminal`  ${line}`;
}

/** Returns the reason to delete an object although an annotation protects it. */
export function retirementReason({ key, revision, isLast }: PrunedRevision): string {
  if (isLast === true) return `revision ${revision} of key ${key}, kept until now`;
  return `revision ${revision} of key ${key}; enough newer revisions are kept`;
}
