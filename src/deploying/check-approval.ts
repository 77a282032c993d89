import type { ApprovedPlans } from "../model/approval.ts";
import type { Plan, PlannedOperation } from "../model/plan.ts";
import { compareWithApproved } from "../plan/approval/compare-with-approved.ts";
import type { CheckResult } from "../planning/checks/check-result.ts";
import type { PlanningContext } from "../planning/planning-context.ts";
import { describeAgreement } from "../report/plans/plan-difference.ts";

/** Returns the approval check for planning; undefined if no approval is needed. */
export function createApprovalCheck(
  approved: ApprovedPlans | undefined,
): PlanningContext["checkPlan"] {
  return approved && ((plan, restores) => checkApproval(plan, approved, restores));
}

/**
 * Compares a plan with the approved one. Returns the error that blocks an unapproved plan, or
 * notices about the differences.
 */
export function checkApproval(
  plan: Plan,
  approved: ApprovedPlans,
  restores: (operation: PlannedOperation) => boolean,
): CheckResult {
  const agreement = compareWithApproved(plan, approved, restores);
  const difference = describeAgreement(agreement, plan, approved);
  const problems = difference === undefined ? [] : [difference];
  const isBlocked = agreement.type === "other" && approved.policy === "require";
  return isBlocked ? { blockers: problems, notices: [] } : { blockers: [], notices: problems };
}
