import type { FailureCause } from "../../model/cluster/api-failure.ts";
import { fieldOf, isObject, type JsonObject } from "../../model/json.ts";
import { fieldManager } from "../../model/plan.ts";
import { existingFields, fieldPaths, subtractFieldSet } from "../field-sets.ts";
import { fieldOwners } from "../managed-fields.ts";
import { planOwnershipTransfer } from "../ownership-transfer.ts";
import type { ConflictingFields, StepTarget } from "./step.ts";

/**
 * Lists the sets of managers whose fields might conflict with the manifest, in the order of the
 * tests.
 * Single managers are first, because taking ownership of more fields than necessary removes more.
 * The manager closest to a rejected field leads.
 * Growing sets of managers follow.
 */
export function conflictingManagers(
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
export function conflictingFields(
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
