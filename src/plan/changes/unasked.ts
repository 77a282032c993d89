import { holdsSecrets } from "../../model/apply-time-reference.ts";
import type { JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { type FieldConflict, fieldManager, type Step } from "../../model/plan.ts";
import { expectedConflicts } from "../../ssa/expected-conflicts.ts";
import { mergeLocally } from "../../ssa/merge-locally.ts";
import { stepOver } from "../../ssa/steps/force.ts";
import type { Target } from "../../ssa/steps/step.ts";
import { assumedSteps, patchedBySteps } from "../../ssa/steps/steps.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";
import type { Verdict } from "./verdict.ts";

export const onlyApply: readonly Step[] = [{ type: "apply" }];

/** A Secret always has a type: where none is declared, the server puts it back. */
function withItsType(object: KubeObject): KubeObject {
  return object.kind === "Secret" ? { type: "Opaque", ...object } : object;
}

/** What is done about a live object of which no dry-run can tell it. */
export function stepsUnasked(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
): readonly Step[] {
  if (live === undefined || input.desired.foreign.get(desired.key)?.isNamesake) return onlyApply;
  const object = withItsType(desired.object);
  return assumedSteps({ ...targetOf(desired, live, input), object });
}

function targetOf(
  { stage, object }: DesiredObject,
  live: KubeObject,
  { rules }: PlanInput,
): Target {
  const { deployment, policy } = rules;
  return { deployment, stage, object, live, takeover: policy.conflicts.takeover };
}

/**
 * What is done about a live object, and whose fields it is in conflict with, where no dry-run tells it: the object is known only later, or its
 * definition changes. By the definition that it has now the server does not say who owns what where it refuses the manifest, and says
 * otherwise where lists or maps will be replaced as a whole that it merges now. `schema` is that of the coming one, `asked` are the steps
 * that it has taken.
 */
export function stepsByOwners(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
  { schema, asked }: { readonly schema: JsonObject | undefined; readonly asked?: readonly Step[] },
): { readonly steps: readonly Step[]; readonly conflicts: readonly FieldConflict[] | undefined } {
  const steps = asked ?? stepsUnasked(desired, live, input);
  if (live === undefined || isRecreated(steps)) return { steps, conflicts: undefined };
  const { deployment, policy } = input.rules;
  const before = patchedBySteps(steps, targetOf(desired, live, input));
  const manager = fieldManager(deployment, desired.stage);
  const forced = steps.flatMap((step) => (step.type === "force" ? step.conflicts : []));
  const more = (counts: "certain" | "possible") =>
    expectedConflicts(before, desired.object, manager, { schema, counts }).filter(
      (conflict) => !forced.some((each) => isSame(each, conflict)),
    );
  const possible = more("possible");
  if (possible.length === 0) return { steps, conflicts: undefined };
  const certain = more("certain");
  const over = (found: readonly FieldConflict[]) =>
    stepOver([...forced, ...found], { conflicts: policy.conflicts, live });
  const last = over(possible) ?? over(certain);
  if (last === undefined) return { steps, conflicts: certain };
  const leaves = steps.flatMap((step) => (step.type === "force" ? (step.leaves ?? []) : []));
  const whole = last.type === "force" && leaves.length > 0 ? { ...last, leaves } : last;
  return { steps: [...steps.slice(0, -1), whole], conflicts: undefined };
}

/** The same of what waits for a value. Where a text of it came from a Secret, whether another one is declared is not told. */
export function stepsAwaiting(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
): ReturnType<typeof stepsByOwners> {
  const { key, ignoredSecretFields, previousSecretValues } = desired;
  const isHidden = ignoredSecretFields.length + previousSecretValues.length > 0;
  return isHidden || input.desired.foreign.get(key)?.isNamesake
    ? { steps: stepsUnasked(desired, live, input), conflicts: undefined }
    : stepsByOwners(desired, live, input, { schema: undefined });
}

function isSame(a: FieldConflict, b: FieldConflict): boolean {
  return a.field === b.field && a.manager === b.manager && a.subresource === b.subresource;
}

export function isRecreated(steps: readonly Step[]): boolean {
  return steps.some(({ type }) => type === "recreate");
}

/** What the server would make of the live object; of somebody else's, or where a Secret's value may be, nothing is told that is not declared. */
export function guess(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
  guessing: Guessing,
): Pick<Verdict, "predicted"> {
  const merged = mayShowMerged(desired, input)
    ? mergedUnasked(desired, live, input, guessing)
    : undefined;
  return merged === undefined ? {} : { predicted: merged };
}

export function mayShowMerged({ key }: DesiredObject, { desired }: PlanInput): boolean {
  return !desired.foreign.has(key);
}

/** The same for what has to be judged, and not shown: whoever else holds a part of an object, all of it has to be valid. */
export function mergedUnasked(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
  { steps, defaults, schema }: Guessing,
): KubeObject | undefined {
  const { late, ignoredSecretFields, previousSecretValues } = desired;
  const holds = holdsSecrets(late) || ignoredSecretFields.length + previousSecretValues.length > 0;
  if (live === undefined || holds) return undefined;
  const manager = fieldManager(input.rules.deployment, desired.stage);
  const before = patchedBySteps(steps, targetOf(desired, live, input));
  return mergeLocally(before, desired.object, manager, { defaults, schema });
}

interface Guessing {
  readonly steps: readonly Step[];
  readonly defaults?: "kept" | "filled in";
  /** That of the coming definition. */
  readonly schema?: JsonObject | undefined;
}
