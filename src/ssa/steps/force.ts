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

/** Takes fields of others from them, where the user allows it (docs/reference/ownership.md#conflicts). */
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
        what: `${name}: qvs takes ${path} from another field manager`,
        facts: [{ label: "owner", value: `"${conflict.manager}"` }, ...values],
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
 * All conflicts must be settled in our favour: with tools whose fields we take over, and with the managers that the user named. One
 * that may not be settled leaves the object to be reported.
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

/** The step for conflicts that no dry-run has told; undefined where one of them may not be forced. */
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

/** What a manager owns once the fields in dispute are ours, and nobody declares here. */
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
 * Whether a conflict is gone once the fields of client-side tools are ours. The server names a manager, not its operation: where one name
 * stands for two entries, nobody can say which is meant.
 */
export function isResolvedByTransfer(
  { manager, subresource }: Pick<FieldConflict, "manager" | "subresource">,
  target: Target,
): boolean {
  const transfer = ownershipTransferOf(target.live, target);
  // Applying never conflicts with what was applied: this is the entry of an earlier patch of our own.
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
 * Where an object has no record of owners, as one from before there were any, the server makes one up for all of its fields at the
 * first apply. The next change finds that record and takes the rest over.
 */
function isNobodys({ manager }: FieldConflict, live: Target["live"]): boolean {
  return manager === unrecorded && ownersOf(live).length === 0;
}
