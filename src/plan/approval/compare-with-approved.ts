import type { Approval, ApprovalComparison, ApprovedPlans } from "../../model/approval.ts";
import type { Plan, PlannedOperation } from "../../model/plan.ts";
import { codeMatchesKey, operationCode } from "../../model/problems/approval-codes.ts";

/**
 * Compares a plan with the approved plans by their operations, in any order.
 * The approvals of several pull requests count together. `restores` reports whether an operation
 * only restores what the current release declares. Deployments, merge queues and the command share
 * this decision.
 */
export function compareWithApproved(
  plan: Pick<Plan, "digest" | "operations">,
  { approvals }: Pick<ApprovedPlans, "approvals">,
  restores: (operation: PlannedOperation) => boolean,
): ApprovalComparison {
  const by = approvals.map((approval) => approval.by);
  const identical = approvals.filter((approval) => hasDigest(approval, plan.digest));
  if (identical.length > 0) return { type: "same", by: identical.map((each) => each.by) };
  const planned = plan.operations;
  if (planned?.length === 0) return { type: "same", by };
  const approved = new Set(approvals.flatMap(({ operations = [] }) => operations));
  const codes = new Set(planned?.map(operationCode));
  const absent = [...approved].filter((code) => !codes.has(code));
  // An object that depends on a Secret's value is in every plan, and usually doesn't change.
  const isUnchangedUnknown = (operation: PlannedOperation) =>
    operation.action === "known after deploy" && restores(operation);
  const unknown = (planned ?? []).filter(
    (operation) => !approved.has(operationCode(operation)) && !isUnchangedUnknown(operation),
  );
  const additional = unknown.filter((operation) => !restores(operation));
  if (planned === undefined || additional.length > 0) {
    const digestsOnly = approvals.filter(({ operations }) => operations === undefined);
    const withApproved = additional.map((operation) => ({
      operation,
      approved: absent.find((code) => codeMatchesKey(code, operation.key)),
    }));
    return { type: "other", by, absent, additional: withApproved, digestsOnly };
  }
  if (unknown.length > 0) return { type: "drift", by, absent, restored: unknown };
  return absent.length === 0 ? { type: "same", by } : { type: "less", by, absent, restored: [] };
}

/**
 * The minimum length of a digest that a user enters.
 * One in 4 billion plans has the same first 8 characters.
 */
const minDigestLength = 8;

function hasDigest({ digest }: Approval, whole: string): boolean {
  return digest.length >= minDigestLength && whole.startsWith(digest);
}
