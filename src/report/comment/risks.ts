import type { Problem } from "../../model/problems/problem.ts";
import { md } from "../../redaction/markdown.ts";
import { blockQuote, listItem } from "../../redaction/own-markdown.ts";
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
import { findingInWords } from "../findings.ts";
import { problemInWords } from "../problems.ts";
import type { DeploymentReview, ReviewedFinding, ReviewedProblem } from "../review/review.ts";
import { notableChanges } from "../rows/notable-changes.ts";
import { codeInWords } from "../text/code-words.ts";
import { plural } from "../text/counts.ts";
import { dangersOf, described, listNames, lossesOf, replacedRows } from "./dangers.ts";
import {
  type DeploymentSection,
  errorsOf,
  holdsOf,
  isHeldBack,
  type Look,
  problemsOf,
  warningsOf,
} from "./deployment-section.ts";

type RiskLook = Pick<Look, "now" | "isShort">;

/** More facts would hide the other content of a cell. */
const shownFacts = 3;
/** The maximum number of errors that a short comment shows. The same limit applies to findings. */
const shortProblems = 5;

/** Renders the facts that a reader must see before the merge, in colored boxes. Can be empty. */
export function renderRisks(section: DeploymentReview, look: Look): Markdown {
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
export function renderFacts(section: DeploymentReview, look: Look): Markdown {
  return joined(items(describeFacts(section, look), look), "\n");
}

/** Renders one fact as a paragraph and several as a list. */
function inBox(phrases: readonly Phrase[], look: Look): Markdown {
  const [only, ...others] = phrases;
  if (only !== undefined && others.length === 0) return phraseToMarkdown(only, look.show);
  return joined(items(phrases, look), "\n");
}

function items(phrases: readonly Phrase[], { show }: Look): readonly Markdown[] {
  return phrases.map((each) => listItem(phraseToMarkdown(each, show)));
}

/** Describes the blockers and failures, and separately the other risks. */
export function describeRisks(section: DeploymentReview, look: RiskLook) {
  return {
    stops: [...problems(section, look), ...shortened(errorsOf(section), look)],
    risks: [...dangersOf(section, look), ...concerns(section, look)],
  };
}

/**
 * Describes the risks for the cell of a table: the codes of errors and findings, and the names of
 * lost objects.
 */
export function describeRisksShort(section: DeploymentSection): Phrase {
  const { rows, problems, blockers } = section;
  const replaced = replacedRows(rows).map(({ name }) => name);
  const facts = [
    ...heldBackInShort(section),
    ...(problems.length === 0 ? [] : [strong(say`doesn't compile`)]),
    ...stopInShort("blocked", codesInWords(blockers)),
    ...stopInShort("would fail", codesInWords(errorsOf(section))),
    ...codesInWords(holdsOf(section)).map((words) => strong(text(words))),
    ...lossesOf(section),
    ...(replaced.length === 0 ? [] : [say`deletes and recreates ${listNames(replaced)}`]),
    ...codesInWords(warningsOf(section)).map(text),
    ...notableChanges(rows)
      .toSorted((a, b) => Number(b.isRisk) - Number(a.isRisk))
      .slice(0, shownFacts)
      .map((each) => inlineCode(each.text)),
    ...(section.orphanWarnings.length === 0 ? [] : [say`leaves objects in the cluster`]),
  ];
  return joinPhrases(facts, lineBreak);
}

function heldBackInShort(section: DeploymentSection): readonly Phrase[] {
  if (!isHeldBack(section)) return [];
  const outcome = section.removal === undefined ? say`not deployed` : say`not deleted`;
  return [strong(outcome), say`waits for ${listNames(section.heldBackBy ?? [])}`];
}

function stopInShort(effect: string, reasons: readonly string[]): readonly Phrase[] {
  return reasons.length === 0 ? [] : [strong(say`${text(effect)}: ${text(reasons.join(", "))}`)];
}

/** Describes each code once, with its number if it occurs several times. */
function codesInWords(all: readonly { readonly code: string }[]): readonly string[] {
  const byWords = Map.groupBy(all, ({ code }) => codeInWords(code));
  return [...byWords].map(([words, same]) =>
    same.length === 1 ? words : `${words} (${same.length})`,
  );
}

function problems(section: DeploymentReview, { isShort }: RiskLook): readonly Phrase[] {
  const all = problemsOf(section);
  const shown = isShort ? all.slice(0, shortProblems) : all;
  const rest = all.length - shown.length;
  const more = rest > 0 ? [say`${text(plural(rest, "more error"))} in the run's summary`] : [];
  return [...shown.map((each) => problemInWords(withAutoscaler(each))), ...more];
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

function concerns(section: DeploymentReview, look: RiskLook): readonly Phrase[] {
  return [
    ...holdsOf(section).map((each) => problemInWords(each)),
    ...shortened(warningsOf(section), look),
    ...section.orphanWarnings.map((each) => problemInWords(each)),
  ];
}

function shortened(findings: readonly ReviewedFinding[], { isShort }: RiskLook): readonly Phrase[] {
  const shown = isShort ? findings.slice(0, shortProblems) : findings;
  const rest = findings.length - shown.length;
  return [
    ...shown.map((each) => findingInWords(each, each.isOlder)),
    ...(rest > 0 ? [say`${text(plural(rest, "more finding"))} in the run's summary`] : []),
  ];
}

/** Describes new images and replica counts that aren't a risk. */
export function describeFacts(
  { rows }: DeploymentReview,
  { now }: Pick<Look, "now">,
): readonly Phrase[] {
  const shown = notableChanges(rows).filter(({ isRisk }) => !isRisk);
  const rest = shown.length - mostFacts;
  return [
    ...shown.slice(0, mostFacts).map((each) => described(each, now)),
    ...(rest > 0 ? [say`${text(plural(rest, "more change"))} of images or replicas`] : []),
  ];
}

const mostFacts = 5;
