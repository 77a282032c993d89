import { type ChangedGround, groundsOf } from "../../admission/changed-grounds.ts";
import type { Answer } from "../../model/cluster/api-failure.ts";
import {
  isDeniedByAdmission,
  isDeniedByPolicy,
  isWithoutDryRun,
} from "../../model/cluster/api-words/admission.ts";
import { nothingEarlier } from "../../model/earlier.ts";
import { type KubeObject, nameOfKey } from "../../model/object.ts";
import { type Certainty, type FieldConflict, fieldManager } from "../../model/plan.ts";
import { isResolvedByTransfer } from "../../ssa/steps/force.ts";
import type { DryRunResult } from "../../ssa/steps/step.ts";
import { isTakenOver } from "../../ssa/steps/transfer-ownership.ts";
import { awaitedFoundation, awaitedValue, isProvenUnchanged } from "../cluster-reads.ts";
import type { DesiredObject } from "../declared/objects.ts";
import { byWhom, changedAdmission, deletedByWhom } from "../earlier.ts";
import type { PlanInput } from "../plan-input.ts";
import { groundsBefore, groundsOfEarlier } from "./changed-ground.ts";
import { changedPolicy } from "./changed-policy.ts";
import {
  type ComingDefinition,
  type ComingDefinitions,
  checkByDefinition,
  comingDefinition,
  schemaOf,
  storedBy,
} from "./check-schema.ts";
import { type ConflictRecord, conflictFailure } from "./conflict-problem.ts";
import { problemsOfDryRun, showable } from "./dry-run-problems.ts";
import { migratingOwners } from "./migrate-owners.ts";
import { whyNoAnswer } from "./no-answer.ts";
import { isNoChange } from "./no-change.ts";
import { isWholeKnown, refusedToCome } from "./refusal-to-come.ts";
import { guess, onlyApply, stepsByOwners, stepsUnasked } from "./unasked.ts";
import { unchecked, type Verdict } from "./verdict.ts";

/** By what is live, by what the server has answered, or by what it will check the object by. */
export function judge(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
  definitions: ComingDefinitions,
): Verdict {
  const verdict = withOwners(
    judgeByAnswers(desired, live, input, definitions),
    desired,
    live,
    input,
    definitions,
  );
  if (verdict.problems !== undefined || !isWholeKnown(desired, input.rules)) return verdict;
  return refusedToCome(desired, live, verdict, () => changedGrounds(desired, input)) ?? verdict;
}

/** Where the definition changes first, no answer can show whose records must be rewritten then. */
function withOwners(
  verdict: Verdict,
  { key, id, object }: DesiredObject,
  live: KubeObject | undefined,
  { desired }: PlanInput,
  definitions: ComingDefinitions,
): Verdict {
  const definition = comingDefinition({ key, id }, desired, definitions);
  const isNamesake = desired.foreign.get(key)?.isNamesake === true;
  if (live === undefined || definition === undefined || isNamesake) return verdict;
  if (verdict.steps.length === 0) return verdict;
  return { ...verdict, steps: migratingOwners(verdict.steps, object, live, definition) };
}

