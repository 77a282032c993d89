import { type ChangedGround, groundsOf, isGround } from "../../admission/changed-grounds.ts";
import { nothingEarlier } from "../../model/earlier.ts";
import { type KubeObject, nameOfKey } from "../../model/object.ts";
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

/** By what is live, by what the server has answered, or by what it will check the object by. */
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

/** Where the definition changes first, no answer can show whose records must be rewritten then. */
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

/** What is equal by itself may be told of what is ours, but not whether a guess is. */
function mayCompare(
  { key, unasked, replacesSecret }: DesiredObject,
  { rules: { purpose }, desired: { foreign } }: PlanInput,
): boolean {
  return purpose !== "preview" || unasked === undefined || !(foreign.has(key) || replacesSecret);
}

/** Where nobody may ask the server, or has anything to ask it about yet; undefined for the rest. */
function judgeUnasked(
  desired: DesiredObject,
  live: KubeObject | undefined,
  input: PlanInput,
): Verdict | undefined {
  const { purpose } = input.rules;
  const { unasked } = desired;
  if (unasked !== undefined && live === undefined) {
    return { steps: onlyApply, certainty: unchecked(unasked) };
  }
  if (unasked !== undefined && purpose === "preview") {
    return { steps: stepsUnasked(desired, live, input), certainty: unchecked(unasked) };
  }
  const awaited = awaitedValue(desired, purpose);
  if (awaited === undefined) return undefined;
  const reason = `depends on a value of ${nameOfKey(awaited)} that is known after deploy`;
  const { steps, conflicts } = stepsAwaiting(desired, live, input);
  if (conflicts !== undefined) return refusedByOwners(desired, live, conflicts, input);
  return { steps, certainty: unchecked(reason), ...guess(desired, live, input, { steps }) };
}

/** Where the server was not asked about the object in its own place. */
function judgeUnanswered(desired: DesiredObject, input: PlanInput): Verdict {
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
  return judgeTried(desired, tried, reason, input);
}

function groundsOfObject(desired: DesiredObject, input: PlanInput): Grounds {
  return {
    changedGrounds: () => groundsAmong(desired, input, isGround),
    changedClasses: () => groundsAmong(desired, input, isStorageClass),
  };
}

/** The objects that this deployment, or one before, makes or changes and the server judges this one by, as they are and as they will be. */
function groundsAmong(
  desired: DesiredObject,
  input: PlanInput,
  isOfKind: IsGround,
): readonly ChangedGround[] {
  const { earlier = nothingEarlier } = input.rules;
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
