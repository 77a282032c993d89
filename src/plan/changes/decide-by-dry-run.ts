import type { ApiFailure, ApiResult } from "../../model/cluster/api/api-failure.ts";
import { isValueTaken } from "../../model/cluster/api/messages/api-message.ts";
import {
  isDeniedByAdmission,
  isDeniedByPolicy,
  isDryRunUnsupported,
} from "../../model/cluster/api/messages/denials.ts";
import {
  contendedValues,
  type ExclusiveValue,
  exclusiveValues,
} from "../../model/cluster/exclusive-values.ts";
import { idOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import type { Certainty } from "../../model/plan/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { isResolvedByTransfer } from "../../ssa/steps/force.ts";
import { withoutDefaultCauses } from "../../ssa/steps/recreate.ts";
import type { DryRunResult } from "../../ssa/steps/step.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";
import { admissionChangeReason } from "../upstream-deployments.ts";
import { remainsUnchanged } from "./compare-with-live.ts";
import { onlyApply, predictResult } from "./dry-run-skipped.ts";
import { inconclusiveReason, type PolicyChanges } from "./inconclusive-rejection.ts";
import { changedPolicy } from "./namespace-policy-changes.ts";
import {
  dryRunProblems,
  type RejectedObject,
  showableFailure,
} from "./problems/dry-run-problems.ts";
import { type ProblemFix, plannedRecord } from "./problems/record-fixes.ts";
import { type ChangeVerdict, unchecked } from "./verdict.ts";

/** The changes of other objects after which the API server might answer differently. */
interface OtherObjects extends PolicyChanges {
  readonly isWritten: (object: DesiredObject) => boolean;
}

/** Judges an object by the API server's answer to a dry run in the object's own namespace. */
export function decideByDryRun(
  desired: DesiredObject,
  live: KubeObject | undefined,
  dryRun: DryRunResult,
  input: PlanInput,
  others: OtherObjects,
): ChangeVerdict {
  const { answer, steps, unanswered } = dryRun;
  if (answer.ok) {
    const predicted = answer.value;
    const isSame = remainsUnchanged(desired, live, predicted, input);
    const reason = isSame ? undefined : admissionChangeReason(input.rules.upstream);
    const certainty = reason === undefined ? ({ by: "server" } as const) : unchecked(reason);
    return { steps: isSame ? [] : steps, predicted, certainty };
  }
  const { failure } = answer;
  const reason =
    unanswered ??
    inconclusiveReason(desired, failure, input, others) ??
    changedPolicy(desired, failure, input, others.isWritten);
  if (reason === undefined) return decideRejected(desired, live, dryRun, failure, input);
  return { steps, certainty: unchecked(reason), ...predictResult(desired, live, input, { steps }) };
}

function decideRejected(
  desired: DesiredObject,
  live: KubeObject | undefined,
  { steps, lossFix, recreateRefusal, excludedBy }: DryRunResult,
  rejection: ApiFailure,
  input: PlanInput,
): ChangeVerdict {
  const failure = withoutDefaultCauses(rejection, desired.object, live);
  const { deployment, policy } = input.rules;
  const { takeover } = policy.conflicts;
  const { stage, object } = desired;
  const rejected = rejectedObject(desired, input);
  const { message } = showableFailure(failure, desired, rejected.isWithheld);
  const problems = dryRunProblems(desired, live, failure, {
    ...rejected,
    recreateRefusal,
    excludedBy,
    isResolved: ({ manager = "", subresource }) =>
      live !== undefined &&
      isResolvedByTransfer({ manager, subresource }, { deployment, stage, object, live, takeover }),
  });
  const withFix = (each: Problem): Problem => {
    if (lossFix !== undefined) {
      return { ...each, why: undefined, fix: lossFix, otherwise: [], inputs: [], paste: [] };
    }
    return rejected.record === undefined ? withClaimHolder(each, desired, live, input) : each;
  };
  return {
    steps,
    certainty: { by: "refused", reason: message },
    ...predictResult(desired, live, input, { steps, defaults: "kept" }),
    problems: problems.map(withFix),
  };
}

/**
 * Judges an object by a dry run in another namespace.
 * Only answers about the object itself count.
 */
export function decideByTrial(
  desired: DesiredObject,
  tried: ApiResult<KubeObject>,
  reason: string,
  { rules }: PlanInput,
): ChangeVerdict {
  const certainty: Certainty = { by: "schema", reason };
  if (tried.ok || tried.failure.reason === "already-exists") {
    return { steps: onlyApply, certainty };
  }
  const { failure } = tried;
  const isOfAdmission = isDryRunUnsupported(failure) || isDeniedByAdmission(failure);
  const isAboutObject =
    failure.reason === "invalid" && !isOfAdmission && !failure.causes.some(isDeniedByPolicy);
  if (!isAboutObject) return { steps: onlyApply, certainty: unchecked(reason) };
  const problems = dryRunProblems(desired, undefined, failure, { record: plannedRecord(rules) });
  const { message } = showableFailure(failure, desired);
  return { steps: onlyApply, certainty: { by: "refused", reason: message }, problems };
}

/** Returns the owner of a rejected object, and whether its live values are withheld. */
export function rejectedObject(desired: DesiredObject, input: PlanInput): RejectedObject {
  return {
    record: plannedRecord(input.rules),
    isForeign: input.desired.foreign.has(desired.key),
    isWithheld: isWithheld(desired, input),
    server: input.observed.server,
  };
}

/**
 * Reports whether a preview must hide everything that the API server could quote.
 * This applies to objects outside this deployment.
 */
export function isWithheld({ key }: DesiredObject, { desired, rules }: PlanInput): boolean {
  return desired.foreign.has(key) && rules.purpose === "preview";
}

/**
 * Replaces the fix if another object has something that only one object can have.
 * An object of this deployment can be about to be deleted.
 */
export function withClaimHolder(
  problem: Problem,
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
): Problem {
  const findClaims = claimFinder(problem);
  if (findClaims === undefined) return problem;
  const held = claimKeys(findClaims, live);
  const claims = findClaims(desired.object).filter(({ key }) => !held.has(key));
  for (const { key, fix } of claims) {
    const holder = findHolder(key, findClaims, desired, input);
    if (holder !== undefined) return { ...problem, ...holderFix(holder, fix, desired, input) };
    if (claims.length === 1 && findClaims === exclusiveValues)
      return { ...problem, why: "Another object already has this value", fix, otherwise: [] };
  }
  return problem;
}

type FindClaims = (object: KubeObject) => readonly ExclusiveValue[];

/**
 * Returns the claims that a problem is about.
 * Webhooks use their own words if another object has the host of an Ingress.
 */
function claimFinder({ facts = [] }: Problem): FindClaims | undefined {
  const message = facts.find(({ label }) => label === "answer")?.value ?? "";
  if (isValueTaken({ message })) return exclusiveValues;
  const isDuplicate = /\b(already|duplicate|conflicts?|in use|taken|exists)\b/i.test(message);
  return isDeniedByAdmission({ message }) && isDuplicate ? contendedValues : undefined;
}

/** Finds the object of this deployment that has the claim. */
function findHolder(
  claim: string,
  findClaims: FindClaims,
  { key: own }: DesiredObject,
  { observed: { live, inventory } }: PlanInput,
): KubeObject | undefined {
  return inventory
    .map(({ id }) => keyOf(id))
    .filter((key) => key !== own)
    .map((key) => live.get(key))
    .find((object) => claimKeys(findClaims, object).has(claim));
}

function holderFix(
  holder: KubeObject,
  fix: string,
  { id }: DesiredObject,
  { desired: { byKey } }: PlanInput,
): ProblemFix {
  const holderId = idOf(holder);
  const name = nameOf(holderId);
  if (byKey.has(keyOf(holderId))) {
    return { why: `${name} already has this value`, fix, otherwise: [] };
  }
  return {
    why: `${name} has this value until qvs deletes it, which is the last step`,
    fix: `Keep the name ${holderId.name}`,
    otherwise: [`first deploy once without ${nameOf(id)}`, lowercaseFirst(fix)],
  };
}

/** Changes a sentence for use within another sentence. */
function lowercaseFirst(sentence: string): string {
  return `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1)}`;
}

function claimKeys(findClaims: FindClaims, object: KubeObject | undefined): ReadonlySet<string> {
  return new Set(object && findClaims(object).map(({ key }) => key));
}
