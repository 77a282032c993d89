import type { JsonObject } from "../../model/json.ts";
import { isCoreObject } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/object.ts";
import { referencesSecret } from "../../model/plan/apply-time-reference.ts";
import { type FieldConflict, fieldManager, isRecreated, type Step } from "../../model/plan/plan.ts";
import { mergeLocally } from "../../ssa/merge-locally.ts";
import { predictConflicts } from "../../ssa/predict-conflicts.ts";
import { stepForConflicts } from "../../ssa/steps/force.ts";
import type { StepTarget } from "../../ssa/steps/step.ts";
import { applyStepPatches, assumedSteps } from "../../ssa/steps/steps.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";
import type { ChangeVerdict } from "./verdict.ts";

export const onlyApply: readonly Step[] = [{ type: "apply" }];

/** Adds the default type of a Secret, because the API server restores it. */
function withDefaultType(object: KubeObject): KubeObject {
  return isCoreObject(object, "Secret") ? { type: "Opaque", ...object } : object;
}

/** Returns the steps for a live object that no dry run can show. */
export function stepsWithoutDryRun(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
): readonly Step[] {
  if (live === undefined || input.desired.foreign.get(desired.key)?.nameCollides) return onlyApply;
  const object = withDefaultType(desired.object);
  return assumedSteps({ ...toStepTarget(desired, live, input), object });
}

function toStepTarget(
  { stage, object }: DesiredObject,
  live: KubeObject,
  { rules }: PlanInput,
): StepTarget {
  const { deployment, policy } = rules;
  return { deployment, stage, object, live, takeover: policy.conflicts.takeover };
}

/**
 * Returns the steps and the ownership conflicts for a live object that no dry run can show.
 * The object is known only later, or its definition changes. By the present definition, the API
 * server reports no owners if it rejects the manifest. Its answer also differs for lists or maps
 * that it merges now and will replace as a whole.
 * `schema` is the schema of the definition that changes first. `asked` contains the steps that the
 * dry run took.
 */
export function stepsWithConflicts(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
  { schema, asked }: { readonly schema: JsonObject | undefined; readonly asked?: readonly Step[] },
): { readonly steps: readonly Step[]; readonly conflicts: readonly FieldConflict[] | undefined } {
  const steps = asked ?? stepsWithoutDryRun(desired, live, input);
  if (live === undefined || isRecreated(steps)) return { steps, conflicts: undefined };
  const { deployment, policy } = input.rules;
  const before = applyStepPatches(steps, toStepTarget(desired, live, input));
  const manager = fieldManager(deployment, desired.stage);
  const forced = steps.flatMap((step) => (step.type === "force" ? step.conflicts : []));
  const findConflicts = (certainty: "certain" | "possible") =>
    predictConflicts(before, desired.object, manager, { schema, certainty }).filter(
      (conflict) => !forced.some((each) => isSameConflict(each, conflict)),
    );
  const possible = findConflicts("possible");
  if (possible.length === 0) return { steps, conflicts: undefined };
  const certain = findConflicts("certain");
  const allowedStep = (found: readonly FieldConflict[]) =>
    stepForConflicts([...forced, ...found], { conflicts: policy.conflicts, live });
  const last = allowedStep(possible) ?? allowedStep(certain);
  if (last === undefined) return { steps, conflicts: certain };
  const leaves = steps.flatMap((step) => (step.type === "force" ? (step.leaves ?? []) : []));
  const whole = last.type === "force" && leaves.length > 0 ? { ...last, leaves } : last;
  return { steps: [...steps.slice(0, -1), whole], conflicts: undefined };
}

/**
 * Returns the same for an object that waits for a value.
 * If a string of the live object came from a Secret, the result doesn't reveal whether another one
 * is declared.
 */
export function pendingValueSteps(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
): ReturnType<typeof stepsWithConflicts> {
  const { key, ignoredSecretFields, previousSecretValues } = desired;
  const isHidden = ignoredSecretFields.length + previousSecretValues.length > 0;
  return isHidden || input.desired.foreign.get(key)?.nameCollides
    ? { steps: stepsWithoutDryRun(desired, live, input), conflicts: undefined }
    : stepsWithConflicts(desired, live, input, { schema: undefined });
}

function isSameConflict(a: FieldConflict, b: FieldConflict): boolean {
  return a.field === b.field && a.manager === b.manager && a.subresource === b.subresource;
}

/**
 * Predicts the API server's result for a live object.
 * Predicts nothing for objects outside this deployment or with a Secret's value: the result would
 * show undeclared values.
 */
export function predictResult(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
  guessing: MergeInput,
): Pick<ChangeVerdict, "predicted"> {
  const merged = canShowMerged(desired, input)
    ? mergeWithoutDryRun(desired, live, input, guessing)
    : undefined;
  return merged === undefined ? {} : { predicted: merged };
}

export function canShowMerged({ key }: DesiredObject, { desired }: PlanInput): boolean {
  return !desired.foreign.has(key);
}

/**
 * Returns the same prediction for checks instead of display.
 * The whole object must be valid, including the fields of other managers.
 */
export function mergeWithoutDryRun(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
  { steps, defaults, schema }: MergeInput,
): KubeObject | undefined {
  const { applyTimeReferences, ignoredSecretFields, previousSecretValues } = desired;
  const hasSecrets =
    referencesSecret(applyTimeReferences) ||
    ignoredSecretFields.length + previousSecretValues.length > 0;
  if (live === undefined || hasSecrets) return undefined;
  const manager = fieldManager(input.rules.deployment, desired.stage);
  const before = applyStepPatches(steps, toStepTarget(desired, live, input));
  return mergeLocally(before, desired.object, manager, { defaults, schema });
}

interface MergeInput {
  readonly steps: readonly Step[];
  readonly defaults?: "kept" | "filled in";
  /** The schema of the definition that changes first. */
  readonly schema?: JsonObject | undefined;
}
