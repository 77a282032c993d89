import { keepOnDeleteAnnotation, replaceAnnotation } from "../../model/annotations.ts";
import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import { isImmutable, isOnlyImmutable } from "../../model/cluster/api-messages/immutable.ts";
import { changedImmutableFields } from "../../model/cluster/immutable-fields.ts";
import { isFinishedJob } from "../../model/cluster/jobs.ts";
import { listAt, mapStrings, textAt } from "../../model/json.ts";
import { annotation, idOf, type KubeObject, uidOf, withMetadata } from "../../model/object.ts";
import type { Step, StepOf } from "../../model/plan.ts";
import { allocatedPlaceholder } from "../allocated-values.ts";
import { fieldConflicts } from "../predict-conflicts.ts";
import { isProtected } from "../protection.ts";
import {
  isNameTaken,
  ownNameRequest,
  restoreConflictingResources,
  trialObject,
  validOnlyUnderOwnName,
  withTemporaryName,
} from "./conflicting-resources.ts";
import { quotaFreeReason } from "./freed-quota.ts";
import {
  type DryRunResult,
  lastRejection,
  type StepCandidate,
  type StepKind,
  type StepTrial,
} from "./step.ts";

/**
 * Replaces an object with an immutable field if its manifest allows that
 * (docs/reference/ownership.md#replacement).
 */
export const recreate: StepKind<StepOf<"recreate">> = {
  detect,
  assume: () => undefined,
  execution: () => ({ by: "delete" }),
  describe: () => [],
  // The action of the change already contains it.
  digest: () => ({}),
};

function detect(candidate: StepCandidate, soFar: DryRunResult): StepTrial | undefined {
  const { object, live } = candidate;
  return allowsReplacement(object, live, candidate)
    ? tryRecreation(candidate, soFar, (fields) => ({ type: "recreate", fields }))
    : undefined;
}

/**
 * Tests a recreation if immutable fields are the only problem.
 * A dry run under a temporary name shows whether the API server would accept the new object.
 * `toStep` returns the step that deletes the live object.
 */
export function tryRecreation(
  { object, live, recreated }: StepCandidate,
  soFar: DryRunResult,
  toStep: (fields: readonly string[]) => Step,
): StepTrial | undefined {
  const { answer, alone } = soFar;
  const refused = decidingAnswer(soFar);
  if (answer.ok || refused.ok || recreated === undefined) return undefined;
  const { causes } = refused.failure;
  if (!isReplaceable(object, live) || !isOnlyImmutable(refused.failure)) return undefined;
  return {
    requests: [{ verb: "apply", object: trialObject(recreated, live), force: false }],
    fallbacks: [
      (answers) => {
        const refusal = lastRejection(answers);
        const isFreed =
          refusal !== undefined && quotaFreeReason(refusal, recreated, live) !== undefined;
        return isFreed ? undefined : ownNameRequest(recreated, live);
      },
    ],
    conclude: (answers) => {
      const [made] = answers;
      const steps: readonly Step[] = [
        toStep(immutableFields(causes, object, live)),
        { type: "apply" },
      ];
      if (made?.ok === true) {
        const value = restoreConflictingResources(
          renameAnswer(made.value, recreated, live),
          recreated,
          live,
        );
        return { alone, answer: { ok: true, value }, steps };
      }
      const refusal = lastRejection(answers);
      if (refusal === undefined) return soFar;
      const unanswered = isNameTaken(answers)
        ? validOnlyUnderOwnName
        : quotaFreeReason(refusal, recreated, live);
      return unanswered === undefined
        ? { ...soFar, recreateRefusal: refusal }
        : { ...soFar, unanswered, steps };
    },
  };
}

/**
 * Returns the answer that decides about a recreation: the one to the manifest alone. If it
 * conflicts only with fields that an ownership transfer takes, such as those of the object's former
 * stage, the answer without this conflict decides.
 */
function decidingAnswer({ answer, alone, lossFix, steps }: DryRunResult): DryRunResult["alone"] {
  const isConflict = !alone.ok && fieldConflicts(alone.failure.causes).length > 0;
  const isForced = steps.some(({ type }) => type === "force");
  return lossFix !== undefined || (isConflict && !isForced) ? answer : alone;
}

function immutableFields(
  causes: ApiFailure["causes"],
  object: KubeObject,
  live: KubeObject,
): readonly string[] {
  const fields = causes.filter(isImmutable).flatMap(({ field, message }) => {
    const named = changedImmutableFields(message, object, live);
    return named.length > 0 ? named : [field];
  });
  return [...new Set(fields)].filter((field) => field !== "" && field !== "<nil>");
}

/** Reports whether an object can be replaced if its manifest allows it. */
export function isReplaceable(object: KubeObject, live: KubeObject): boolean {
  const isKept = [object, live].some(
    (each) => annotation(each, keepOnDeleteAnnotation) !== undefined,
  );
  return !isProtected(idOf(object)) && !isKept;
}

/**
 * Reports whether the object can be replaced without another decision of the user.
 * A finished Job has nothing to interrupt. A drift correction doesn't run it again, because no user
 * reviews each correction.
 */
export function allowsReplacement(
  object: KubeObject,
  live: KubeObject | undefined,
  { corrects }: Pick<StepCandidate, "corrects">,
): boolean {
  const allowed = annotation(object, replaceAnnotation);
  if (allowed !== undefined) return allowed === "true";
  return corrects !== true && live !== undefined && isFinishedJob(live);
}

/**
 * Converts the answer for the temporary name to the real name.
 * Labels and selectors can also contain the temporary name and the generated uid.
 */
function renameAnswer(made: KubeObject, sent: KubeObject, live: KubeObject): KubeObject {
  const { name } = idOf(sent);
  const temporary = idOf(withTemporaryName(sent)).name;
  const uid = uidOf(made);
  const texts: readonly (readonly [string, string])[] = [
    [temporary, name],
    ...(uid === "" ? [] : [[uid, allocatedPlaceholder] as const]),
    ...tokenVolumes(made, live),
  ];
  const shown = mapStrings(made, (text) =>
    texts.reduce((changed, [from, to]) => changed.replaceAll(from, to), text),
  );
  return withMetadata(shown, { ...shown.metadata, uid, name });
}

/** Each Pod gets a volume with a random name for its ServiceAccount token. */
function tokenVolumes(
  made: KubeObject,
  live: KubeObject,
): readonly (readonly [from: string, to: string])[] {
  const tokenVolumeName = (object: KubeObject) =>
    listAt(object, "spec", "volumes")
      .map((volume) => textAt(volume, "name") ?? "")
      .find((volume) => /^kube-api-access-[a-z0-9]{5}$/.test(volume));
  const [from, to] = [tokenVolumeName(made), tokenVolumeName(live)];
  return from === undefined || to === undefined ? [] : [[from, to]];
}
