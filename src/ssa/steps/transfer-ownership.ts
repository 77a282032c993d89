import { type JsonObject, sameJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Step, TransferOwnershipStep } from "../../model/plan/plan.ts";
import type { Fact, Problem } from "../../model/problems/problem.ts";
import { type Stage, stages } from "../../model/sources/compilation.ts";
import { contentPatch } from "../json-patch.ts";
import { fieldOwners } from "../managed-fields.ts";
import {
  type NewOwner,
  ownershipTransferPatch,
  planOwnershipTransfer,
  withTransferredOwners,
} from "../ownership-transfer.ts";
import { tryWithoutConflictingFields } from "./excluded-fields.ts";
import {
  type DryRunResult,
  type PatchDecision,
  type StepCandidate,
  type StepKind,
  type StepLabels,
  type StepTrial,
  withFirstStep,
} from "./step.ts";
import { pruneTransferred, transferStep } from "./transferred-fields.ts";

/**
 * Takes ownership of the fields of client-side tools and removes undeclared ones
 * (docs/reference/ownership.md#ownership-transfer).
 * Otherwise fields that are no longer declared would stay, and every change would be a conflict.
 */
export const transferOwnership: StepKind<TransferOwnershipStep> = {
  detect,
  assume: (target) => transferStep(target),
  execution: (step, target) => ({
    by: "patch",
    patch: (live) => transferPatch(step, live, target),
  }),
  describe: (step, words) => (step.managers.length === 0 ? [] : [describeTransfer(step, words)]),
  digest: ({ managers, removes }) => ({ transfers: [...managers], removes: [...removes] }),
};

/**
 * Tests the transfer.
 * A dry run can't show the removal, because it starts with the current owners. qvs removes the
 * fields from the answer with the API server's rule.
 * A dry run of an update shows whether the object is valid without these fields. An update ignores
 * owners and sets exactly the sent fields.
 * The API server adds defaults and keeps allocated values, such as node ports.
 */
function detect(candidate: StepCandidate, soFar: DryRunResult): StepTrial | undefined {
  if (soFar.unanswered !== undefined) return assumeTransfer(candidate, soFar);
  if (!soFar.answer.ok) return tryWithoutConflictingFields(candidate, soFar, soFar.answer.failure);
  const { live } = candidate;
  const now = planOwnershipTransfer(live, candidate);
  // Fields without a recorded owner stay. The API server records an owner at the first apply, and
  // the next deployment takes over its fields.
  if (now === undefined) return undefined;
  const predicted = soFar.answer.value;
  const left = planOwnershipTransfer(predicted, candidate);
  const loss = left === undefined ? undefined : pruneTransferred(candidate, predicted, left);
  const isLosing = loss !== undefined && loss.removed.length > 0;
  return {
    requests: isLosing
      ? [{ verb: "patch", patch: contentPatch(live, loss.value as KubeObject) }]
      : [],
    conclude: ([answer]) => {
      if (answer?.ok === false) return { ...soFar, answer, lossFix };
      const { managers, fields } = now;
      const rest =
        left === undefined
          ? undefined
          : pruneTransferred(candidate, predicted, left, answer?.value);
      const step = { type: "transfer-ownership", managers, fields, removes: rest?.removed ?? [] };
      const value =
        left && rest ? withTransferredOwners(rest.value as KubeObject, left) : predicted;
      return withFirstStep(step as TransferOwnershipStep, {
        ...soFar,
        answer: { ok: true, value },
      });
    },
  };
}

/**
 * The API server accepted the manifest alone, so the rejection is about the fields that the step
 * removes.
 */
const lossFix =
  "Declare the live fields: qvs takes ownership of the object from other tools and would remove undeclared fields";

/** Predicts the removals from the declared fields, because no dry run shows the merged object. */
function assumeTransfer(candidate: StepCandidate, soFar: DryRunResult): StepTrial | undefined {
  const step = transferStep(candidate);
  return step && { requests: [], conclude: () => withFirstStep(step, soFar) };
}

/**
 * Returns the patch for a live object.
 * The step runs exactly as planned or not at all. If such a tool has gained fields since, they need
 * a new plan.
 */
function transferPatch(
  step: TransferOwnershipStep,
  live: KubeObject,
  target: NewOwner,
): PatchDecision {
  const transfer = planOwnershipTransfer(live, { ...target, takeover: step.managers });
  if (transfer === undefined) return "done";
  if (!sameJson(transfer.fields, step.fields)) return "not as planned";
  return ownershipTransferPatch(live, transfer);
}

function describeTransfer(
  { managers, removes }: TransferOwnershipStep,
  words: StepLabels,
): Problem {
  const [from] = managers.flatMap((manager) => words.stageOf(manager) ?? []);
  if (from !== undefined && managers.length === 1) return describeMove(from, removes, words);
  const deleted = words.isAdopted ? ". qvs deletes the object when it is no longer declared" : "";
  return {
    code: "ownership-transfer",
    subjects: [words.name],
    what: `${words.name}: qvs takes ownership from ${managers.join(", ")}`,
    why: `This deployment now owns all its fields${deleted}`,
    facts: removedFields(removes),
    fix: "Declare all fields to keep, and stop applying this object with other tools, which would get conflicts",
    where: [],
  };
}

/** Describes a move between stages, which needs no action by another tool. */
function describeMove(from: Stage, removes: readonly string[], { name }: StepLabels): Problem {
  const to = stages.find((stage) => stage !== from);
  return {
    code: "ownership-transfer",
    subjects: [name],
    what: `${name}: moved from ${from} to ${to}`,
    facts: removedFields(removes),
    fix: "Nothing to do if the move is intended",
    where: [],
  };
}

/** Returns the undeclared fields that the step removes. */
function removedFields(removes: readonly string[]): readonly Fact[] {
  return removes.length === 0 ? [] : [{ label: "removed", value: removes.join(", ") }];
}

/** Reports whether one of these managers owns a field of the object. */
export function hasFieldManager(live: KubeObject, takeover: readonly string[]): boolean {
  return fieldOwners(live).some(
    ({ manager, subresource }) => subresource === "" && takeover.includes(manager),
  );
}

/** Lists the managers whose fields this deployment takes over; undefined if there are none. */
export function transferredManagers(steps: readonly Step[]): readonly string[] | undefined {
  return findTransferStep(steps)?.managers;
}

/**
 * Returns the fields that this deployment takes over before the apply, in the form of
 * `managedFields`.
 */
export function transferredFields(steps: readonly Step[]): JsonObject {
  return findTransferStep(steps)?.fields ?? {};
}

function findTransferStep(steps: readonly Step[]): TransferOwnershipStep | undefined {
  return steps.find((step) => step.type === "transfer-ownership");
}