function judgeByAnswers(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
  definitions: ComingDefinitions,
): Verdict {
  const { purpose, deployment, policy } = input.rules;
  const { takeover } = policy.conflicts;
  const { foreign: allForeign } = input.desired;
  const foreign = allForeign.get(desired.key);
  const unasked = purpose === "preview" ? desired.unasked : undefined;
  // What is equal by itself may be told of what is ours, but not whether a guess is.
  const isCompared = unasked === undefined || !(foreign !== undefined || desired.replacesSecret);
  const definition = comingDefinition(desired, input.desired, definitions);
  if (live !== undefined && isCompared && isProvenUnchanged(deployment, desired, live, takeover)) {
    return definition === undefined ? unchanged : judgeUnchanged(desired, live, definition);
  }
  if (live !== undefined && unasked !== undefined) {
    return { steps: stepsUnasked(desired, live, input), certainty: unchecked(unasked) };
  }
  if (live === undefined && desired.unasked !== undefined) {
    return { steps: onlyApply, certainty: unchecked(desired.unasked) };
  }
  const awaited = awaitedValue(desired, purpose);
  if (awaited !== undefined) {
    const reason = `depends on a value of ${nameOfKey(awaited)} that is known after deploy`;
    const steps = stepsUnasked(desired, live, input);
    return { steps, certainty: unchecked(reason), ...guess(desired, live, input, { steps }) };
  }
  const shown = input.observed.dryRuns.get(desired.key);
  if (definition !== undefined && !isAboutOthers(shown)) {
    return judgeBySchema(desired, live, definition, shown, input);
  }
  if (shown !== undefined) return judgeDryRun(desired, live, shown, input);
  const { earlier } = input.rules;
  const deleted = deletedByWhom(desired.key, earlier);
  if (deleted !== undefined) {
    return { steps: onlyApply, certainty: unchecked(`what is there now is deleted ${deleted}`) };
  }
  const foundation = awaitedFoundation(desired, input.desired, input.observed.live, earlier);
  if (foundation === undefined) return { steps: onlyApply, certainty: { by: "comparison" } };
  const reason = `${nameOfKey(foundation)} is created ${byWhom(foundation, earlier)}`;
  const tried = input.observed.tried?.get(desired.key);
  if (tried === undefined) return { steps: onlyApply, certainty: unchecked(reason) };
  return judgeTried(desired, tried, reason);
}

const unchanged: Verdict = { steps: [], certainty: { by: "comparison" } };

/** The server drops what its kind loses from the live object, and then refuses the same manifest. */
function judgeUnchanged(
  desired: DesiredObject,
  live: KubeObject,
  definition: ComingDefinition,
): Verdict {
  const { problems } = checkByDefinition(desired, definition, live, live);
  const [first] = problems;
  if (first === undefined) return unchanged;
  return { steps: [], certainty: { by: "refused", reason: first.what }, problems };
}

function recordOf({ release, corrects }: PlanInput["rules"]): ConflictRecord | undefined {
  return release === undefined ? undefined : { release, corrects: corrects === true };
}

/** Who owns its fields, and what policies and rights say, does not depend on the definition. */
function isAboutOthers(shown: DryRunResult | undefined): boolean {
  if (shown === undefined || shown.answer.ok) return false;
  const { failure } = shown.answer;
  const isConflict = failure.causes.some(({ reason }) => reason === "FieldManagerConflict");
  const isOfSchema = ["invalid", "not-found", "unknown-kind"].includes(failure.reason);
  return isConflict || isDeniedByAdmission(failure) || !isOfSchema;
}

/** The server's answer is by the definition that it has now. */
function judgeBySchema(
  desired: DesiredObject,
  live: KubeObject | undefined,
  definition: ComingDefinition,
  shown: DryRunResult | undefined,
  input: PlanInput,
): Verdict {
  const does = definition.isNew ? "created" : "changed";
  const reason = `${nameOfKey(definition.key)} is ${does} ${byWhom(definition.key, input.rules.earlier)}`;
  const isKnown = shown?.answer.ok === true || shown?.unanswered !== undefined;
  const { steps, conflicts } = isKnown
    ? { steps: shown.steps, conflicts: undefined }
    : stepsByOwners(desired, live, input, schemaOf(desired.object, definition));
  if (conflicts !== undefined) return refusedByOwners(desired, live, conflicts, input);
  const { predicted } = guess(desired, live, input, { steps, defaults: "filled in" });
  const whole = predicted ?? desired.object;
  const { problems, undecided } = checkByDefinition(desired, definition, whole, live);
  const [first] = problems;
  if (first !== undefined) {
    return { steps, certainty: { by: "refused", reason: first.what }, problems };
  }
  const isSame = shown?.answer.ok === true && staysSame(desired, live, shown.answer.value, input);
  return {
    steps: isSame ? [] : steps,
    certainty:
      undecided === undefined
        ? { by: "schema", reason }
        : unchecked(`${reason}, and only the server can tell whether ${undecided}`),
    ...(predicted === undefined ? {} : { predicted: storedBy(predicted, definition) }),
  };
}

