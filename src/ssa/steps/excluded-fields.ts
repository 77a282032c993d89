import type { ApiFailure, FailureCause } from "../../model/cluster/api/api-failure.ts";
import { isImmutable } from "../../model/cluster/api/messages/immutable.ts";
import { isDuplicate } from "../../model/cluster/api/messages/invalid-fields.ts";
import { fieldOf, isObject, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { fieldManager } from "../../model/plan/plan.ts";
import {
  existingFields,
  existingLeaves,
  fieldPaths,
  subtractFieldSet,
  unionFieldSets,
} from "../field-sets.ts";
import { contentPatch } from "../json-patch.ts";
import { fieldOwners, isApplyEntry } from "../managed-fields.ts";
import { mergeLocally } from "../merge-locally.ts";
import {
  type OwnershipTransfer,
  planOwnershipTransfer,
  withoutLastApplied,
  withTransferredOwners,
} from "../ownership-transfer.ts";
import { isNameTaken, ownNameRequest, trialObject } from "./conflicting-resources.ts";
import {
  type ConflictingFields,
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

/**
 * Lists the sets of managers whose fields might conflict with the manifest, in the order of the
 * tests.
 * Single managers are first, because taking ownership of more fields than necessary removes more.
 * The manager closest to a rejected field leads.
 * Growing sets of managers follow.
 */
function conflictingManagers(
  target: StepTarget,
  causes: readonly Pick<FailureCause, "field">[],
): readonly (readonly string[])[] {
  const closeness = new Map<string, number>();
  for (const { manager, paths } of undeclaredByManager(target)) {
    const depths = paths.map((path) => closestDepth(path, causes));
    closeness.set(manager, Math.max(closeness.get(manager) ?? 0, ...depths));
  }
  const names = [...closeness.keys()]
    .toSorted()
    .toSorted((a, b) => (closeness.get(b) ?? 0) - (closeness.get(a) ?? 0));
  const together = names.map((_, index) => names.slice(0, index + 1).toSorted()).slice(1);
  return [...names.map((name) => [name]), ...together];
}

/** Returns the undeclared fields of these managers that are closest to a rejected field. */
function conflictingFields(
  target: StepTarget,
  causes: readonly Pick<FailureCause, "field">[],
  managers: readonly string[],
): ConflictingFields {
  const held = undeclaredByManager(target).filter(({ manager }) => managers.includes(manager));
  const closest = held.flatMap(({ paths }) => {
    const depths = paths.map((path) => closestDepth(path, causes));
    const most = Math.max(...depths);
    return paths.filter((_, index) => depths[index] === most);
  });
  return { managers, paths: [...new Set(closest)].toSorted() };
}

function closestDepth(path: string, causes: readonly Pick<FailureCause, "field">[]): number {
  return Math.max(0, ...causes.map(({ field }) => sharedDepth(path, field)));
}

/**
 * Lists the undeclared fields by manager, without those that are transferred anyway.
 * Metadata and status can't conflict.
 */
function undeclaredByManager(target: StepTarget) {
  const { live, object, deployment, stage } = target;
  const transfer = planOwnershipTransfer(live, target);
  const entries = transfer?.managedFields ?? live.metadata.managedFields ?? [];
  const left = { ...live, metadata: { ...live.metadata, managedFields: entries } };
  const own = fieldManager(deployment, stage);
  return fieldOwners(left).flatMap(({ manager, subresource, fields }) => {
    if (manager === own || subresource !== "") return [];
    const declared = existingFields(fields, object);
    const beside = fieldPaths(withoutOwnEntry(subtractFieldSet(fields, declared), declared));
    const paths = beside.filter((path) => !/^(metadata|status)\b/.test(path));
    return paths.length === 0 ? [] : [{ manager, paths }];
  });
}

/**
 * Removes the entries for declared list items as a whole.
 * Then each field that another manager added to an item has its own path.
 */
function withoutOwnEntry(set: JsonObject, declared: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(set).flatMap(([name, below]) => {
      const inner = fieldOf(declared, name);
      if (name === ".") return [];
      return [[name, isObject(below) && isObject(inner) ? withoutOwnEntry(below, inner) : below]];
    }),
  );
}

/**
 * Counts the common leading fields of two paths.
 * The API server names list items by index, but owners name them by key. Both are ignored.
 */
function sharedDepth(path: string, field: string): number {
  const [a, b] = [path, field].map((text) => withoutKeys(text).split("."));
  const differs = a?.findIndex((name, index) => name !== b?.[index]) ?? 0;
  return differs < 0 ? (a?.length ?? 0) : differs;
}

/** Removes the text in brackets. */
function withoutKeys(path: string): string {
  const parts = path.split("]");
  return parts
    .map((part, index) => (index === parts.length - 1 ? part : part.replace(/\[.*/s, "")))
    .join("");
}
