import type { KubeObject } from "../../model/object.ts";
import {
  type ConflictPolicy,
  type FieldConflict,
  fieldManager,
  type Step,
  type StepOf,
} from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { conflictsIn } from "../field-conflicts.ts";
import { pathsOfFields, unionOfFields, withoutFields } from "../field-sets.ts";
import { fieldsAppliedBy, ownersOf } from "../managed-fields.ts";
import { ownershipTransferOf, unrecorded } from "../ownership-transfer.ts";
import type { Candidate, DryRunResult, StepKind, Target, Trial } from "./step.ts";

type ForceStep = StepOf<"force">;

/** Takes ownership of fields if the user allows it (docs/reference/ownership.md#conflicts). */
export const force: StepKind<ForceStep> = {
  detect,
  assume: () => undefined,
  execution: ({ conflicts }) => ({ by: "apply", force: conflicts }),
  describe: ({ conflicts, leaves = [] }, { name, field, mayName }) => [
    ...conflicts.map((conflict): Problem => {
      const { path, values } = field(conflict);
      return {
        code: "forced-field",
        subjects: [name],
        what: `${name}: ${path} is taken from "${conflict.manager}" by force${values}`,
        fix: "Make sure that it does not write the field again, or the two will undo each other's changes",
        where: [],
      };
    }),
    ...leaves.map(({ manager, fields }): Problem => {
      const kept = mayName ? fields.join(", ") : countOf(fields.length);
      return {
        code: "kept-field",
        subjects: [name],
        what: `${name}: "${manager}" keeps what is not in dispute: ${kept}`,
        fix: `Take all that ${manager} holds with --takeover=${manager}, which removes what is not declared, or leave it there`,
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
function detect(candidate: Candidate, { alone }: DryRunResult): Trial | undefined {
  if (alone.ok) return undefined;
  const all = conflictsIn(alone.failure.causes);
  const conflicts = all.filter((conflict) => !isResolvedByTransfer(conflict, candidate));
  const isAllowed = conflicts.every((conflict) => mayForce(conflict, candidate));
  if (all.length === 0 || !isAllowed) return undefined;
  return {
    requests: [{ verb: "apply", object: candidate.object, force: true }],
    conclude: ([answer = alone]) => {
      const leaves = answer.ok ? leftBy(conflicts, answer.value, candidate) : [];
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
export function stepOver(
  conflicts: readonly FieldConflict[],
  candidate: Pick<Candidate, "conflicts" | "live">,
): Step | undefined {
  if (conflicts.length === 0) return { type: "apply" };
  const isAllowed = conflicts.every((conflict) => mayForce(conflict, candidate));
  return isAllowed ? { type: "force", conflicts } : undefined;
}

function countOf(fields: number): string {
  return fields === 1 ? "1 field" : `${fields} fields`;
}

/** Lists the undeclared fields that managers keep after the forced apply. */
function leftBy(
  conflicts: readonly FieldConflict[],
  after: KubeObject,
  { deployment, stage }: Target,
): readonly { readonly manager: string; readonly fields: readonly string[] }[] {
  const ours = fieldsAppliedBy(after, fieldManager(deployment, stage));
  const managers = new Set(conflicts.map(({ manager }) => manager));
  return [...managers].flatMap((manager) => {
    const theirs = ownersOf(after).filter(
      (owner) => owner.manager === manager && owner.subresource === "" && manager !== unrecorded,
    );
    const all = unionOfFields(theirs.map(({ fields }) => fields));
    const fields = pathsOfFields(withoutFields(all, ours));
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
  target: Target,
): boolean {
  const transfer = ownershipTransferOf(target.live, target);
  // An apply never conflicts with its own entry, so this is the entry of an earlier patch of this
  // deployment.
  const isOwn = manager === fieldManager(target.deployment, target.stage);
  if (isOwn) return subresource === "" && transfer !== undefined;
  const transferred = transfer?.managers ?? [];
  const entries = ownersOf(target.live).filter(
    (owner) => owner.manager === manager && owner.subresource === subresource,
  );
  const isWhole = entries.length === 1 || (target.takeover ?? []).includes(manager);
  return subresource === "" && transferred.includes(manager) && isWhole;
}

function mayForce(
  conflict: FieldConflict,
  { conflicts, live }: Pick<Candidate, "conflicts" | "live">,
): boolean {
  return isAllowedBy(conflicts, conflict) || isNobodys(conflict, live);
}

function isAllowedBy({ force, takeover }: ConflictPolicy, { manager }: FieldConflict): boolean {
  return force || takeover.includes(manager);
}

/**
 * Reports whether the conflict exists only because the object has no record of owners.
 * The API server then creates an entry for all fields at the first apply. The next deployment takes
 * ownership of the remaining fields.
 */
function isNobodys({ manager }: FieldConflict, live: Target["live"]): boolean {
  return manager === unrecorded && ownersOf(live).length === 0;
}