function refusedByOwners(
  desired: DesiredObject,
  live: KubeObject | undefined,
  conflicts: readonly FieldConflict[],
  input: PlanInput,
): Verdict {
  const problems = problemsOfDryRun(desired, live, conflictFailure(conflicts), {
    record: recordOf(input.rules),
    isForeign: input.desired.foreign.has(desired.key),
    isWithheld: isWithheld(desired, input),
  });
  const reason = problems[0]?.what ?? "";
  return { steps: onlyApply, certainty: { by: "refused", reason }, problems };
}

/** It was dry-run in another namespace, where only what the server says of the object by itself counts. */
function judgeTried(desired: DesiredObject, tried: Answer<KubeObject>, reason: string): Verdict {
  const certainty: Certainty = { by: "schema", reason };
  if (tried.ok || tried.failure.reason === "already-exists") {
    return { steps: onlyApply, certainty };
  }
  const { failure } = tried;
  const isOfAdmission = isWithoutDryRun(failure) || isDeniedByAdmission(failure);
  const isAboutIt =
    failure.reason === "invalid" && !isOfAdmission && !failure.causes.some(isDeniedByPolicy);
  if (!isAboutIt) return { steps: onlyApply, certainty: unchecked(reason) };
  const problems = problemsOfDryRun(desired, undefined, failure);
  const { message } = showable(failure, desired);
  return { steps: onlyApply, certainty: { by: "refused", reason: message }, problems };
}

function judgeDryRun(
  desired: DesiredObject,
  live: KubeObject | undefined,
  { answer, steps, unanswered, lossFix, remade, excludedBy }: DryRunResult,
  input: PlanInput,
): Verdict {
  const { deployment, policy } = input.rules;
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
    whyNoAnswer(desired, failure, input, () => changedGrounds(desired, input)) ??
    changedPolicy(desired, failure, input, (policy) => isWritten(policy, input));
  if (reason !== undefined) {
    return { steps, certainty: unchecked(reason), ...guess(desired, live, input, { steps }) };
  }
  const withheld = isWithheld(desired, input);
  const { message } = showable(failure, desired, withheld);
  const { takeover } = policy.conflicts;
  const { stage, object } = desired;
  const problems = problemsOfDryRun(desired, live, failure, {
    record: recordOf(input.rules),
    isForeign: input.desired.foreign.has(desired.key),
    isWithheld: withheld,
    remade,
    excludedBy,
    isResolved: ({ manager = "", subresource }) =>
      live !== undefined &&
      isResolvedByTransfer({ manager, subresource }, { deployment, stage, object, live, takeover }),
  });
  return {
    steps,
    certainty: { by: "refused", reason: message },
    ...guess(desired, live, input, { steps, defaults: "kept" }),
    problems:
      lossFix === undefined ? problems : problems.map((each) => ({ ...each, fix: lossFix })),
  };
}

/** What is to be taken from a manager changes its owners, whatever its values. */
function staysSame(
  { stage }: DesiredObject,
  live: KubeObject | undefined,
  predicted: KubeObject,
  { rules: { deployment, policy } }: PlanInput,
): boolean {
  if (live === undefined || isTakenOver(live, policy.conflicts.takeover)) return false;
  return isNoChange(live, predicted, fieldManager(deployment, stage));
}

/** The objects that this deployment, or one before, makes or changes and the server judges this one by, as they are and as they will be. */
function changedGrounds(desired: DesiredObject, input: PlanInput): readonly ChangedGround[] {
  const { earlier = nothingEarlier } = input.rules;
  const own = groundsBefore(desired, input.desired).flatMap((ground): readonly ChangedGround[] => {
    const before = input.observed.live.get(ground.key);
    if (before === undefined) return groundsOf(before, ground.object, undefined);
    const { steps, predicted } = judge(ground, before, input, new Map());
    return steps.length === 0 ? [] : groundsOf(before, ground.object, predicted);
  });
  return [...groundsOfEarlier(desired, input.desired, earlier), ...own];
}

function isWritten(object: DesiredObject, input: PlanInput): boolean {
  return judge(object, input.observed.live.get(object.key), input, new Map()).steps.length > 0;
}

/** Of somebody else's object a preview tells nothing that the server could quote. */
export function isWithheld({ key }: DesiredObject, { desired, rules }: PlanInput): boolean {
  return desired.foreign.has(key) && rules.purpose === "preview";
}
