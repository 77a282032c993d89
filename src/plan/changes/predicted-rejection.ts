import type { ApiFailure } from "../../model/cluster/api/api-failure.ts";
import type { ServerVersion } from "../../model/cluster/api/server-version.ts";
import { at, sameJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { referencesSecret } from "../../model/plan/apply-time-reference.ts";
import { type FieldConflict, isRecreated } from "../../model/plan/plan.ts";
import {
  type NamespacePolicyChange,
  predictedRejection,
} from "../../validation/admission/changed-namespace-policies.ts";
import type { DesiredObject } from "../declared/objects.ts";
import { pendingValue } from "../dry-runs.ts";
import type { PlanInput } from "../plan-input.ts";
import { rejectedObject } from "./decide-by-dry-run.ts";
import { onlyApply } from "./dry-run-skipped.ts";
import type { PolicyChanges } from "./inconclusive-rejection.ts";
import { admissionSubject, expansionRejection } from "./namespace-policy-changes.ts";
import { conflictFailure } from "./problems/conflict-problem.ts";
import { dryRunProblems, showableFailure } from "./problems/dry-run-problems.ts";
import type { ChangeVerdict } from "./verdict.ts";

/**
 * Reports whether qvs knows the whole object.
 * False if one of its values comes from a Secret or is known after deploy, or if a preview must not
 * ask about the object.
 */
export function isFullyKnown(desired: DesiredObject, { purpose }: PlanInput["rules"]): boolean {
  const { applyTimeReferences, dryRunSkipped, ignoredSecretFields, previousSecretValues } = desired;
  return (
    pendingValue(desired, purpose) === undefined &&
    !referencesSecret(applyTimeReferences) &&
    ignoredSecretFields.length + previousSecretValues.length === 0 &&
    (purpose !== "preview" || dryRunSkipped === undefined)
  );
}

/** The changed namespace objects, and the version of the API server that judges by them. */
interface PolicyJudge {
  readonly changed: () => readonly NamespacePolicyChange[];
  readonly server: ServerVersion | undefined;
}

/**
 * Returns the API server's message if the changed namespace objects make it reject the object.
 * A new object is judged by all of them. An existing PersistentVolumeClaim is judged by
 * LimitRanges, and a Pod with a changed spec by its Namespace.
 */
function rejectionByPolicies(
  desired: DesiredObject,
  live: KubeObject | undefined,
  { steps, predicted }: ChangeVerdict,
  { changed, server }: PolicyJudge,
): string | undefined {
  const subject = admissionSubject(desired.object, predicted, server);
  if (subject === undefined || steps.length === 0) return undefined;
  const policies = changed();
  const isNew = live === undefined || isRecreated(steps);
  if (isNew || subject.kind !== "Pod") return predictedRejection(policies, subject);
  if (predicted === undefined || sameJson(at(predicted, "spec"), at(live, "spec")))
    return undefined;
  return predictedRejection(
    policies.filter(({ after }) => after.kind === "Namespace"),
    subject,
  );
}

/** Returns the verdict on a predicted rejection, in the API server's words. */
export function predictRejection(
  desired: DesiredObject,
  live: KubeObject | undefined,
  verdict: ChangeVerdict,
  { changedPolicies, changedClasses }: PolicyChanges,
  server: ServerVersion | undefined,
): ChangeVerdict | undefined {
  const cause =
    rejectionByPolicies(desired, live, verdict, { changed: changedPolicies, server }) ??
    expansionRejection(desired.object, live, verdict, changedClasses);
  if (cause === undefined) return undefined;
  const { kind, name } = desired.id;
  const message = `${kind.toLowerCase()}s "${name}" is forbidden: ${cause}`;
  const failure: ApiFailure = { reason: "forbidden", status: 403, message, causes: [] };
  const problems = dryRunProblems(desired, undefined, failure);
  const { message: reason } = showableFailure(failure, desired);
  return { steps: verdict.steps, certainty: { by: "refused", reason }, problems };
}

/** Returns the verdict that follows if the API server reports these ownership conflicts. */
export function ownerConflictVerdict(
  desired: DesiredObject,
  live: KubeObject | undefined,
  conflicts: readonly FieldConflict[],
  input: PlanInput,
): ChangeVerdict {
  const problems = dryRunProblems(
    desired,
    live,
    conflictFailure(conflicts),
    rejectedObject(desired, input),
  );
  const reason = problems[0]?.what ?? "";
  return { steps: onlyApply, certainty: { by: "refused", reason }, problems };
}
