import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import { isImmutable } from "../../model/cluster/api-words/immutable.ts";
import { isDuplicate } from "../../model/cluster/api-words/invalid-fields.ts";
import { isObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { fieldManager } from "../../model/plan.ts";
import { fieldsPresent, fieldsWithin, unionOfFields } from "../field-sets.ts";
import { contentPatch } from "../json-patch.ts";
import { ownersOf } from "../managed-fields.ts";
import { mergeLocally } from "../merge-locally.ts";
import {
  isApplyOf,
  type OwnershipTransfer,
  ownershipTransferOf,
  withoutLastApplied,
  withTransferredOwners,
} from "../ownership-transfer.ts";
import { besideOld, byItsName, isTakenByItsName } from "./beside-old.ts";
import { fieldsBeside, holdersBeside } from "./holders-beside.ts";
import {
  type Candidate,
  type DryRunRequest,
  type DryRunResult,
  type Target,
  type Trial,
  withFirstStep,
} from "./step.ts";
import { transferStep } from "./transferred-fields.ts";

/**
 * Whether what is declared is refused only beside what others hold, which a transfer of ownership removes. What can't be changed is no
 * matter of who holds it.
 */
export function tryWithoutExcluded(
  candidate: Candidate,
  soFar: DryRunResult,
  failure: ApiFailure,
): Trial | undefined {
  const { reason, causes } = failure;
  if (reason !== "invalid" || causes.length === 0 || causes.some(isImmutable)) return undefined;
  return collided(candidate, soFar, failure) ?? excluded(candidate, soFar, failure);
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
  const step = transferStep(candidate);
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
      const found = isAccepted ? transferStep(candidate, defaults) : undefined;
      return found === undefined ? soFar : withFirstStep(found, { ...soFar, unanswered });
    },
  };
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
      if (others.length > 0)
        return { ...soFar, excludedBy: fieldsBeside(candidate, causes, others) };
      const step = transferStep(candidate, last.value);
      if (step === undefined) return soFar;
      const applied = asApplied(transfer, last.value, candidate);
      const value = withTransferredOwners(last.value, applied);
      return withFirstStep(step, { ...soFar, answer: { ok: true, value } });
    },
  };
}

/** The update that makes of a live object what applying makes of it once all that is taken over is ours; undefined where nothing goes then. */
function withoutTaken(
  candidate: Candidate,
): { readonly transfer: OwnershipTransfer; readonly request: DryRunRequest } | undefined {
  const { live, object, deployment, stage } = candidate;
  const transfer = ownershipTransferOf(live, candidate);
  if (transfer === undefined || transferStep(candidate)?.removes.length === 0) return undefined;
  const owned = withTransferredOwners(withoutLastApplied(live), transfer);
  const merged = mergeLocally(owned, object, fieldManager(deployment, stage), {
    defaults: "filled in",
  });
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
