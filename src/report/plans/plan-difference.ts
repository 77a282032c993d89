import { containedNames } from "../../model/cluster/namespaces-and-crds.ts";
import { nameOf } from "../../model/object.ts";
import {
  type ApprovalComparison,
  type ApprovedPlans,
  codeAction,
  codeMatchesKey,
  type ShownOperation,
} from "../../model/plan/approval.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import { hooksOf, type Plan, type PlannedOperation } from "../../model/plan/plan.ts";
import type { Fact, Fixes, Problem } from "../../model/problems/problem.ts";
import { exactLine } from "../../redaction/terminal.ts";
import { visible } from "../../redaction/visible.ts";
import { diffChange } from "../diff/live-diff.ts";
import { diffTextLines } from "../diff/text-diff.ts";
import { plural } from "../text/counts.ts";
import { answerFacts } from "./answer-difference.ts";
import { alsoDeleted } from "./parse-expected-plan.ts";

/** Describes how a plan compares with the approved plans. Undefined if there is nothing to show. */
export function describeAgreement(
  agreement: ApprovalComparison,
  plan: Plan,
  approved: ApprovedPlans,
): Problem | undefined {
  switch (agreement.type) {
    case "same":
      return sameNotice(agreement.by);
    case "less":
    case "drift":
      return partialNotice(agreement, plan);
    case "other":
      return planProblem(agreement, plan, approved);
  }
}

function sameNotice(by: readonly string[]): Problem | undefined {
  const name = approvedName(by);
  if (name === unnamed) return undefined;
  return {
    code: "plan-approved",
    what: `The plan matches ${name}`,
    fix: "Nothing to do: every operation of the plan is approved",
    where: [],
  };
}

function partialNotice(
  { by, restored, absent }: Exclude<ApprovalComparison, { type: "same" | "other" }>,
  plan: Plan,
): Problem {
  const name = approvedName(by);
  const isLess = restored.length === 0;
  const isOnly = absent.length === 1;
  const left = `${plural(absent.length, "approved operation")} ${isOnly ? "is" : "are"} already done or no longer needed`;
  const changed =
    "Other users or tools changed these objects, and the plan restores what the current release declares";
  return {
    code: "plan-approved-in-part",
    what: isLess
      ? `The plan does less than ${name}`
      : `The plan corrects drift in addition to ${name}`,
    why: [...(isLess ? [] : [changed]), ...(absent.length === 0 ? [] : [left])].join(". "),
    ...(isLess
      ? {}
      : {
          facts: facts(
            restored.map((each) => ({ label: "restores", value: operationTitle(each, plan) })),
          ),
        }),
    fix: "Nothing to do if other users or tools were expected to change or deploy these objects",
    where: [],
  };
}

const unnamed = "the approved plan";

/** Returns text such as `the plan approved in #12`. */
function approvedName(by: readonly string[]): string {
  const places = by.filter((each) => each !== "");
  return places.length === 0 ? unnamed : `the plan approved in ${places.join(" and ")}`;
}

function planProblem(
  agreement: ApprovalComparison & { type: "other" },
  plan: Plan,
  approved: ApprovedPlans,
): Problem {
  const { approvals, missing, shown, answers } = approved;
  const found = [
    ...answerFacts(answers, plan.capabilities),
    ...(shown === undefined ? differencesByCodes(agreement, plan) : differences(shown, plan)),
  ];
  const isUnseen = shown !== undefined && found.length === 0;
  const differing = isUnseen ? [{ label: "difference", value: unseen }] : found;
  const [only, ...others] = approvals;
  if (only?.by === "" && others.length === 0) {
    return unexpectedPlan(only, shown !== undefined, plan, differing);
  }
  const reasons = missing.map((each): Fact => ({ label: "reason", value: visible(each) }));
  if (approvals.length === 0) {
    return {
      code: "plan-not-approved",
      what: "No one approved this plan",
      facts: facts([...reasons, ...plannedFacts(plan)]),
      ...actionFixes(plan),
      where: [],
    };
  }
  return {
    code: "plan-changed",
    what: `The plan differs from ${approvedName(agreement.by)}`,
    facts: [{ label: "plan", value: shortDigest(plan) }, ...facts([...differing, ...reasons])],
    ...actionFixes(plan),
    where: [],
  };
}

/** Returns the error for a plan that isn't the one in `--expect-digest` or `--expect-plan`. */
function unexpectedPlan(
  { digest, operations }: ApprovedPlans["approvals"][number],
  isShown: boolean,
  plan: Plan,
  differing: readonly Fact[],
): Problem {
  const isKnown = isShown || operations !== undefined;
  return {
    code: "plan-changed",
    what: "The plan differs from the expected plan",
    why: "The cluster or the configuration has changed",
    facts: [
      { label: "expected", value: digest.slice(0, 12) },
      { label: "found", value: shortDigest(plan) },
      ...facts(
        isKnown ? differing : [...answerFacts(undefined, plan.capabilities), ...plannedFacts(plan)],
      ),
    ],
    fix: "Review the new plan with --dry-run, then pass its digest with --expect-digest",
    ...(isKnown
      ? {}
      : {
          otherwise: ["pass the approved plan as JSON with --expect-plan to see the differences"],
        }),
    where: [],
  };
}

function shortDigest({ digest }: Plan): string {
  return digest.slice(0, 12);
}

