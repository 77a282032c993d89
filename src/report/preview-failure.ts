import type { Plan } from "../model/plan/plan.ts";
import type { FailOn } from "../model/problems/fail-on.ts";
import { type Finding, isFixedByChange, isOpen } from "../model/problems/finding.ts";
import { replacedSourceNames } from "./changed-sources.ts";
import type { DeploymentReport } from "./comment/comment-input.ts";

/** Reports whether a plan without errors still fails the preview because of `--fail-on`. */
export function isFailOnTriggered(
  { plan, findings = [], sources }: DeploymentReport,
  words: readonly FailOn[],
): boolean {
  const isReplaced = words.includes("warning") && replacedSourceNames(sources).length > 0;
  const isFound = failingFindings({ findings }, words).length > 0;
  return isReplaced || isFound || words.some((word) => matchesPlan(plan, word));
}

/**
 * Reports whether the preview of a deployment fails its job. A deployment that is blocked always
 * fails it.
 */
export function isPreviewFailing(report: DeploymentReport, words: readonly FailOn[]): boolean {
  return report.problems.length + report.blockers.length > 0 || isFailOnTriggered(report, words);
}

/**
 * Returns the findings that fail the preview because of `--fail-on`. A finding that this change
 * fixes isn't a reason to stop the change.
 */
export function failingFindings(
  { findings = [] }: Pick<DeploymentReport, "findings">,
  words: readonly FailOn[],
): readonly Finding[] {
  const open = findings.filter((each) => isOpen(each) && !isFixedByChange(each));
  return open.filter((each) => words.some((word) => matchesFinding(each, word)));
}

function matchesFinding({ severity, code }: Finding, word: FailOn): boolean {
  return word === severity || word === code || (word === "warning" && severity === "error");
}

function matchesPlan(plan: Plan | undefined, word: FailOn): boolean {
  switch (word) {
    case "deletions":
      return (plan?.deletions.length ?? 0) > 0;
    case "replacements":
      return plan?.changes.some(({ action }) => action === "replace") ?? false;
    case "conflicts":
      return plan?.changes.some(({ steps }) => steps.some(({ type }) => type === "force")) ?? false;
    default:
      return false;
  }
}
