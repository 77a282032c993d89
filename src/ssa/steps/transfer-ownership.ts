import { type Stage, stages } from "../../model/compilation.ts";
import { type JsonObject, sameJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Step, StepOf } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { contentPatch } from "../json-patch.ts";
import { ownersOf } from "../managed-fields.ts";
import {
  type Owner,
  ownershipTransferOf,
  ownershipTransferPatch,
  withTransferredOwners,
} from "../ownership-transfer.ts";
import { tryWithoutExcluded } from "./excluded-fields.ts";
import {
  type Candidate,
  type DryRunResult,
  type PatchDecision,
  type StepKind,
  type StepWords,
  type Trial,
  withFirstStep,
} from "./step.ts";
import { pruneTransferred, transferStep } from "./transferred-fields.ts";

type TransferOwnershipStep = StepOf<"transfer-ownership">;

/**
 * Makes the fields of client-side tools ours (docs/reference/ownership.md#ownership-transfer), and removes those that we do not
 * declare: otherwise fields that we stop declaring would stay for ever, and every change would be a conflict.
 */
export const transferOwnership: StepKind<TransferOwnershipStep> = {
  detect,
  assume: (target) => transferStep(target),
  execution: (step, target) => ({ by: "patch", patch: (live) => patchOf(step, live, target) }),
  describe: (step, words) => (step.managers.length === 0 ? [] : [takenOver(step, words)]),
  digest: ({ managers, removes }) => ({ transfers: [...managers], removes: [...removes] }),
};

/**
 * A dry-run can't show the removal, since it begins with the owners of now; so what it answers is pruned here by the server's own
 * rule. The server is asked whether the object may lose that, by an update, which goes by what is sent, whoever owns what: it fills
 * in defaults and keeps what it has allocated, such as node ports.
 */
function detect(candidate: Candidate, soFar: DryRunResult): Trial | undefined {
  if (soFar.unanswered !== undefined) return assumed(candidate, soFar);
  if (!soFar.answer.ok) return tryWithoutExcluded(candidate, soFar, soFar.answer.failure);
  const { live } = candidate;
  const now = ownershipTransferOf(live, candidate);
  // What nobody is recorded as an owner of stays: the server makes up an owner at the first apply, whom the next change finds.
  if (now === undefined) return undefined;
  const predicted = soFar.answer.value;
  const left = ownershipTransferOf(predicted, candidate);
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

/** By itself the manifest was accepted, so what the step removes is what is missed. */
const lossFix =
  "Declare what is live there: the object is taken over from others, and what is not declared would be removed";

function assumed(candidate: Candidate, soFar: DryRunResult): Trial | undefined {
  const step = transferStep(candidate);
  return step && { requests: [], conclude: () => withFirstStep(step, soFar) };
}

/** What was planned is done or nothing: fields that such a tool has got meanwhile are for a new plan. */
function patchOf(step: TransferOwnershipStep, live: KubeObject, target: Owner): PatchDecision {
  const transfer = ownershipTransferOf(live, { ...target, takeover: step.managers });
  if (transfer === undefined) return "done";
  if (!sameJson(transfer.fields, step.fields)) return "not as planned";
  return ownershipTransferPatch(live, transfer);
}

function takenOver({ managers, removes }: TransferOwnershipStep, words: StepWords): Problem {
  const [from] = managers.flatMap((manager) => words.stageOf(manager) ?? []);
  if (from !== undefined && managers.length === 1) return moved(from, removes, words);
  const managed = words.isFirstMet ? "; from now on deleted when no longer declared" : "";
  const removed =
    removes.length === 0 ? "" : `, and what is not declared is removed: ${removes.join(", ")}`;
  return {
    code: "ownership-transfer",
    subjects: [words.name],
    what: `${words.name}: taken over from ${managers.join(", ")}; all fields belong to this deployment now${removed}${managed}`,
    fix: "Declare what is to stay, and stop applying this object with other tools: they will get conflicts",
    where: [],
  };
}

/** Nobody else has to do anything about it. */
function moved(from: Stage, removes: readonly string[], { name }: StepWords): Problem {
  const removed =
    removes.length === 0 ? "" : `, and what is not declared is removed: ${removes.join(", ")}`;
  const to = stages.find((stage) => stage !== from);
  return {
    code: "ownership-transfer",
    subjects: [name],
    what: `${name}: moved from ${from} to ${to}${removed}`,
    fix: "Nothing has to be done if it is meant",
    where: [],
  };
}

/** Whether a manager that the user wants everything of holds something of an object. */
export function isTakenOver(live: KubeObject, takeover: readonly string[]): boolean {
  return ownersOf(live).some(
    ({ manager, subresource }) => subresource === "" && takeover.includes(manager),
  );
}

/** Managers whose fields become this deployment's; undefined where none are taken over. */
export function managersTakenOver(steps: readonly Step[]): readonly string[] | undefined {
  return transferIn(steps)?.managers;
}

/** The fields of a live object that become this deployment's before it is applied, in the form of `managedFields`. */
export function fieldsTakenOver(steps: readonly Step[]): JsonObject {
  return transferIn(steps)?.fields ?? {};
}

function transferIn(steps: readonly Step[]): TransferOwnershipStep | undefined {
  return steps.find((step) => step.type === "transfer-ownership");
}
