import { type ChangedGround, groundsOf, isGround } from "../../admission/changed-grounds.ts";
import { type KubeObject, nameFromKey } from "../../model/object.ts";
import { noUpstreamDeployments } from "../../model/upstream-deployments.ts";
import { awaitedFoundation, awaitedValue } from "../awaited.ts";
import type { DesiredObject } from "../declared/objects.ts";
import { byWhom, deletedByWhom } from "../earlier.ts";
import type { PlanInput } from "../plan-input.ts";
import { withoutChangedDefaults } from "./changed-defaults.ts";
import { groundsBefore, groundsOfEarlier, type IsGround } from "./changed-ground.ts";
import { isStorageClass } from "./changed-growth.ts";
import { type ComingDefinitions, comingDefinition } from "./definitions/coming-definitions.ts";
import {
  isAboutOthers,
  judgeByDefinition,
  judgeUnchanged,
} from "./definitions/judge-by-definition.ts";
import { migratingOwners } from "./definitions/migrate-owners.ts";
import { judgeDryRun, judgeTried } from "./judge-dry-run.ts";
import type { Grounds } from "./no-answer.ts";
import { isProvenUnchanged } from "./no-change.ts";
import { isWholeKnown, refusedToCome } from "./refusal-to-come.ts";
import { refusedByOwners } from "./refused-by-owners.ts";
import { guess, onlyApply, stepsAwaiting, stepsUnasked } from "./unasked.ts";
import { unchanged, unchecked, type Verdict } from "./verdict.ts";

/**
 * Judges an object by the live object, the API server's answer, or the definition that will check
 * it.
 */
export function judge(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
  definitions: ComingDefinitions,
): Verdict {
  const verdict = withMigratedOwners(
    judgeByAnswers(desired, live, input, definitions),
    desired,
    live,
    input,
    definitions,
  );
  if (verdict.problems !== undefined || !isWholeKnown(desired, input.rules)) return verdict;
  return (
    refusedToCome(desired, live, verdict, groundsOfObject(desired, input)) ??
    withoutChangedDefaults(desired, live, verdict, input, (each) =>
      judge(each, input.observed.live.get(each.key), input, new Map()),
    )
  );
}

/**
 * Adds the migration of field owners if the definition changes first.
 * No answer can then show which records must be rewritten.
 */
function withMigratedOwners(
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
  const { deployment, policy } = input.rules;
  const { takeover } = policy.conflicts;
  const definition = comingDefinition(desired, input.desired, definitions);
  const isCompared = live !== undefined && mayCompare(desired, input);
  if (isCompared && isProvenUnchanged(deployment, desired, live, takeover)) {
    return definition === undefined ? unchanged : judgeUnchanged(desired, live, definition, input);
  }
  const unasked = judgeUnasked(desired, live, input);
  if (unasked !== undefined) return unasked;
  const shown = input.observed.dryRuns.get(desired.key);
  if (definition !== undefined && !isAboutOthers(shown)) {
    return judgeByDefinition(desired, live, definition, shown, input);
  }
  if (shown === undefined) return judgeUnanswered(desired, input);
  return judgeDryRun(desired, live, shown, input, {
    ...groundsOfObject(desired, input),
    isWritten: (object) => isWritten(object, input),
  });
}

/**
 * Reports whether the plan can compare the object with the live one.
 * A preview must not confirm a guess of a Secret's value, or of a value outside this deployment.
 */
function mayCompare(
  { key, dryRunSkipped, replacesSecret }: DesiredObject,
  { rules: { purpose }, desired: { foreign } }: PlanInput,
): boolean {
  return (
    purpose !== "preview" || dryRunSkipped === undefined || !(foreign.has(key) || replacesSecret)
  );
}

/**
 * Judges an object that qvs must not dry-run, or can't dry-run yet; undefined for other objects.
 */
function judgeUnasked(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
): Verdict | undefined {
  const { purpose } = input.rules;
  const { dryRunSkipped } = desired;
  if (dryRunSkipped !== undefined && live === undefined) {
    return { steps: onlyApply, certainty: unchecked(dryRunSkipped) };
  }
  if (dryRunSkipped !== undefined && purpose === "preview") {
    return { steps: stepsUnasked(desired, live, input), certainty: unchecked(dryRunSkipped) };
  }
  const awaited = awaitedValue(desired, purpose);
  if (awaited === undefined) return undefined;
  const reason = `depends on a value of ${nameFromKey(awaited)} that is known after deploy`;
  const { steps, conflicts } = stepsAwaiting(desired, live, input);
  if (conflicts !== undefined) return refusedByOwners(desired, live, conflicts, input);
  return { steps, certainty: unchecked(reason), ...guess(desired, live, input, { steps }) };
}

/** Judges an object without a dry run in its own namespace. */
function judgeUnanswered(desired: DesiredObject, input: PlanInput): Verdict {
  const { earlier } = input.rules;
  const deleted = deletedByWhom(desired.key, earlier);
  if (deleted !== undefined) {
    return { steps: onlyApply, certainty: unchecked(`the live object is deleted ${deleted}`) };
  }
  const foundation = awaitedFoundation(desired, input.desired, input.observed.live, earlier);
  if (foundation === undefined) return { steps: onlyApply, certainty: { by: "comparison" } };
  const reason = `${nameFromKey(foundation)} is created ${byWhom(foundation, earlier)}`;
  const tried = input.observed.tried?.get(desired.key);
  if (tried === undefined) return { steps: onlyApply, certainty: unchecked(reason) };
  return judgeTried(desired, tried, reason, input);
}

function groundsOfObject(desired: DesiredObject, input: PlanInput): Grounds {
  return {
    changedGrounds: () => groundsAmong(desired, input, isGround),
    changedClasses: () => groundsAmong(desired, input, isStorageClass),
  };
}

/**
 * Lists the objects by which the API server judges this one, and that this or an upstream
 * deployment changes.
 * Each entry has the present and the future object.
 */
function groundsAmong(
  desired: DesiredObject,
  input: PlanInput,
  isOfKind: IsGround,
): readonly ChangedGround[] {
  const { earlier = noUpstreamDeployments } = input.rules;
  const before = groundsBefore(desired, input.desired, isOfKind);
  const own = before.flatMap((ground): readonly ChangedGround[] => {
    const live = input.observed.live.get(ground.key);
    if (live === undefined) return groundsOf(live, ground.object, undefined);
    const { steps, predicted } = judge(ground, live, input, new Map());
    return steps.length === 0 ? [] : groundsOf(live, ground.object, predicted);
  });
  return [...groundsOfEarlier(desired, input.desired, earlier, isOfKind), ...own];
}

function isWritten(object: DesiredObject, input: PlanInput): boolean {
  return judge(object, input.observed.live.get(object.key), input, new Map()).steps.length > 0;
}
