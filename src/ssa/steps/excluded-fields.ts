import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import { isImmutable } from "../../model/cluster/api-messages/immutable.ts";
import { isDuplicate } from "../../model/cluster/api-messages/invalid-fields.ts";
import { isObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { fieldManager } from "../../model/plan.ts";
import { existingFields, existingLeaves, unionFieldSets } from "../field-sets.ts";
import { contentPatch } from "../json-patch.ts";
import { fieldOwners } from "../managed-fields.ts";
import { mergeLocally } from "../merge-locally.ts";
import {
  isApplyEntry,
  type OwnershipTransfer,
  planOwnershipTransfer,
  withoutLastApplied,
  withTransferredOwners,
} from "../ownership-transfer.ts";
import { conflictingFields, conflictingManagers } from "./conflicting-managers.ts";
import { isNameTaken, ownNameRequest, trialObject } from "./conflicting-resources.ts";
import {
  type DryRunRequest,
  type DryRunResult,
  type StepCandidate,
  type StepTarget,
  type StepTrial,
  withFirstStep,
} from "./step.ts";
import { transferStep } from "./transferred-fields.ts";

/**
 * Tests whether the object is rejected only because of other managers' fields that an ownership
 * transfer removes.
 * Immutable fields can't be changed, whichever manager owns them.
 */
export function tryWithoutConflictingFields(
  candidate: StepCandidate,
  soFar: DryRunResult,
  failure: ApiFailure,
): StepTrial | undefined {
  const { reason, causes } = failure;
  if (reason !== "invalid" || causes.length === 0 || causes.some(isImmutable)) return undefined;
  return (
    tryCollidingFields(candidate, soFar, failure) ?? tryExcludingFields(candidate, soFar, failure)
  );
}

/**
 * Handles objects that are rejected because they collide with transferred fields, such as two ports
 * with one name.
 * The transfer removes these fields.
 * A dry run under a temporary name shows whether the object is valid by itself.
 */
function tryCollidingFields(
  candidate: StepCandidate,
  soFar: DryRunResult,
  { causes }: ApiFailure,
): StepTrial | undefined {
  const step = transferStep(candidate);
  const mayCollide = causes.every(({ message }) => isDuplicate({ message }));
  if (!mayCollide || step === undefined || step.removes.length === 0) return undefined;
  const unanswered = `its declared fields collide with fields of ${step.managers.join(", ")}, which qvs removes first`;
  return {
    requests: [
      { verb: "apply", object: trialObject(candidate.object, candidate.live), force: false },
    ],
    fallbacks: [() => ownNameRequest(candidate.object, candidate.live)],
    conclude: (answers) => {
      const [made] = answers;
      const isAccepted = made?.ok === true || isNameTaken(answers);
      const defaults = made?.ok === true ? made.value : undefined;
      const found = isAccepted ? transferStep(candidate, defaults) : undefined;
      return found === undefined ? soFar : withFirstStep(found, { ...soFar, unanswered });
    },
  };
}

/**
 * Handles objects that are rejected next to other managers' fields, such as two handlers of one
 * probe.
 * A dry run of an update shows whether the object is valid without these fields.
 * The first update leaves out the transferred fields. The next ones also leave out fields of other
 * managers.
 */
function tryExcludingFields(
  candidate: StepCandidate,
  soFar: DryRunResult,
  { causes }: ApiFailure,
): StepTrial | undefined {
  const { object, takeover = [] } = candidate;
  const sets = object.kind === "Secret" ? [] : conflictingManagers(candidate, causes);
  const attempts = [[], ...sets].flatMap((others) => {
    const update = transferUpdate({ ...candidate, takeover: [...takeover, ...others] });
    return update === undefined ? [] : [{ ...update, others }];
  });
  const [first, ...more] = attempts;
  if (first === undefined) return undefined;
  return {
    requests: [first.request],
    fallbacks: more.map(
      ({ request }) =>
        () =>
          request,
    ),
    conclude: (answers) => {
      const [last, attempt] = [answers.at(-1), attempts[answers.length - 1]];
      if (last?.ok !== true || attempt === undefined) return soFar;
      const { others, transfer } = attempt;
      if (others.length > 0)
        return { ...soFar, excludedBy: conflictingFields(candidate, causes, others) };
      const step = transferStep(candidate, last.value);
      if (step === undefined) return soFar;
      const applied = withAppliedEntry(transfer, last.value, candidate);
      const value = withTransferredOwners(last.value, applied);
      return withFirstStep(step, { ...soFar, answer: { ok: true, value } });
    },
  };
}

/**
 * Returns the update that has the same result as an apply after the transfer.
 * Returns undefined if the transfer removes nothing.
 */
function transferUpdate(
  candidate: StepCandidate,
): { readonly transfer: OwnershipTransfer; readonly request: DryRunRequest } | undefined {
  const { live, object, deployment, stage } = candidate;
  const transfer = planOwnershipTransfer(live, candidate);
  if (transfer === undefined || transferStep(candidate)?.removes.length === 0) return undefined;
  const owned = withTransferredOwners(withoutLastApplied(live), transfer);
  const merged = mergeLocally(owned, object, fieldManager(deployment, stage), {
    defaults: "filled in",
  });
  return { transfer, request: { verb: "patch", patch: contentPatch(live, merged) } };
}

/**
 * Returns the transfer with the entry of this deployment after the apply.
 * The entry contains all declared fields and the remaining transferred fields.
 */
function withAppliedEntry(
  transfer: OwnershipTransfer,
  updated: KubeObject,
  { object, deployment, stage }: StepTarget,
): OwnershipTransfer {
  const owned = unionFieldSets(fieldOwners(updated).map(({ fields }) => fields));
  const fieldsV1 = unionFieldSets([
    existingFields(owned, object),
    existingLeaves(transfer.fields, updated),
  ]);
  const manager = fieldManager(deployment, stage);
  const managedFields = transfer.managedFields.map((entry) =>
    isApplyEntry(entry, manager) && isObject(entry) ? { ...entry, fieldsV1 } : entry,
  );
  return { ...transfer, managedFields };
}
