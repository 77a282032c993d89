import {
  type ChangedGround,
  groundsOf,
  liftedBy,
  refusalToCome,
} from "../../admission/changed-grounds.ts";
import { holdsSecrets } from "../../model/apply-time-reference.ts";
import { type Answer, type ApiFailure, isMissingRight } from "../../model/cluster/api-failure.ts";
import {
  isDeniedByAdmission,
  isDeniedByPolicy,
  isNotFoundInWords,
  isWithoutDryRun,
  refusingQuota,
  unavailableWebhook,
} from "../../model/cluster/api-words.ts";
import { type Earlier, nothingEarlier } from "../../model/earlier.ts";
import { at, isObject, type JsonObject, sameJson, textAt } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf, nameOfKey } from "../../model/object.ts";
import { type Certainty, fieldManager, type Step } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { LiveObjects } from "../../model/release.ts";
import { appliedBy } from "../../ssa/managed-fields.ts";
import { mergeLocally } from "../../ssa/merge-locally.ts";
import { isResolvedByTransfer } from "../../ssa/steps/force.ts";
import type { DryRunResult } from "../../ssa/steps/step.ts";
import { assumedSteps } from "../../ssa/steps/steps.ts";
import { isTakenOver } from "../../ssa/steps/transfer-ownership.ts";
import { awaitedFoundation, awaitedValue, isProvenUnchanged } from "../cluster-reads.ts";
import type { DesiredObject } from "../declared/objects.ts";
import {
  byWhom,
  changedAdmission,
  changedServers,
  deletedByWhom,
  givenBack,
  isThere,
  waitedFor,
} from "../earlier.ts";
import type { PlanInput } from "../plan-input.ts";
import { groundsBefore, groundsOfEarlier, subjectOf } from "./changed-ground.ts";
import {
  type ComingDefinition,
  type ComingDefinitions,
  comingDefinition,
  schemaProblems,
  storedBy,
} from "./check-schema.ts";
import type { ConflictRecord } from "./conflict-problem.ts";
import { problemsOfDryRun, showable } from "./dry-run-problems.ts";

/** How a declared object is brought about, and how sure that is. */
interface Verdict {
  readonly steps: readonly Step[];
  readonly predicted?: KubeObject;
  readonly certainty: Certainty;
  readonly problems?: readonly Problem[];
}

