import { isDeniedByAdmission } from "../../../model/cluster/api/messages/denials.ts";
import { type KubeObject, nameFromKey } from "../../../model/object.ts";
import { isRecreated } from "../../../model/plan/plan.ts";
import type { DryRunResult } from "../../../ssa/steps/step.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import type { PlanInput } from "../../plan-input.ts";
import { changeActor } from "../../upstream-deployments.ts";
import { remainsUnchanged } from "../compare-with-live.ts";
import { isWithheld } from "../decide-by-dry-run.ts";
import { canShowMerged, mergeWithoutDryRun, stepsWithConflicts } from "../dry-run-skipped.ts";
import { ownerConflictVerdict } from "../predicted-rejection.ts";
import { plannedRecord } from "../problems/record-fixes.ts";
import { type ChangeVerdict, unchangedVerdict, unchecked } from "../verdict.ts";
import { checkByCrd } from "./check-by-crd.ts";
import { type PendingCrd, storedObject, versionSchema } from "./pending-crds.ts";

/**
 * Judges an object by a definition that changes first.
 * The API server's answer is based on the present definition.
 */
export function decideByCrd(
  desired: DesiredObject,
  live: KubeObject | undefined,
  crd: PendingCrd,
  dryRun: DryRunResult | undefined,
  input: PlanInput,
): ChangeVerdict {
  const action = crd.isNew ? "created" : "changed";
  const reason = `${nameFromKey(crd.key)} is ${action} ${changeActor(crd.key, input.rules.upstream)}`;
  const isKnown = dryRun?.answer.ok === true || dryRun?.unanswered !== undefined;
  const schema = versionSchema(desired.object, crd);
  const asked = isKnown ? { asked: dryRun.steps } : {};
  const { steps, conflicts } = stepsWithConflicts(desired, live, input, { schema, ...asked });
  if (conflicts !== undefined) return ownerConflictVerdict(desired, live, conflicts, input);
  // A recreated object is judged as a new object.
  const before = isRecreated(steps) ? undefined : live;
  const merged = mergeWithoutDryRun(desired, before, input, {
    steps,
    defaults: "filled in",
    schema,
  });
  const checked = merged ?? desired.object;
  const predicted = canShowMerged(desired, input) ? merged : undefined;
  const record = plannedRecord(input.rules);
  const isSame =
    dryRun?.answer.ok === true && remainsUnchanged(desired, live, dryRun.answer.value, input);
  const isWritten = !isSame && steps.length > 0;
  const { problems, undecided } = checkByCrd(desired, crd, {
    ...{ whole: checked, live: before, record, isWritten, isWithheld: isWithheld(desired, input) },
  });
  const [first] = problems;
  if (first !== undefined) {
    return { steps, certainty: { by: "refused", reason: first.what }, problems };
  }
  return {
    steps: isSame ? [] : steps,
    certainty:
      undecided === undefined
        ? { by: "schema", reason }
        : unchecked(`${reason}, and only the API server can check whether ${undecided}`),
    ...(predicted === undefined ? {} : { predicted: storedObject(predicted, crd) }),
  };
}

/**
 * Judges an unchanged object by a definition that changes first.
 * The API server removes fields from the live object that the definition no longer has, and then
 * rejects the same manifest.
 */
export function decideUnchanged(
  desired: DesiredObject,
  live: KubeObject,
  crd: PendingCrd,
  { rules }: PlanInput,
): ChangeVerdict {
  const record = plannedRecord(rules);
  const { problems } = checkByCrd(desired, crd, {
    ...{ whole: live, live, record, isWritten: false, isWithheld: false },
  });
  const [first] = problems;
  if (first === undefined) return unchangedVerdict;
  return { steps: [], certainty: { by: "refused", reason: first.what }, problems };
}

/**
 * Reports whether a rejection is about field owners, policies or permissions, which don't depend on
 * the definition.
 */
export function isIndependentOfCrd(dryRun: DryRunResult | undefined): boolean {
  if (dryRun === undefined || dryRun.answer.ok) return false;
  const { failure } = dryRun.answer;
  const isConflict = failure.causes.some(({ reason }) => reason === "FieldManagerConflict");
  const isSchemaRejection = ["invalid", "not-found", "unknown-kind"].includes(failure.reason);
  return isConflict || isDeniedByAdmission(failure) || !isSchemaRejection;
}
