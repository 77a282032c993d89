import type { Problem } from "../../model/problems/problem.ts";
import { blockQuote, listItem, md } from "../../redaction/markdown.ts";
import {
  inlineCode,
  joinPhrases,
  lineBreak,
  type Phrase,
  phraseToMarkdown,
  say,
  strong,
  text,
} from "../../redaction/phrase.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { replacedSourceNames, replacedSourceProblems } from "../changed-sources.ts";
import { findingPhrase, problemPhrase } from "../problem-phrases.ts";
import type { DeploymentReview, ReviewedFinding, ReviewedProblem } from "../review/review.ts";
import { forecastText, type NamedForecast } from "../rows/forecasts.ts";
import { notableChanges } from "../rows/notable-changes.ts";
import { codeLabel } from "../text/code-label.ts";
import { plural } from "../text/counts.ts";
import {
  type DeploymentSection,
  findingErrors,
  findingWarnings,
  freezeNotices,
  isHeldBack,
  type RenderOptions,
  sectionProblems,
} from "./deployment-section.ts";
import {
  described,
  describeLosses,
  describeReplaced,
  describeRiskyChanges,
  listNames,
  replacedRows,
} from "./risky-changes.ts";
import { withShortTexts } from "./size-limit.ts";

type RiskOptions = Pick<RenderOptions, "now" | "isShort">;

/** More facts would hide the other content of a cell. */
const shownFacts = 3;
/** The maximum number of errors that a short comment shows. The same limit applies to findings. */
const shortProblems = 5;

/** Renders the facts that a reader must see before the merge, in colored boxes. Can be empty. */
export function renderRisks(section: DeploymentReview, look: RenderOptions): Markdown {
  const { stops, risks } = describeRisks(section, look);
  const box = (title: Markdown, phrases: readonly Phrase[]) =>
    phrases.length === 0 ? md`` : joined([title, blockQuote(inBox(phrases, look))], "\n");
  const parts = [box(md`> [!CAUTION]`, stops), box(md`> [!WARNING]`, risks)];
  return joined(
    parts.filter((part) => part !== ""),
    "\n\n",
  );
}

/** Renders the other notable changes. */
export function renderFacts(section: DeploymentReview, look: RenderOptions): Markdown {
  return joined(items(describeFacts(section, look), look), "\n");
}

/** Renders one fact as a paragraph and several as a list. */
function inBox(phrases: readonly Phrase[], look: RenderOptions): Markdown {
  const [only, ...others] = phrases;
  if (only !== undefined && others.length === 0) return phraseToMarkdown(only, look.show);
  return joined(items(phrases, look), "\n");
}

function items(phrases: readonly Phrase[], { show }: RenderOptions): readonly Markdown[] {
  return phrases.map((each) => listItem(phraseToMarkdown(each, show)));
}

/** Describes the blockers and failures, and separately the other risks. */
export function describeRisks(section: DeploymentReview, look: RiskOptions) {
  return {
    stops: [...problems(section, look), ...shortened(findingErrors(section), look)],
    risks: [...describeRiskyChanges(section, look), ...concerns(section, look)],
  };
}

/**
 * Describes the risks for a cell of the page's overview: the codes of errors and findings, and the
 * names of lost objects.
 */
export function describeRisksBriefly(section: DeploymentSection): Phrase {
  const { rows, problems, blockers } = section;
  const replaced = replacedRows(rows);
  const facts = [
    ...heldBackPhrases(section),
    ...(problems.length === 0 ? [] : [strong(say`doesn't compile`)]),
    ...stopInShort("blocked", codeLabels(blockers)),
    ...stopInShort("would fail", codeLabels(findingErrors(section))),
    ...codeLabels(freezeNotices(section)).map((words) => strong(text(words))),
    ...describeLosses(section),
    ...(replaced.length === 0 ? [] : [describeReplaced(replaced)]),
    ...codeLabels(findingWarnings(section)).map(text),
    ...notableChanges(rows)
      .toSorted((a, b) => Number(b.isRisk) - Number(a.isRisk))
      .slice(0, shownFacts)
      .map((each) => inlineCode(each.text)),
    ...replacedSourceNames(section.sources).map(
      (name) => say`other content of ${inlineCode(name)}`,
    ),
    ...(section.orphanWarnings.length === 0 ? [] : [say`leaves objects in the cluster`]),
  ];
  return joinPhrases(facts, lineBreak);
}

