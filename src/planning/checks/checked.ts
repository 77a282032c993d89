import { type ApiFailure, isMissingRight } from "../../model/cluster/api-failure.ts";
import type { Deployment } from "../../model/deployment.ts";
import type { Change, Plan } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";

/** What blocks the plan, and what whoever looks at it should know. */
export interface Checked {
  readonly blockers: readonly Problem[];
  readonly notices: readonly Problem[];
}

/** What several checks have found, in their order. */
export function together(checks: readonly Checked[]): Checked {
  return {
    blockers: checks.flatMap(({ blockers }) => blockers),
    notices: checks.flatMap(({ notices }) => notices),
  };
}

/** What a preview's identity may not do, the one that deploys may be allowed to. */
export function judged(
  { purpose }: { readonly purpose: "preview" | "deploy" },
  failure: ApiFailure,
  problem: Problem,
): Checked {
  if (purpose === "deploy" || !isMissingRight(failure)) return { blockers: [problem], notices: [] };
  const what = `With the rights of this preview the deployment would be refused: ${problem.what}`;
  return { blockers: [], notices: [{ ...problem, what }] };
}

/** The namespace of the releases, where the deployment itself makes it: before anything else, since its lock needs it. */
export function releaseNamespaceChange(
  { changes }: Pick<Plan, "changes">,
  { namespace }: Pick<Deployment, "namespace">,
): Change | undefined {
  return changes.find(
    ({ id, action }) =>
      id.group === "" && id.kind === "Namespace" && id.name === namespace && action === "create",
  );
}
