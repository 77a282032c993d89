import type { DeploymentOutcome } from "../../commands/several/deploy-changed.ts";
import { urlAnnotation } from "../../model/annotations.ts";
import { textAt } from "../../model/json.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { buildSections, levelOutcomes, verdictLevel } from "../../report/comment/level.ts";
import type { OutcomeReport } from "../../report/outcome-report.ts";
import type { DeploymentResult } from "../../report/result-file.ts";
import {
  addCounts,
  type Counts,
  countPlan,
  noneCounted,
} from "../../report/review/count-objects.ts";
import type { Review } from "../../report/review/review.ts";

/**
 * The outputs by their names in action.yml. Undefined means unknown and leaves the output empty.
 * A job would take `false` for "nothing to do".
 */
type Outputs = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Returns the outputs of previews: the changes of the plans or, without a plan, the differences
 * between the two commits.
 */
export function previewOutputs({
  deployments,
  failed = false,
  previewProblems,
}: Pick<Review, "deployments" | "failed" | "previewProblems">): Outputs {
  // Without a complete list of deployments, nothing else is known.
  if (previewProblems !== undefined) return { outcome: levelOutcomes.stop };
  const [only, ...others] = deployments;
  const digest = others.length === 0 ? only?.digest : undefined;
  const [worst] = buildSections(deployments);
  const level = worst === undefined ? "nothing" : verdictLevel(worst);
  return {
    outcome: levelOutcomes[failed ? "stop" : level],
    ...countOutputs(deployments.map(({ counts }) => counts)),
    "plan-digest": digest ?? "",
  };
}

/**
 * Returns the outputs of deployments and rollbacks: the changes of the plans that ran, and the
 * release if there is one deployment.
 */
export function resultOutputs(results: readonly DeploymentResult[]): Outputs {
  const [first, ...others] = results;
  const only = others.length === 0 ? first : undefined;
  const reports = results.map(({ outcome }) => outcome);
  return {
    outcome: outcomeName(reports),
    ...countOutputs(results.map(({ changes }) => changes)),
    "plan-digest": only?.digest ?? "",
    release: only?.outcome.revision ?? "",
  };
}

/** Returns the outcome of deployments in one word. */
export function outcomeName(reports: readonly OutcomeReport[]): string {
  return outcomeNames.find(([, applies]) => applies(reports))?.[0] ?? "no-change";
}

/** The values of the output `outcome` after deployments. The first one that applies counts. */
const outcomeNames: readonly (readonly [string, (all: readonly OutcomeReport[]) => boolean])[] = [
  ["canceled", (all) => all.some(({ cancelled = false }) => cancelled)],
  ["failed", (all) => all.some((each) => !each.succeeded && each.gaveWay !== true)],
  ["superseded", (all) => all.some(({ gaveWay = false }) => gaveWay)],
  ["deployed", (all) => all.some((each) => !isUnchanged(each))],
  ["no-change", () => true],
];

function isUnchanged({ unchanged = false, superseded, removal }: OutcomeReport): boolean {
  return unchanged || superseded !== undefined || removal === "keep";
}

export function deployedPlan(each: DeploymentOutcome): Plan | undefined {
  return each.type === "done" && each.outcome.type === "deployed" ? each.outcome.plan : undefined;
}

/**
 * Counts the changes of one outcome. A superseded run changed nothing. The count of a blocked or
 * broken run is unknown.
 */
export function countOutcome(each: DeploymentOutcome): Counts | undefined {
  const plan = deployedPlan(each);
  if (plan !== undefined) return countPlan(plan);
  return each.type === "refused" || each.type === "broken" ? undefined : noneCounted;
}

/**
 * Adds the counts. If one deployment is unknown, a change in another one still proves a change. The
 * numbers and "no change" stay unknown.
 */
function countOutputs(all: readonly (Counts | undefined)[]): Outputs {
  const known = all.filter((each) => each !== undefined);
  const isComplete = known.length === all.length;
  const total = known.reduce(addCounts, noneCounted);
  const number = (of: keyof Counts) => (isComplete ? total[of] : undefined);
  const truth = (holds: boolean) => (holds || isComplete ? holds : undefined);
  return {
    changed: truth(Object.values(total).some((objects) => objects > 0)),
    "to-create": number("create"),
    "to-update": number("update"),
    "to-replace": number("replace"),
    "to-delete": number("delete"),
    "has-deletions": truth(total.delete > 0),
  };
}

/** Returns the application's address from the annotation of an object. */
export function applicationUrl({ changes }: Plan): string | undefined {
  const found = changes.map(({ desired }) =>
    textAt(desired, "metadata", "annotations", urlAnnotation),
  );
  return found.find((url) => url !== undefined && /^https?:\/\/[^\s]+$/.test(url));
}

/** Returns the only address of the deployed applications; undefined if there is none or several. */
export function onlyApplicationUrl(all: readonly DeploymentOutcome[]): string | undefined {
  const urls = all.flatMap((each) => {
    const plan = deployedPlan(each);
    return plan === undefined ? [] : (applicationUrl(plan) ?? []);
  });
  const [only, ...others] = new Set(urls);
  return others.length === 0 ? only : undefined;
}
