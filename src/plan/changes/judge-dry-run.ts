import type { ApiFailure, ApiResult } from "../../model/cluster/api-failure.ts";
import {
  isDeniedByAdmission,
  isDeniedByPolicy,
  isDryRunUnsupported,
} from "../../model/cluster/api-messages/admission.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Certainty } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { isResolvedByTransfer } from "../../ssa/steps/force.ts";
import type { DryRunResult } from "../../ssa/steps/step.ts";
import type { DesiredObject } from "../declared/objects.ts";
import { changedAdmission } from "../earlier.ts";
import type { PlanInput } from "../plan-input.ts";
import { changedPolicy } from "./changed-policy.ts";
import { type Grounds, whyNoAnswer } from "./no-answer.ts";
import { staysSame } from "./no-change.ts";
import { problemsOfDryRun, type RefusedObject, showable } from "./problems/dry-run-problems.ts";
import { withHolder } from "./problems/held-by-another.ts";
import { recordOf } from "./problems/record-cures.ts";
import { guess, onlyApply } from "./unasked.ts";
import { unchecked, type Verdict } from "./verdict.ts";

/** The changes of other objects after which the API server might answer differently. */
interface OtherObjects extends Grounds {
  readonly isWritten: (object: DesiredObject) => boolean;
}

/** Judges an object by the API server's answer to a dry run in the object's own namespace. */
export function judgeDryRun(
  desired: DesiredObject,
  live: KubeObject | undefined,
  shown: DryRunResult,
  input: PlanInput,
  others: OtherObjects,
): Verdict {
  const { answer, steps, unanswered } = shown;
  if (answer.ok) {
    const predicted = answer.value;
    const isSame = staysSame(desired, live, predicted, input);
    const reason = isSame ? undefined : changedAdmission(input.rules.earlier);
    const certainty = reason === undefined ? ({ by: "server" } as const) : unchecked(reason);
    return { steps: isSame ? [] : steps, predicted, certainty };
  }
  const { failure } = answer;
  const reason =
    unanswered ??
    whyNoAnswer(desired, failure, input, others) ??
    changedPolicy(desired, failure, input, others.isWritten);
  if (reason === undefined) return judgeRefused(desired, live, shown, failure, input);
  return { steps, certainty: unchecked(reason), ...guess(desired, live, input, { steps }) };
}

function judgeRefused(
  desired: DesiredObject,
  live: KubeObject | undefined,
  { steps, lossFix, remade, excludedBy }: DryRunResult,
  failure: ApiFailure,
  input: PlanInput,
): Verdict {
  const { deployment, policy } = input.rules;
  const { takeover } = policy.conflicts;
  const { stage, object } = desired;
  const told = refusedObject(desired, input);
  const { message } = showable(failure, desired, told.isWithheld);
  const problems = problemsOfDryRun(desired, live, failure, {
    ...told,
    remade,
    excludedBy,
    isResolved: ({ manager = "", subresource }) =>
      live !== undefined &&
      isResolvedByTransfer({ manager, subresource }, { deployment, stage, object, live, takeover }),
  });
  const cured = (each: Problem): Problem => {
    if (lossFix !== undefined) {
      return { ...each, why: undefined, fix: lossFix, otherwise: [], inputs: [], paste: [] };
    }
    return told.record === undefined ? withHolder(each, desired, live, input) : each;
  };
  return {
    steps,
    certainty: { by: "refused", reason: message },
    ...guess(desired, live, input, { steps, defaults: "kept" }),
    problems: problems.map(cured),
  };
}

/**
 * Judges an object by a dry run in another namespace.
 * Only answers about the object itself count.
 */
export function judgeTried(
  desired: DesiredObject,
  tried: ApiResult<KubeObject>,
  reason: string,
  { rules }: PlanInput,
): Verdict {
  const certainty: Certainty = { by: "schema", reason };
  if (tried.ok || tried.failure.reason === "already-exists") {
    return { steps: onlyApply, certainty };
  }
  const { failure } = tried;
  const isOfAdmission = isDryRunUnsupported(failure) || isDeniedByAdmission(failure);
  const isAboutIt =
    failure.reason === "invalid" && !isOfAdmission && !failure.causes.some(isDeniedByPolicy);
  if (!isAboutIt) return { steps: onlyApply, certainty: unchecked(reason) };
  const problems = problemsOfDryRun(desired, undefined, failure, { record: recordOf(rules) });
  const { message } = showable(failure, desired);
  return { steps: onlyApply, certainty: { by: "refused", reason: message }, problems };
}

/** Returns the owner of a rejected object, and whether its live values are withheld. */
export function refusedObject(desired: DesiredObject, input: PlanInput): RefusedObject {
  return {
    record: recordOf(input.rules),
    isForeign: input.desired.foreign.has(desired.key),
    isWithheld: isWithheld(desired, input),
  };
}

/**
 * Reports whether a preview must hide everything that the API server could quote.
 * This applies to objects outside this deployment.
 */
export function isWithheld({ key }: DesiredObject, { desired, rules }: PlanInput): boolean {
  return desired.foreign.has(key) && rules.purpose === "preview";
}