function heldBackPhrases(section: DeploymentSection): readonly Phrase[] {
  if (!isHeldBack(section)) return [];
  const outcome = section.removal === undefined ? say`not deployed` : say`not deleted`;
  return [strong(outcome), say`waits for ${listNames(section.heldBackBy ?? [])}`];
}

function stopInShort(effect: string, reasons: readonly string[]): readonly Phrase[] {
  return reasons.length === 0 ? [] : [strong(say`${text(effect)}: ${text(reasons.join(", "))}`)];
}

/** Describes each code once, with its number if it occurs several times. */
function codeLabels(all: readonly { readonly code: string }[]): readonly string[] {
  const byWords = Map.groupBy(all, ({ code }) => codeLabel(code));
  return [...byWords].map(([words, same]) =>
    same.length === 1 ? words : `${words} (${same.length})`,
  );
}

function problems(section: DeploymentReview, { isShort }: RiskOptions): readonly Phrase[] {
  const all = sectionProblems(section);
  const shown = isShort ? withShortTexts(all.slice(0, shortProblems)) : all;
  const rest = all.length - shown.length;
  const more = rest > 0 ? [say`${text(plural(rest, "more error"))} in the run's summary`] : [];
  return [...shown.map((each) => problemPhrase(withAutoscaler(each))), ...more];
}

/**
 * Replaces the fixes of a conflict with an autoscaler.
 * Both would change the same number endlessly, so every other fix is wrong.
 */
function withAutoscaler({ autoscaler, ...problem }: ReviewedProblem): Problem {
  if (autoscaler === undefined) return problem;
  const { name, bounds } = autoscaler;
  const between = bounds === undefined ? "" : ` (${bounds.least} to ${bounds.most})`;
  const why = `${name} of this deployment sets the number of replicas${between}`;
  const fix = "Remove spec.replicas from the manifest";
  return { ...problem, why, fix, otherwise: undefined, inputs: undefined, paste: undefined };
}

function concerns(section: DeploymentReview, look: RiskOptions): readonly Phrase[] {
  return [
    ...freezeNotices(section).map((each) => problemPhrase(each)),
    ...shortened(findingWarnings(section), look),
    ...replacedSourceProblems(section.sources).map((each) => problemPhrase(each)),
    ...section.orphanWarnings.map((each) => problemPhrase(each)),
  ];
}

function shortened(
  findings: readonly ReviewedFinding[],
  { isShort }: RiskOptions,
): readonly Phrase[] {
  const shown = isShort ? withShortTexts(findings.slice(0, shortProblems)) : findings;
  const rest = findings.length - shown.length;
  return [
    ...shown.map((each) => findingPhrase(each, each.isOlder)),
    ...(rest > 0 ? [say`${text(plural(rest, "more finding"))} in the run's summary`] : []),
  ];
}

/** Describes new images and replica counts that aren't a risk, and the forecasts of rollouts. */
export function describeFacts(
  { rows, forecasts = [] }: DeploymentReview,
  { now }: Pick<RenderOptions, "now">,
): readonly Phrase[] {
  const shown = notableChanges(rows).filter(({ isRisk }) => !isRisk);
  const rest = shown.length - maxFacts;
  return [
    ...shown.slice(0, maxFacts).map((each) => described(each, now)),
    ...(rest > 0 ? [say`${text(plural(rest, "more change"))} of images or replicas`] : []),
    ...describeForecasts(forecasts),
  ];
}

function describeForecasts(forecasts: readonly NamedForecast[]): readonly Phrase[] {
  const rest = forecasts.length - maxFacts;
  return [
    ...forecasts
      .slice(0, maxFacts)
      .map((each) => say`rollout of ${inlineCode(each.name)}: ${text(forecastText(each))}`),
    ...(rest > 0 ? [say`${text(plural(rest, "more rollout"))}`] : []),
  ];
}

const maxFacts = 5;
