import type { PathStep } from "../../model/fields/field-path.ts";
import {
  fieldOf,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  sameJson,
} from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { fieldManager, type ReclaimStep, type Step } from "../../model/plan/plan.ts";
import {
  childKeys,
  childValue,
  existingLeaves,
  fieldPaths,
  pruneFields,
  subtractFieldSet,
  unionFieldSets,
} from "../field-sets.ts";
import { contentPatch, resourceVersionGuard } from "../json-patch.ts";
import { appliedFields, fieldOwners, findApplyEntry } from "../managed-fields.ts";
import { unrecordedManager } from "../ownership-transfer.ts";
import type {
  DryRunResult,
  PatchDecision,
  StepCandidate,
  StepKind,
  StepTarget,
  StepTrial,
} from "./step.ts";

/**
 * Restores the ownership of fields from the last release if `managedFields` was cleared
 * (docs/reference/ownership.md#cleared-managedfields).
 * Otherwise the API server would keep fields that are no longer declared.
 * It would also attribute other tools' fields to a manager whose fields qvs takes over later.
 */
export const reclaim: StepKind<ReclaimStep> = {
  detect,
  assume: () => undefined,
  execution: (step, target) => ({ by: "patch", patch: (live) => reclaimPatch(step, live, target) }),
  describe: ({ removes, leaves }, { name }) => [
    {
      code: "ownership-restored",
      subjects: [name],
      what: `${name}: qvs restores its field ownership from the last release`,
      why: [
        "Its metadata.managedFields no longer shows which fields belong to this deployment",
        ...(leaves.length === 0
          ? []
          : ["qvs keeps fields that are no longer declared but were changed since"]),
      ].join(". "),
      facts: [
        ...(removes.length === 0 ? [] : [{ label: "removed", value: removes.join(", ") }]),
        ...(leaves.length === 0 ? [] : [{ label: "kept", value: leaves.join(", ") }]),
      ],
      fix: `Find out which tool cleared metadata.managedFields${leaves.length === 0 ? "" : ", and remove the kept fields manually if no one needs them"}`,
      where: [],
    },
  ],
  digest: ({ removes, leaves }) => ({ reclaims: [...removes], leaves: [...leaves] }),
};

/**
 * Tests the restored ownership.
 * Only the API server knows which fields a manifest covers, so a dry run applies the last manifest.
 * A dry run can't show the removal, as with an ownership transfer. qvs predicts it with the API
 * server's rule and tests it with an update.
 */
function detect(candidate: StepCandidate, soFar: DryRunResult): StepTrial | undefined {
  const { live, recorded } = candidate;
  if (!soFar.answer.ok || recorded === undefined || fieldOwners(live).length > 0) return undefined;
  const predicted = soFar.answer.value;
  if (findApplyEntry(predicted, ownManager(candidate)) === undefined) return undefined;
  const { sent } = recorded;
  const predictLoss = (found: KubeObject | undefined, defaults?: KubeObject) =>
    pruneReclaimed(
      predicted,
      reclaimableFields(candidate, predicted, found).fields,
      candidate,
      defaults,
    );
  const sendsRecorded = sent !== undefined && sent.apiVersion === candidate.object.apiVersion;
  return {
    requests: [
      ...(sendsRecorded ? [{ verb: "apply", object: sent, force: true } as const] : []),
      ([first]) => {
        const { removed, value } = predictLoss(first?.ok === true ? first.value : undefined);
        if (removed.length === 0) return undefined;
        return { verb: "patch", patch: contentPatch(live, value as KubeObject) };
      },
    ],
    conclude: (answers) => {
      const found = sendsRecorded && answers[0]?.ok === true ? answers[0].value : undefined;
      const tried = found === undefined ? undefined : answers[1];
      if (tried?.ok === false) return { ...soFar, answer: tried, lossFix };
      const { fields, leaves } = reclaimableFields(candidate, predicted, found);
      const { value, removed } = predictLoss(found, tried?.value);
      const step: ReclaimStep = { type: "reclaim", fields, removes: removed, leaves };
      const steps = [step, ...soFar.steps.map(withoutUnrecordedConflicts)];
      const answer = {
        ok: true,
        value: withoutUnrecordedEntry(value as KubeObject, live),
      } as const;
      return { ...soFar, answer, steps };
    },
  };
}

/**
 * The API server accepted the manifest alone, so the rejection is about the fields that the step
 * removes.
 */
const lossFix =
  "Declare the live fields: the last release sent them, and qvs would remove fields that are no longer declared";

