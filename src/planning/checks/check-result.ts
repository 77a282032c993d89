import { type ApiFailure, isMissingPermission } from "../../model/cluster/api-failure.ts";
import type { Deployment } from "../../model/deployment.ts";
import { isCoreKind } from "../../model/kinds.ts";
import type { Change, Plan } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";

/** Problems that block the plan, and notices for its readers. */
export interface CheckResult {
  readonly blockers: readonly Problem[];
  readonly notices: readonly Problem[];
}

/** Combines the results of several checks in their order. */
export function combineChecks(checks: readonly CheckResult[]): CheckResult {
  return {
    blockers: checks.flatMap(({ blockers }) => blockers),
    notices: checks.flatMap(({ notices }) => notices),
  };
}

/**
 * Returns a blocker, or a notice if only the permissions of a preview's identity are missing.
 * The identity that deploys might have them.
 */
export function blockOrNotice(
  { purpose }: { readonly purpose: "preview" | "deploy" },
  failure: ApiFailure,
  problem: Problem,
): CheckResult {
  if (purpose === "deploy" || !isMissingPermission(failure))
    return { blockers: [problem], notices: [] };
  const why = joinSentences(
    problem.why,
    "A deployment with the permissions of this preview is blocked",
  );
  return { blockers: [], notices: [{ ...problem, why }] };
}

/** Joins the known reasons to sentences without a final period. */
export function joinSentences(...texts: readonly (string | undefined)[]): string | undefined {
  const known = texts.filter((text) => text !== undefined && text !== "");
  return known.length === 0 ? undefined : known.join(". ");
}

/**
 * Returns the change by which the deployment itself creates the namespace of its releases.
 * qvs makes this change first, because the lock needs the namespace.
 */
export function releaseNamespaceChange(
  { changes }: Pick<Plan, "changes">,
  { namespace }: Pick<Deployment, "namespace">,
): Change | undefined {
  return changes.find(
    ({ id, action }) => isCoreKind(id, "Namespace") && id.name === namespace && action === "create",
  );
}
