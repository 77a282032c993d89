import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import { isDuplicate, isImmutable } from "../../model/cluster/api-words.ts";
import { type Stage, stages } from "../../model/compilation.ts";
import { isObject, type JsonObject, sameJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { fieldManager, type Step, type StepOf } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import {
  fieldsPresent,
  fieldsWithin,
  type Pruned,
  pruneFields,
  unionOfFields,
} from "../field-sets.ts";
import { contentPatch } from "../json-patch.ts";
import { appliedBy, ownersOf } from "../managed-fields.ts";
import { mergeLocally } from "../merge-locally.ts";
import {
  isApplyOf,
  type Owner,
  type OwnershipTransfer,
  ownershipTransferOf,
  ownershipTransferPatch,
  withoutLastApplied,
} from "../ownership-transfer.ts";
import { besideOld, byItsName, isTakenByItsName } from "./beside-old.ts";
import { holdersBeside } from "./holders-beside.ts";
import type {
  Candidate,
  DryRunRequest,
  DryRunResult,
  PatchDecision,
  StepKind,
  StepWords,
  Target,
  Trial,
} from "./step.ts";

type TransferOwnershipStep = StepOf<"transfer-ownership">;

/**
 * Makes the fields of client-side tools ours (docs/reference/ownership.md#ownership-transfer), and removes those that we do not
 * declare: otherwise fields that we stop declaring would stay for ever, and every change would be a conflict.
 */
export const transferOwnership: StepKind<TransferOwnershipStep> = {
  detect,
  assume: (target) => assume(target),
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
  if (!soFar.answer.ok) return refused(candidate, soFar, soFar.answer.failure);
  const { live } = candidate;
  const predicted = soFar.answer.value;
  const now = ownershipTransferOf(live, candidate);
  const left = ownershipTransferOf(predicted, candidate);
  const loss = left === undefined ? undefined : pruned(candidate, predicted, left);
  const isLosing = loss !== undefined && loss.removed.length > 0;
  if (now === undefined && !isLosing) return undefined;
  return {
    requests: isLosing
      ? [{ verb: "patch", patch: contentPatch(live, loss.value as KubeObject) }]
      : [],
    conclude: ([answer]) => {
      if (answer?.ok === false) return { ...soFar, answer, lossFix };
      if (now === undefined) return soFar;
      const { managers, fields } = now;
      const rest =
        left === undefined ? undefined : pruned(candidate, predicted, left, answer?.value);
      const step = { type: "transfer-ownership", managers, fields, removes: rest?.removed ?? [] };
      const value = left && rest ? withOwners(rest.value as KubeObject, left) : predicted;
      return withStep(step as TransferOwnershipStep, { ...soFar, answer: { ok: true, value } });
    },
  };
}

/** By itself the manifest was accepted, so what the step removes is what is missed. */
const lossFix =
  "Declare what is live there: the object is taken over from others, and what is not declared would be removed";

function assumed(candidate: Candidate, soFar: DryRunResult): Trial | undefined {
  const step = assume(candidate);
  return step && { requests: [], conclude: () => withStep(step, soFar) };
}

/** What can't be changed is no matter of who holds it. */
function refused(candidate: Candidate, soFar: DryRunResult, failure: ApiFailure) {
  const { reason, causes } = failure;
  if (reason !== "invalid" || causes.length === 0 || causes.some(isImmutable)) return undefined;
  return collided(candidate, soFar, failure) ?? excluded(candidate, soFar, failure);
}

/**
 * What is declared may be refused only beside what others hold, as two handlers of one probe. The server is asked about an update to what is
 * there without that: first without what is taken over, and where that is not it, without what others hold as well.
 */
function excluded(
  candidate: Candidate,
  soFar: DryRunResult,
  { causes }: ApiFailure,
): Trial | undefined {
  const { object, takeover = [] } = candidate;
  const sets = object.kind === "Secret" ? [] : holdersBeside(candidate, causes);
  const attempts = [[], ...sets].flatMap((others) => {
    const update = withoutTaken({ ...candidate, takeover: [...takeover, ...others] });
    return update === undefined ? [] : [{ ...update, others }];
  });
  const [first, ...more] = attempts;
  if (first === undefined) return undefined;
  return {
    requests: [first.request],
    otherwise: more.map(
      ({ request }) =>
        () =>
          request,
    ),
    conclude: (answers) => {
      const [last, attempt] = [answers.at(-1), attempts[answers.length - 1]];
      if (last?.ok !== true || attempt === undefined) return soFar;
      const { others, transfer } = attempt;
      if (others.length > 0) return { ...soFar, excludedBy: others };
      const step = assume(candidate, last.value);
      if (step === undefined) return soFar;
      const value = withOwners(last.value, asApplied(transfer, last.value, candidate));
      return withStep(step, { ...soFar, answer: { ok: true, value } });
    },
  };
}

/** The update that makes of a live object what applying makes of it once all that is taken over is ours; undefined where nothing goes then. */
function withoutTaken(
  candidate: Candidate,
): { readonly transfer: OwnershipTransfer; readonly request: DryRunRequest } | undefined {
  const { live, object, deployment, stage } = candidate;
  const transfer = ownershipTransferOf(live, candidate);
  if (transfer === undefined || assume(candidate)?.removes.length === 0) return undefined;
  const owned = withOwners(withoutLastApplied(live), transfer);
  const merged = mergeLocally(owned, object, fieldManager(deployment, stage), "filled in");
  return { transfer, request: { verb: "patch", patch: contentPatch(live, merged) } };
}

/** With what is declared as ours, whether the update has set it or somebody held it before, beside what is left of what is taken over. */
function asApplied(
  transfer: OwnershipTransfer,
  updated: KubeObject,
  { object, deployment, stage }: Target,
): OwnershipTransfer {
  const owned = unionOfFields(ownersOf(updated).map(({ fields }) => fields));
  const fieldsV1 = unionOfFields([
    fieldsPresent(owned, object),
    fieldsWithin(transfer.fields, updated),
  ]);
  const manager = fieldManager(deployment, stage);
  const managedFields = transfer.managedFields.map((entry) =>
    isApplyOf(entry, manager) && isObject(entry) ? { ...entry, fieldsV1 } : entry,
  );
  return { ...transfer, managedFields };
}

/**
 * What is declared may be refused only because it is merged with what is taken over and goes, as two ports of one name. Then it is valid by
 * itself, which is asked under a name that is free.
 */
function collided(
  candidate: Candidate,
  soFar: DryRunResult,
  { causes }: ApiFailure,
): Trial | undefined {
  const step = assume(candidate);
  const mayCollide = causes.every(({ message }) => isDuplicate({ message }));
  if (!mayCollide || step === undefined || step.removes.length === 0) return undefined;
  const unanswered = `what is declared collides with what is taken over from ${step.managers.join(", ")} and removed first`;
  return {
    requests: [
      { verb: "apply", object: besideOld(candidate.object, candidate.live), force: false },
    ],
    otherwise: [() => byItsName(candidate.object, candidate.live)],
    conclude: (answers) => {
      const [made] = answers;
      const isAccepted = made?.ok === true || isTakenByItsName(answers);
      const defaults = made?.ok === true ? made.value : undefined;
      const found = isAccepted ? assume(candidate, defaults) : undefined;
      return found === undefined ? soFar : withStep(found, { ...soFar, unanswered });
    },
  };
}

function withStep(step: TransferOwnershipStep, soFar: DryRunResult): DryRunResult {
  return { ...soFar, steps: [step, ...soFar.steps] };
}

/** Of what is taken over, what is declared stays, and what is as the server would have it by itself. */
function assume(target: Target, defaults?: KubeObject): TransferOwnershipStep | undefined {
  const transfer = ownershipTransferOf(target.live, target);
  if (transfer === undefined) return undefined;
  const { managers, fields, others } = transfer;
  const kept = [fieldsPresent(fields, target.object), ...others];
  const { removed } = pruneFields(withoutLastApplied(target.live), {
    dropped: fields,
    kept,
    defaults,
  });
  return { type: "transfer-ownership", managers, fields, removes: removed };
}

function pruned(
  { deployment, stage }: Target,
  predicted: KubeObject,
  { fields, others }: OwnershipTransfer,
  defaults?: KubeObject,
): Pruned {
  const ours = appliedBy(predicted, fieldManager(deployment, stage))?.fields ?? {};
  const pruning = { dropped: fields, kept: [ours, ...others], defaults };
  return pruneFields(withoutLastApplied(predicted), pruning);
}

/** The owners as they will be, so that a comparison with what is live sees them change. */
function withOwners(object: KubeObject, { managedFields }: OwnershipTransfer): KubeObject {
  return { ...object, metadata: { ...object.metadata, managedFields } };
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