function ownManager({ deployment, stage }: Pick<StepTarget, "deployment" | "stage">): string {
  return fieldManager(deployment, stage);
}

interface ReclaimedFields {
  /**
   * The fields that certainly belonged to this deployment: their value is as sent, or they are
   * declared again.
   */
  readonly fields: JsonObject;
  /** The paths of fields that were sent with another value. */
  readonly leaves: readonly string[];
}

function reclaimableFields(
  candidate: StepCandidate,
  predicted: KubeObject,
  sent: KubeObject | undefined,
): ReclaimedFields {
  const manager = ownManager(candidate);
  const ours = appliedFields(predicted, manager);
  const again = existingLeaves(ours, candidate.live);
  if (sent === undefined) return { fields: again, leaves: [] };
  const before = appliedFields(sent, manager);
  const ignored = candidate.recorded?.ignored ?? [];
  const dropped = ignored.reduce(withoutPath, subtractFieldSet(before, ours));
  const present = existingLeaves(dropped, candidate.live);
  const same = unchangedFields(present, candidate.live, sent);
  return {
    fields: unionFieldSets([again, same]),
    leaves: fieldPaths(subtractFieldSet(present, same)),
  };
}

/**
 * Returns the fields of a set with the same value in both objects.
 * A list item that is owned as a whole counts only if all its sent fields match.
 */
function unchangedFields(set: JsonObject, live: Json, sent: Json): JsonObject {
  return Object.fromEntries(
    childKeys(set).flatMap((child) => {
      const [below, now, then] = [
        fieldOf(set, child),
        childValue(live, child),
        childValue(sent, child),
      ];
      if (!isObject(below) || now === undefined || then === undefined) return [];
      if (childKeys(below).length === 0) return sameJson(now, then) ? [[child, below]] : [];
      const same = unchangedFields(below, now, then);
      if (Object.hasOwn(below, "."))
        return sameJson({ ".": {}, ...same }, below) ? [[child, below]] : [];
      return childKeys(same).length === 0 ? [] : [[child, same]];
    }),
  );
}

/**
 * Returns a set without the fields under a path.
 * It leaves out a list item that is owned as a whole if the path leads into it.
 */
function withoutPath(set: JsonObject, [step, ...rest]: readonly PathStep[]): JsonObject {
  if (step === undefined) return {};
  return Object.fromEntries(
    Object.entries(set).flatMap(([child, below]) => {
      const isMatch = step.type === "field" ? child === `f:${step.name}` : /^[kv]:/.test(child);
      if (!isMatch || !isObject(below)) return [[child, below]];
      const isLost =
        rest.length === 0 || childKeys(below).length === 0 || Object.hasOwn(below, ".");
      if (isLost) return [];
      const left = withoutPath(below, rest);
      return childKeys(left).length === 0 ? [] : [[child, left]];
    }),
  );
}

function pruneReclaimed(
  predicted: KubeObject,
  fields: JsonObject,
  candidate: StepCandidate,
  defaults: KubeObject | undefined,
) {
  const ours = appliedFields(predicted, ownManager(candidate));
  return pruneFields(predicted, { dropped: fields, kept: [ours], defaults });
}

/**
 * Removes the entry that the API server creates for fields without an owner.
 * It doesn't create one if the entry of this deployment is recorded first.
 */
function withoutUnrecordedEntry(object: KubeObject, live: KubeObject): KubeObject {
  const known = new Set(fieldOwners(live).map(({ manager }) => manager));
  const managedFields = listAt(object, "metadata", "managedFields").filter(
    (entry) =>
      !isObject(entry) || entry.manager !== unrecordedManager || known.has(unrecordedManager),
  );
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

function withoutUnrecordedConflicts(step: Step): Step {
  if (step.type !== "force") return step;
  const conflicts = step.conflicts.filter(({ manager }) => manager !== unrecordedManager);
  return conflicts.length === 0 ? { type: "apply" } : { ...step, conflicts };
}

/**
 * Returns the patch for a live object.
 * If another manager is recorded as an owner again, the object isn't as planned.
 */
function reclaimPatch(
  { fields }: ReclaimStep,
  live: KubeObject,
  target: Omit<StepTarget, "live">,
): PatchDecision {
  const manager = ownManager(target);
  if (findApplyEntry(live, manager) !== undefined) return "done";
  if (fieldOwners(live).length > 0) return "not as planned";
  const { apiVersion } = target.object;
  const own = { manager, operation: "Apply", apiVersion, fieldsType: "FieldsV1", fieldsV1: fields };
  return [resourceVersionGuard(live), { op: "add", path: "/metadata/managedFields", value: [own] }];
}