function actionFixes(plan: Plan): Fixes {
  const digest = shortDigest(plan);
  return {
    fix: "Open a pull request whose preview shows this plan",
    otherwise: [
      `if this plan is intended, start the workflow manually with the input expect-digest: ${digest}`,
      `run qvs deploy with --expect-digest=${digest}`,
    ],
  };
}

function plannedFacts(plan: Plan): readonly Fact[] {
  const now = shownOperations(plan).map(title);
  return (now.length === 0 ? ["no change"] : now).map((value) => ({ label: "planned", value }));
}

/**
 * Returns the differences by codes. The current plan is known. For the same object in the approved
 * plan, only the action is known.
 */
function differencesByCodes(
  { additional, absent, digestsOnly }: ApprovalComparison & { type: "other" },
  plan: Plan,
): readonly Fact[] {
  const changes = new Map(plan.changes.map((change) => [change.key, change]));
  const isShown = (code: string) =>
    additional.some(({ operation }) => codeMatchesKey(code, operation.key));
  const others = absent.filter((code) => !isShown(code)).length;
  return [
    ...additional.flatMap(({ operation, approved }): readonly Fact[] => {
      const known = operationTitle(operation, plan);
      if (approved === undefined) return [notApproved(known)];
      const before = codeAction(approved);
      if (before !== operation.action) return [notApproved(`${known} (approved: ${before})`)];
      const taken = deletionLines(plan.deletions.find(({ key }) => key === operation.key));
      if (operation.action === "delete" && taken.length === 0) {
        return [notApproved(`${known} (approved: another object with this name)`)];
      }
      const change = changes.get(operation.key);
      const diff = change === undefined ? [] : diffTextLines(diffChange(change, plan.hides));
      const changed = diff.filter((line) => /^[+-]/.test(line)).concat(taken);
      return [{ label: "changed", value: known }, ...changed.map(nowFact)];
    }),
    ...(others === 0 ? [] : [notPlanned(plural(others, "approved operation"))]),
    ...digestsOnly.map(
      ({ by, digest }): Fact => ({
        label: "digest",
        value: `${by === "" ? "the file" : by} has only the digest ${digest.slice(0, 12)}, which approves only an identical plan`,
      }),
    ),
  ];
}

function notApproved(value: string): Fact {
  return { label: "not approved", value };
}

function notPlanned(value: string): Fact {
  return { label: "not planned", value };
}

function nowFact(line: string): Fact {
  return { label: "now", value: visible(line) };
}

function operationTitle({ key, action }: PlannedOperation, { changes, deletions }: Plan): string {
  const id = [...changes, ...deletions].find((each) => each.key === key)?.id;
  return title({ action, name: id === undefined ? key : nameOf(id) });
}

function shownOperations(plan: Plan): readonly ShownOperation[] {
  const changes = plan.changes.filter(({ action }) => action !== "unchanged");
  return [
    ...changes.map((change) => ({
      action: change.action,
      name: nameOf(change.id),
      diff: diffTextLines(diffChange(change, plan.hides)),
    })),
    ...plan.deletions.map((deletion) => ({
      ...{ action: "delete", name: nameOf(deletion.id), diff: deletionLines(deletion) },
    })),
    ...hooksOf(plan).map(({ id }) => ({ action: "delete", name: nameOf(id), diff: [] })),
  ];
}

function deletionLines(deletion: Deletion | undefined): readonly string[] {
  return containedNames(deletion?.contents).map(alsoDeleted);
}

/** Returns the operations that are only in the plan, only in the approved plan, or different. */
function differences(approved: readonly ShownOperation[], plan: Plan): readonly Fact[] {
  const now = shownOperations(plan);
  const [before, after] = [byTitle(approved), byTitle(now)];
  return [
    ...now.filter((one) => !before.has(title(one))).map((one) => notApproved(title(one))),
    ...approved.filter((one) => !after.has(title(one))).map((one) => notPlanned(title(one))),
    ...now.flatMap((one) => changedContent(before.get(title(one)), one)),
  ];
}

const unseen =
  "the same changes of objects with these names, but in another order, with hidden values, or of other objects";

function byTitle(operations: readonly ShownOperation[]): ReadonlyMap<string, ShownOperation> {
  return new Map(operations.map((one) => [title(one), one]));
}

function changedContent(before: ShownOperation | undefined, now: ShownOperation): readonly Fact[] {
  if (before === undefined || before.diff.join("\n") === now.diff.join("\n")) return [];
  const [old, fresh] = [new Set(before.diff), new Set(now.diff)];
  return [
    { label: "changed", value: title(now) },
    ...before.diff
      .filter((line) => !fresh.has(line))
      .map((line) => ({ label: "approved", value: visible(line) })),
    ...now.diff.filter((line) => !old.has(line)).map(nowFact),
  ];
}

function title({ action, name }: Pick<ShownOperation, "action" | "name">): string {
  return exactLine(`${action} ${name}`);
}

const mostFacts = 60;

/** Limits the number of facts. The last one counts the omitted ones. */
function facts(all: readonly Fact[]): readonly Fact[] {
  const more = all.length - mostFacts;
  if (more <= 0) return all;
  return [...all.slice(0, mostFacts), { label: "omitted", value: plural(more, "more line") }];
}
