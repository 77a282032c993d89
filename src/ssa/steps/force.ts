import type { KubeObject } from "../../model/object.ts";
import {
  type ConflictPolicy,
  type FieldConflict,
  type ForceStep,
  fieldManager,
  type Step,
} from "../../model/plan/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { fieldPaths, subtractFieldSet, unionFieldSets } from "../field-sets.ts";
import { appliedFields, fieldOwners } from "../managed-fields.ts";
import { planOwnershipTransfer, unrecordedManager } from "../ownership-transfer.ts";
import { fieldConflicts } from "../predict-conflicts.ts";
import type { DryRunResult, StepCandidate, StepKind, StepTarget, StepTrial } from "./step.ts";

/** Takes ownership of fields if the user allows it (docs/reference/ownership.md#conflicts). */
export const force: StepKind<ForceStep> = {
  detect,
  assume: () => undefined,
  execution: ({ conflicts }) => ({ by: "apply", force: conflicts }),
  describe: ({ conflicts, leaves = [] }, { name, field, canNameFields }) => [
    ...conflicts.map((conflict): Problem => {
      const { path, values } = field(conflict);
      return {
        code: "forced-field",
        subjects: [name],
        what: `${name}: qvs takes ${path} from another field manager`,
        facts: [{ label: "owner", value: `"${conflict.manager}"` }, ...values],
        fix: `Make sure that "${conflict.manager}" doesn't write the field again: otherwise, the two undo each other's changes`,
        where: [],
      };
    }),
    ...leaves.map(({ manager, fields }): Problem => {
      const kept = canNameFields ? fields.join(", ") : fieldCount(fields.length);
      return {
        code: "kept-field",
        subjects: [name],
        what: `${name}: "${manager}" keeps its other fields`,
        facts: [{ label: "fields", value: kept }],
        fix: `Nothing to do if "${manager}" still needs these fields`,
        otherwise: [
          `take all its fields with --takeover=${manager}, which removes undeclared fields`,
        ],
        inputs: [`takeover: ${manager}`],
        where: [],
      };
    }),
  ],
  digest: ({ conflicts }) => ({ forces: conflicts.map((each) => ({ ...each })) }),
};

/**
 * Tests a forced apply if qvs can resolve all conflicts.
 * They are conflicts with tools whose fields qvs takes over, or with managers that the user named.
 * If one conflict remains, qvs reports the object.
 */
function detect(candidate: StepCandidate, { alone }: DryRunResult): StepTrial | undefined {
  if (alone.ok) return undefined;
  const all = fieldConflicts(alone.failure.causes);
  const conflicts = all.filter((conflict) => !isResolvedByTransfer(conflict, candidate));
  const isAllowed = conflicts.every((conflict) => canForce(conflict, candidate));
  if (all.length === 0 || !isAllowed) return undefined;
  return {
    requests: [{ verb: "apply", object: candidate.object, force: true }],
    conclude: ([answer = alone]) => {
      const leaves = answer.ok ? remainingFields(conflicts, answer.value, candidate) : [];
      const step: Step =
        conflicts.length === 0 ? { type: "apply" } : { type: "force", conflicts, leaves };
      return { alone, answer, steps: [step] };
    },
  };
}

/**
 * Returns the step for predicted conflicts.
 * Returns undefined if one of them must not be forced.
 */
export function stepForConflicts(
  conflicts: readonly FieldConflict[],
  candidate: Pick<StepCandidate, "conflicts" | "live">,
): Step | undefined {
  if (conflicts.length === 0) return { type: "apply" };
  const isAllowed = conflicts.every((conflict) => canForce(conflict, candidate));
  return isAllowed ? { type: "force", conflicts } : undefined;
}

function fieldCount(fields: number): string {
  return fields === 1 ? "1 field" : `${fields} fields`;
}

/** Lists the undeclared fields that managers keep after the forced apply. */
function remainingFields(
  conflicts: readonly FieldConflict[],
  after: KubeObject,
  { deployment, stage }: StepTarget,
): readonly { readonly manager: string; readonly fields: readonly string[] }[] {
  const ours = appliedFields(after, fieldManager(deployment, stage));
  const managers = new Set(conflicts.map(({ manager }) => manager));
  return [...managers].flatMap((manager) => {
    const theirs = fieldOwners(after).filter(
      (owner) =>
        owner.manager === manager && owner.subresource === "" && manager !== unrecordedManager,
    );
    const all = unionFieldSets(theirs.map(({ fields }) => fields));
    const fields = fieldPaths(subtractFieldSet(all, ours));
    return fields.length === 0 ? [] : [{ manager, fields }];
  });
}

/**
 * Reports whether an ownership transfer resolves a conflict.
 * The API server names the manager but not its operation. If two entries have the same name, the
 * conflict is ambiguous.
 */
export function isResolvedByTransfer(
  { manager, subresource }: Pick<FieldConflict, "manager" | "subresource">,
  target: StepTarget,
): boolean {
  const transfer = planOwnershipTransfer(target.live, target);
  // An apply never conflicts with its own entry, so this is the entry of an earlier patch of this
  // deployment.
  const isOwn = manager === fieldManager(target.deployment, target.stage);
  if (isOwn) return subresource === "" && transfer !== undefined;
  const transferred = transfer?.managers ?? [];
  const entries = fieldOwners(target.live).filter(
    (owner) => owner.manager === manager && owner.subresource === subresource,
  );
  const isWhole = entries.length === 1 || (target.takeover ?? []).includes(manager);
  return subresource === "" && transferred.includes(manager) && isWhole;
}

function canForce(
  conflict: FieldConflict,
  { conflicts, live }: Pick<StepCandidate, "conflicts" | "live">,
): boolean {
  return isForceAllowed(conflicts, conflict) || isUnownedConflict(conflict, live);
}

function isForceAllowed({ force, takeover }: ConflictPolicy, { manager }: FieldConflict): boolean {
  return force || takeover.includes(manager);
}

/**
 * Reports whether the conflict exists only because the object has no record of owners.
 * The API server then creates an entry for all fields at the first apply. The next deployment takes
 * ownership of the remaining fields.
 */
function isUnownedConflict({ manager }: FieldConflict, live: StepTarget["live"]): boolean {
  return manager === unrecordedManager && fieldOwners(live).length === 0;
}