/** By what is live, by what the server has answered, or by what it will check the object by. */
export function judge(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
  definitions: ComingDefinitions,
): Verdict {
  const verdict = judgeByAnswers(desired, live, input, definitions);
  if (verdict.problems !== undefined || !isWholeKnown(desired, input)) return verdict;
  const refusal = refusalByGrounds(desired, live, verdict, input);
  return refusal === undefined ? verdict : refusedToCome(desired, verdict, refusal);
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
  if (live !== undefined && isCompared && isProvenUnchanged(deployment, desired, live, takeover)) {
    return { steps: [], certainty: { by: "comparison" } };
  }
  if (live !== undefined && unasked !== undefined) {
    const object = withItsType(desired.object);
    const target = { deployment, stage: desired.stage, object, live, takeover };
    const steps = foreign?.isNamesake ? onlyApply : assumedSteps(target);
    return { steps, certainty: unchecked(unasked) };
  }
  if (live === undefined && desired.unasked !== undefined) {
    return { steps: onlyApply, certainty: unchecked(desired.unasked) };
  }
  const awaited = awaitedValue(desired, purpose);
  if (awaited !== undefined) {
    const reason = `depends on a value of ${nameOfKey(awaited)} that is known after deploy`;
    return { steps: onlyApply, certainty: unchecked(reason), ...guess(desired, live, input) };
  }
  const shown = input.observed.dryRuns.get(desired.key);
  const definition = comingDefinition(desired, input.desired, definitions);
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
  const steps = shown?.answer.ok === true ? shown.steps : onlyApply;
  const { predicted } = guess(desired, live, input);
  const problems = schemaProblems(desired, definition, predicted ?? desired.object, live);
  const [first] = problems;
  if (first !== undefined) {
    return { steps, certainty: { by: "refused", reason: first.what }, problems };
  }
  const manager = fieldManager(input.rules.deployment, desired.stage);
  const isSame =
    live !== undefined &&
    shown?.answer.ok === true &&
    isNoChange(live, shown.answer.value, manager);
  return {
    steps: isSame ? [] : steps,
    certainty: { by: "schema", reason },
    ...(predicted === undefined ? {} : { predicted: storedBy(predicted, definition) }),
  };
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

const onlyApply: readonly Step[] = [{ type: "apply" }];

/** A Secret always has a type: where none is declared, the server puts it back. */
function withItsType(object: KubeObject): KubeObject {
  return object.kind === "Secret" ? { type: "Opaque", ...object } : object;
}

function judgeDryRun(
  desired: DesiredObject,
  live: KubeObject | undefined,
  { answer, steps, unanswered, lossFix }: DryRunResult,
  input: PlanInput,
): Verdict {
  const { deployment, policy } = input.rules;
  if (answer.ok) {
    const predicted = answer.value;
    const manager = fieldManager(deployment, desired.stage);
    const isKept = live !== undefined && !isTakenOver(live, policy.conflicts.takeover);
    const isSame = isKept && isNoChange(live, predicted, manager);
    const reason = isSame ? undefined : changedAdmission(input.rules.earlier);
    const certainty = reason === undefined ? ({ by: "server" } as const) : unchecked(reason);
    return { steps: isSame ? [] : steps, predicted, certainty };
  }
  const { failure } = answer;
  const reason = unanswered ?? whyNoAnswer(desired, failure, input);
  if (reason !== undefined) {
    return { steps, certainty: unchecked(reason), ...guess(desired, live, input) };
  }
  const withheld = isWithheld(desired, input);
  const { message } = showable(failure, desired, withheld);
  const { takeover } = policy.conflicts;
  const { stage, object } = desired;
  const problems = problemsOfDryRun(desired, live, failure, {
    record: recordOf(input.rules),
    isForeign: input.desired.foreign.has(desired.key),
    isWithheld: withheld,
    isResolved: ({ manager = "", subresource }) =>
      live !== undefined &&
      isResolvedByTransfer({ manager, subresource }, { deployment, stage, object, live, takeover }),
  });
  return {
    steps,
    certainty: { by: "refused", reason: message },
    problems:
      lossFix === undefined ? problems : problems.map((each) => ({ ...each, fix: lossFix })),
  };
}

/** What the server would make of the live object; of somebody else's, or where a Secret's value may be, nothing is told that is not declared. */
function guess(
  desired: DesiredObject,
  live: KubeObject | undefined,
  { rules: { deployment }, desired: { foreign } }: PlanInput,
): Pick<Verdict, "predicted"> {
  const { late, ignoredSecretFields, previousSecretValues } = desired;
  const holds = holdsSecrets(late) || ignoredSecretFields.length + previousSecretValues.length > 0;
  if (live === undefined || foreign.has(desired.key) || holds) return {};
  return { predicted: mergeLocally(live, desired.object, fieldManager(deployment, desired.stage)) };
}

function unchecked(reason: string): Certainty {
  return { by: "unchecked", reason };
}

/** A refusal that says nothing about the object itself; undefined when it does. */
function whyNoAnswer(
  desired: DesiredObject,
  failure: ApiFailure,
  input: PlanInput,
): string | undefined {
  const {
    rules: { purpose, earlier },
    desired: { foreign },
    observed: { live },
  } = input;
  if (isWithoutDryRun(failure)) {
    return "an admission webhook does not support dry-run";
  }
  const missing = firstMissing(desired, input.desired, live, earlier);
  if (missing !== undefined && isAboutAbsence(failure)) {
    return `it needs ${nameOfKey(missing)}, which is created ${byWhom(missing, earlier)}`;
  }
  const ground = liftedBy(
    failure,
    changedGrounds(desired, input),
    subjectOf(desired.object, undefined),
  );
  if (ground !== undefined) {
    const key = keyOf(idOf(ground));
    return `${nameOfKey(key)}, which decides about it, is changed ${byWhom(key, earlier)}`;
  }
  const before = changedBefore(desired, failure, earlier);
  if (before !== undefined) return before;
  if (purpose === "preview" && isMissingRight(failure)) {
    return showable(failure, desired, foreign.has(desired.key)).message;
  }
  return undefined;
}

/** What a deployment before changes of who refuses it. */
function changedBefore(
  { id }: DesiredObject,
  failure: ApiFailure,
  earlier: Earlier | undefined,
): string | undefined {
  if (refusingQuota(failure) !== undefined) return givenBack(id.namespace, earlier);
  const admission = isDeniedByAdmission(failure) ? changedAdmission(earlier) : undefined;
  const isDown = unavailableWebhook(failure) !== undefined;
  return admission ?? (isDown ? changedServers(earlier) : undefined);
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

/** Not where a value of it comes from a Secret or is known after deploy, nor where a preview may not ask about it. */
function isWholeKnown(desired: DesiredObject, { rules: { purpose } }: PlanInput): boolean {
  const { late, unasked, ignoredSecretFields, previousSecretValues } = desired;
  return (
    awaitedValue(desired, purpose) === undefined &&
    !holdsSecrets(late) &&
    ignoredSecretFields.length + previousSecretValues.length === 0 &&
    (purpose !== "preview" || unasked === undefined)
  );
}

/** What is made anew is judged by all of it; a claim that changes by LimitRanges, and a Pod whose spec changes by its Namespace. */
function refusalByGrounds(
  desired: DesiredObject,
  live: KubeObject | undefined,
  { steps, predicted }: Verdict,
  input: PlanInput,
): string | undefined {
  const subject = subjectOf(desired.object, predicted);
  if (subject === undefined || steps.length === 0) return undefined;
  const grounds = changedGrounds(desired, input);
  const isNew = live === undefined || steps.some(({ type }) => type === "recreate");
  if (isNew || subject.kind !== "Pod") return refusalToCome(grounds, subject);
  if (predicted === undefined || sameJson(at(predicted, "spec"), at(live, "spec")))
    return undefined;
  return refusalToCome(
    grounds.filter(({ after }) => after.kind === "Namespace"),
    subject,
  );
}

/** In the words in which the server would say it. */
function refusedToCome(desired: DesiredObject, { steps }: Verdict, said: string): Verdict {
  const { kind, name } = desired.id;
  const message = `${kind.toLowerCase()}s "${name}" is forbidden: ${said}`;
  const failure: ApiFailure = { reason: "forbidden", status: 403, message, causes: [] };
  const problems = problemsOfDryRun(desired, undefined, failure);
  const { message: reason } = showable(failure, desired);
  return { steps, certainty: { by: "refused", reason }, problems };
}

function firstMissing(
  desired: DesiredObject,
  links: PlanInput["desired"],
  live: LiveObjects,
  earlier: Earlier | undefined,
): string | undefined {
  return waitedFor(desired.key, links).find(({ on }) => !isThere(on, live, earlier))?.on;
}

/** A Pod whose ServiceAccount is missing is answered 403, a binding whose role is missing 404. */
function isAboutAbsence(failure: ApiFailure): boolean {
  const { reason } = failure;
  if (reason === "not-found") return true;
  // A policy or a webhook may speak of something else that is not found.
  return reason === "forbidden" && isNotFoundInWords(failure) && !isDeniedByAdmission(failure);
}

/** Nothing but what the server counts by itself differs, and we own neither more nor less than before. */
function isNoChange(live: KubeObject, predicted: KubeObject, manager: string): boolean {
  return (
    sameJson(withoutNoise(live), withoutNoise(predicted)) &&
    sameJson(appliedBy(live, manager)?.fields, appliedBy(predicted, manager)?.fields) &&
    textAt(live, "apiVersion") === textAt(predicted, "apiVersion")
  );
}

function withoutNoise(object: KubeObject): JsonObject {
  const { status: _status, metadata, ...rest } = object;
  const {
    managedFields: _fields,
    resourceVersion: _version,
    generation: _generation,
    ...own
  } = isObject(metadata) ? metadata : {};
  return { ...rest, metadata: own };
}

/** Of somebody else's object a preview tells nothing that the server could quote. */
export function isWithheld({ key }: DesiredObject, { desired, rules }: PlanInput): boolean {
  return desired.foreign.has(key) && rules.purpose === "preview";
}
