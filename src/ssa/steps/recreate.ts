import { keepOnDeleteAnnotation, replaceAnnotation } from "../../model/annotations.ts";
import type { ApiFailure } from "../../model/cluster/api/api-failure.ts";
import {
  isQuotaExceeded,
  quotaExcesses,
  rejectingQuota,
} from "../../model/cluster/api/messages/denials.ts";
import { isImmutable, isOnlyImmutable } from "../../model/cluster/api/messages/immutable.ts";
import { changedImmutableFields } from "../../model/cluster/fields/immutable-fields.ts";
import { isFinishedJob } from "../../model/cluster/jobs.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { hasNodePorts, isLoadBalancer } from "../../model/cluster/service-types.ts";
import { at, type Json, listAt, mapStrings, numberAt, sameJson, textAt } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { annotation, idOf, type KubeObject, uidOf, withMetadata } from "../../model/object.ts";
import type { Step, StepOf } from "../../model/plan/plan.ts";
import { allocatedPlaceholder } from "../allocated-values.ts";
import { isDefault } from "../managed-fields.ts";
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
  const failure = withoutDefaultCauses(refused.failure, object, live);
  if (!isReplaceable(object, live) || !isOnlyImmutable(failure)) return undefined;
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

/**
 * Leaves out rejections of live defaults if the others are about immutable fields. A new object
 * gets other defaults: for a Job with a `podFailurePolicy`, another `podReplacementPolicy`.
 */
export function withoutDefaultCauses(
  failure: ApiFailure,
  object: KubeObject,
  live: KubeObject | undefined,
): ApiFailure {
  if (live === undefined) return failure;
  const isAboutDefault = (cause: ApiFailure["causes"][number]) =>
    !isImmutable(cause) &&
    /^\w+(\.\w+)+$/.test(cause.field) &&
    isDefault(live, object, cause.field.split("."));
  const causes = failure.causes.filter((cause) => !isAboutDefault(cause));
  const isDecided = causes.length > 0 && isOnlyImmutable({ ...failure, causes });
  return isDecided ? { ...failure, causes } : failure;
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

/**
 * Returns the reason why the API server will accept the new object after the old one is deleted.
 * Returns undefined if that isn't certain.
 * The API server checks quotas last, so nothing else is wrong. A demand that isn't larger than
 * before exceeds no other quota either.
 */
export function quotaFreeReason(
  failure: ApiFailure,
  object: KubeObject,
  live: KubeObject,
): string | undefined {
  const excesses = isQuotaExceeded(failure) ? quotaExcesses(failure) : [];
  if (excesses.length === 0 || !usesNoMoreQuota(object, live)) return undefined;
  const isFreed = excesses.every(({ used, limited }) => {
    const [now, most] = [used, limited].map(parseQuantity);
    // The old object frees the same usage. If the quota was lowered, even that isn't enough.
    return now !== undefined && most !== undefined && now <= most;
  });
  if (!isFreed) return undefined;
  return `ResourceQuota ${rejectingQuota(failure)} has no room for it until the old object is deleted`;
}

/** Reports whether the new object counts no more than the old one for any quota. */
function usesNoMoreQuota(object: KubeObject, live: KubeObject): boolean {
  switch (kindKey(idOf(object))) {
    case "/Service":
      return (
        nodePortDemand(object) <= nodePortUsage(live) &&
        loadBalancerCount(object) <= loadBalancerCount(live)
      );
    case "/Pod":
      return isCounted(live) && quotaPodFields.every((part) => sameJson(part(object), part(live)));
    case "/PersistentVolumeClaim":
      return false;
    default:
      return true;
  }
}

/**
 * Counts the node ports that the new Service can get. `heldOnNodes` counts those that the old one
 * has.
 */
function nodePortDemand(service: KubeObject): number {
  return hasNodePorts(service) ? listAt(service, "spec", "ports").length : 0;
}

function nodePortUsage(live: KubeObject): number {
  const ports = listAt(live, "spec", "ports").map((port) => numberAt(port, "nodePort") ?? 0);
  return ports.filter((port) => port !== 0).length;
}

function loadBalancerCount(service: KubeObject): number {
  return Number(isLoadBalancer(service));
}

/** Reports whether a Pod still counts; a Pod that has ended doesn't. */
function isCounted(pod: KubeObject): boolean {
  const isEnded = ["Succeeded", "Failed"].includes(textAt(pod, "status", "phase") ?? "");
  return !isEnded && textAt(pod, "metadata", "deletionTimestamp") === undefined;
}

/** The fields that decide how much a Pod counts, and for which quotas. */
const quotaPodFields: readonly ((pod: KubeObject) => Json)[] = [
  ...["resources", "overhead", "activeDeadlineSeconds", "priorityClassName", "affinity"].map(
    (field) => (pod: KubeObject) => at(pod, "spec", field) ?? null,
  ),
  ...["containers", "initContainers"].map(
    (field) => (pod: KubeObject) =>
      listAt(pod, "spec", field).map((container) => ({
        resources: at(container, "resources") ?? {},
        restartPolicy: at(container, "restartPolicy") ?? null,
      })),
  ),
  // Ephemeral claims of the Pod count too.
  (pod) => listAt(pod, "spec", "volumes").flatMap((volume) => at(volume, "ephemeral") ?? []),
];
