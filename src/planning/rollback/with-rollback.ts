import { addressOf } from "../../model/object.ts";
import type { RollbackPreview } from "../../model/plan/predictions.ts";
import { type Finding, isOpen } from "../../model/problems/finding.ts";
import type { Position, Problem } from "../../model/problems/problem.ts";
import type { Manifest } from "../../model/sources/compilation.ts";
import { rollbackFindings } from "../../preflight/compute-findings.ts";
import { emptyRecord } from "../../releases/encode.ts";
import type { DesiredState } from "../desired-state.ts";
import { blockedPlan, type ExecutablePlan, type PlannedDeployment } from "../planned-deployment.ts";
import type { PlanningContext } from "../planning-context.ts";

/**
 * Adds the rollback of a plan with its findings. If deployments.yaml requires a reversible
 * deployment, these findings block it.
 */
export function withRollback(
  planned: ExecutablePlan,
  rollback: RollbackPreview,
  { deployment }: Pick<PlanningContext, "deployment">,
  { manifests }: Pick<DesiredState, "manifests">,
): PlannedDeployment {
  const { plan } = planned;
  const record = addressOf(emptyRecord(deployment, rollback.to));
  const found = rollbackFindings(
    {
      ...{ rollback, record, deployment: deployment.name },
      placeOf: placesIn(manifests, planned),
    },
    { plan },
  );
  const findings = [...planned.findings, ...found];
  const blockers = deployment.require === "reversible" ? requirementProblems(rollback, found) : [];
  if (blockers.length === 0) return { ...planned, findings, rollback };
  return { ...blockedPlan(plan, planned.recorded, blockers), findings, rollback };
}

function placesIn(
  manifests: readonly Manifest[],
  { plan }: ExecutablePlan,
): (key: string) => Position | undefined {
  const places = new Map(manifests.map(({ stage, id, where }) => [`${stage}/${id}`, where]));
  const resources = new Map(
    plan.changes.map(({ key, stage, resource }) => [key, `${stage}/${resource}`]),
  );
  return (key) => places.get(resources.get(key) ?? "");
}

/** Returns the errors for `require: reversible`. An unknown answer is an error, too. */
function requirementProblems(
  { possible, reasons, to }: RollbackPreview,
  findings: readonly Finding[],
): readonly Problem[] {
  const open = findings.filter(isOpen).map(requirementProblem);
  if (possible !== undefined) return open;
  const what = `qvs can't predict a rollback to release ${to}`;
  const why = reasons.map((reason) => reason.what).join(". ");
  return [...open, { code: "not-reversible", what, why, fix: withoutRequirement, where: [] }];
}

function requirementProblem({ what, why, fix, where }: Finding): Problem {
  return { code: "not-reversible", what, why, fix, otherwise: [withoutRequirement], where };
}

const withoutRequirement =
  "remove require: reversible from the entry in deployments.yaml for this deployment";
