import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import { isDuplicate } from "../../model/cluster/api-words.ts";
import { type Stage, stages } from "../../model/compilation.ts";
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  sameJson,
  textAt,
} from "../../model/json.ts";
import { annotation, type KubeObject } from "../../model/object.ts";
import { fieldManager, type Step, type StepOf } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { fieldsPresent, type Pruned, pruneFields, unionOfFields } from "../field-sets.ts";
import { contentPatch, onlyFor, pointerTo } from "../json-patch.ts";
import { appliedBy, fieldsOf, ownersOf } from "../managed-fields.ts";
import { besideOld, byItsName, isTakenByItsName } from "./beside-old.ts";
import type {
  Candidate,
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
  if (!soFar.answer.ok) return collided(candidate, soFar, soFar.answer.failure);
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

/**
 * What is declared may be refused only because it is merged with what is taken over and goes, as two ports of one name. Then it is valid by
 * itself, which is asked under a name that is free.
 */
function collided(
  candidate: Candidate,
  soFar: DryRunResult,
  { reason, causes }: ApiFailure,
): Trial | undefined {
  const step = assume(candidate);
  const mayCollide =
    reason === "invalid" &&
    causes.length > 0 &&
    causes.every(({ message }) => isDuplicate({ message }));
  if (!mayCollide || step === undefined || step.removes.length === 0) return undefined;
  const unanswered = `what is declared collides with what is taken over from ${step.managers.join(", ")} and removed first`;
  return {
    requests: [
      { verb: "apply", object: besideOld(candidate.object, candidate.live), force: false },
    ],
    otherwise: () => byItsName(candidate.object, candidate.live),
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

/** Whose the fields become. */
type Owner = Pick<Target, "deployment" | "stage" | "takeover">;

/** What the server calls the owner of all fields that were there before it recorded owners. */
export const unrecorded = "before-first-apply";

/**
 * Managers that write whole objects without Server-Side Apply. What they own becomes ours when we apply the object.
 */
const clientSideManagers: ReadonlySet<string> = new Set([
  "kubectl-client-side-apply",
  "kubectl-create",
  unrecorded,
  "helm",
  "kubectl",
]);

const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** How a live object's `managedFields` are to be rewritten before we apply to it. */
interface OwnershipTransfer {
  /** Whose entries become ours, sorted; none when it is only what an earlier patch of our own left. */
  readonly managers: readonly string[];
  /** What they own. */
  readonly fields: JsonObject;
  /** What everybody else owns: it stays, whatever we declare. */
  readonly others: readonly JsonObject[];
  /** The entries as they are to be. */
  readonly managedFields: readonly Json[];
}

/** undefined when nothing has to be taken over. */
export function ownershipTransferOf(live: KubeObject, owner: Owner): OwnershipTransfer | undefined {
  const { deployment, stage } = owner;
  const manager = fieldManager(deployment, stage);
  const entries = listAt(live, "metadata", "managedFields");
  const adopted = entries.filter((entry) => isToBeAdopted(entry, owner));
  if (adopted.length === 0) return undefined;
  const ours = entries.find((entry) => isApplyOf(entry, manager));
  // Fields in another version would be read wrongly; without an owner they stay as they are.
  const apiVersion = textAt(ours ?? adopted[0], "apiVersion") ?? live.apiVersion;
  const sameVersion = adopted.filter((entry) => textAt(entry, "apiVersion") === apiVersion);
  const fields = unionOfFields(sameVersion.map(fieldsOf));
  const all = unionOfFields([...(ours === undefined ? [] : [fieldsOf(ours)]), fields]);
  const others = entries.filter((entry) => entry !== ours && !adopted.includes(entry));
  const own = { manager, operation: "Apply", apiVersion, fieldsType: "FieldsV1", fieldsV1: all };
  const names = adopted.map((entry) => textAt(entry, "manager") ?? "");
  const managers = [...new Set(names)].filter((name) => name !== manager).sort();
  return { managers, fields, others: others.map(fieldsOf), managedFields: [...others, own] };
}

/** The JSON Patch (RFC 6902) that does it, unless the object has changed since it was read: then the answer is a conflict. */
function ownershipTransferPatch(
  live: KubeObject,
  { managedFields }: OwnershipTransfer,
): readonly JsonObject[] {
  const lastApplied = pointerTo(["metadata", "annotations", lastAppliedAnnotation]);
  return [
    onlyFor(live),
    { op: "replace", path: "/metadata/managedFields", value: managedFields },
    ...(annotation(live, lastAppliedAnnotation) === undefined
      ? []
      : [{ op: "remove", path: lastApplied }]),
  ];
}

/** That it goes with an adoption is not worth a word: only kubectl's own apply reads it. */
export function withoutLastApplied(object: KubeObject): KubeObject {
  const { annotations, ...metadata } = object.metadata;
  if (!isObject(annotations)) return object;
  const { [lastAppliedAnnotation]: _gone, ...others } = annotations;
  const left = Object.keys(others).length === 0 ? metadata : { ...metadata, annotations: others };
  return { ...object, metadata: left };
}

/** Entries of controllers and of other Apply managers are touched only where the user names them, and those of subresources never. */
function isToBeAdopted(entry: Json, { deployment, stage, takeover = [] }: Owner): boolean {
  if ((textAt(entry, "subresource") ?? "") !== "") return false;
  const manager = textAt(entry, "manager") ?? "";
  const isApplied = isApplyOf(entry, fieldManager(deployment, stage));
  if (takeover.includes(manager) && !isApplied) return true;
  // Our own patches write by Update: left alone, such an entry would keep a field for ever.
  const isAdopted = clientSideManagers.has(manager) || manager === fieldManager(deployment, stage);
  if (textAt(entry, "operation") === "Update" && isAdopted) return true;
  return stages.some(
    (other) => other !== stage && isApplyOf(entry, fieldManager(deployment, other)),
  );
}

function isApplyOf(entry: Json, manager: string): boolean {
  return (
    textAt(entry, "manager") === manager &&
    textAt(entry, "operation") === "Apply" &&
    (textAt(entry, "subresource") ?? "") === ""
  );
}
