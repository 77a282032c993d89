import { type ApiFailure, isMissingPermission } from "../../model/cluster/api/api-failure.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import { isCoreKind } from "../../model/kinds.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import { distinct, type Problem } from "../../model/problems/problem.ts";

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

/*
 * A field that doesn't exist causes two problems. Compiling the adapter reports it with its line
 * and the intended name. The API server rejects the object. qvs shows only one problem: with the
 * API server's message, and with the place and the fix from compiling.
 */

/** Adds the place and the fix from compiling to each blocker about the same fields. */
export function withCompileFixes(
  blockers: readonly Problem[],
  warnings: readonly Problem[],
): readonly Problem[] {
  return blockers.map((blocker) => {
    const same = warnings.filter((warning) => concernsSameFields(warning, blocker));
    if (same.length === 0) return blocker;
    const where = distinct(same.flatMap((each) => each.where));
    const fix = [...new Set(same.map((each) => each.fix))].join("; ");
    const otherwise = [...new Set(same.flatMap((each) => each.otherwise ?? []))];
    return { ...blocker, where: where.length === 0 ? blocker.where : where, fix, otherwise };
  });
}

/** Lists the warnings that no blocker covers. */
export function unreportedWarnings(
  blockers: readonly Problem[],
  warnings: readonly Problem[],
): readonly Problem[] {
  return warnings.filter((warning) => !blockers.some((each) => concernsSameFields(warning, each)));
}

/**
 * Reports whether a warning and a blocker are about the same fields.
 * An ownership conflict doesn't count: it shows nothing about the value of the field.
 */
function concernsSameFields(warning: Problem, blocker: Problem): boolean {
  if (blocker.code === "field-conflict") return false;
  const { about: fields = [] } = warning;
  const { about: reported = [] } = blocker;
  const isReported = (resource: string, field: string) =>
    reported.some((each) => each.resource === resource && each.fields.includes(field));
  return (
    fields.length > 0 &&
    fields.every((each) => each.fields.every((field) => isReported(each.resource, field)))
  );
}
