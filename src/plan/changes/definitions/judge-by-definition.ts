import { isDeniedByAdmission } from "../../../model/cluster/api-messages/admission.ts";
import { type KubeObject, nameFromKey } from "../../../model/object.ts";
import type { DryRunResult } from "../../../ssa/steps/step.ts";
import type { DesiredObject } from "../../declared/objects.ts";
import { byWhom } from "../../earlier.ts";
import type { PlanInput } from "../../plan-input.ts";
import { isWithheld } from "../judge-dry-run.ts";
import { staysSame } from "../no-change.ts";
import { recordOf } from "../problems/record-cures.ts";
import { refusedByOwners } from "../refused-by-owners.ts";
import { isRecreated, mayShowMerged, mergedUnasked, stepsByOwners } from "../unasked.ts";
import { unchanged, unchecked, type Verdict } from "../verdict.ts";
import { checkByDefinition } from "./check-by-definition.ts";
import { type ComingDefinition, schemaOf, storedBy } from "./coming-definitions.ts";

/**
 * Judges an object by a definition that changes first.
 * The API server's answer is based on the present definition.
 */
export function judgeByDefinition(
  desired: DesiredObject,
  live: KubeObject | undefined,
  definition: ComingDefinition,
  shown: DryRunResult | undefined,
  input: PlanInput,
): Verdict {
  const does = definition.isNew ? "created" : "changed";
  const reason = `${nameFromKey(definition.key)} is ${does} ${byWhom(definition.key, input.rules.earlier)}`;
  const isKnown = shown?.answer.ok === true || shown?.unanswered !== undefined;
  const schema = schemaOf(desired.object, definition);
  const asked = isKnown ? { asked: shown.steps } : {};
  const { steps, conflicts } = stepsByOwners(desired, live, input, { schema, ...asked });
  if (conflicts !== undefined) return refusedByOwners(desired, live, conflicts, input);
  // A recreated object is judged as a new object.
  const before = isRecreated(steps) ? undefined : live;
  const merged = mergedUnasked(desired, before, input, { steps, defaults: "filled in", schema });
  const whole = merged ?? desired.object;
  const predicted = mayShowMerged(desired, input) ? merged : undefined;
  const record = recordOf(input.rules);
  const isSame = shown?.answer.ok === true && staysSame(desired, live, shown.answer.value, input);
  const isWritten = !isSame && steps.length > 0;
  const { problems, undecided } = checkByDefinition(desired, definition, {
    ...{ whole, live: before, record, isWritten, isWithheld: isWithheld(desired, input) },
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
    ...(predicted === undefined ? {} : { predicted: storedBy(predicted, definition) }),
  };
}

/**
 * Judges an unchanged object by a definition that changes first.
 * The API server removes fields from the live object that the definition no longer has, and then
 * rejects the same manifest.
 */
export function judgeUnchanged(
  desired: DesiredObject,
  live: KubeObject,
  definition: ComingDefinition,
  { rules }: PlanInput,
): Verdict {
  const record = recordOf(rules);
  const { problems } = checkByDefinition(desired, definition, {
    ...{ whole: live, live, record, isWritten: false, isWithheld: false },
  });
  const [first] = problems;
  if (first === undefined) return unchanged;
  return { steps: [], certainty: { by: "refused", reason: first.what }, problems };
}

/**
 * Reports whether a rejection is about field owners, policies or permissions, which don't depend on
 * the definition.
 */
export function isAboutOthers(shown: DryRunResult | undefined): boolean {
  if (shown === undefined || shown.answer.ok) return false;
  const { failure } = shown.answer;
  const isConflict = failure.causes.some(({ reason }) => reason === "FieldManagerConflict");
  const isOfSchema = ["invalid", "not-found", "unknown-kind"].includes(failure.reason);
  return isConflict || isDeniedByAdmission(failure) || !isOfSchema;
}
