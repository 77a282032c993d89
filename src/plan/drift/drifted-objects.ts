import type { DriftedField, DriftedObject } from "../../model/deployments/drift.ts";
import { isObject, type Json, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Attributions, FieldAuthor } from "../../model/plan/attribution.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import { type Change, type Plan, recreationFields } from "../../model/plan/plan.ts";
import { secondsBetween } from "../../model/text/times.ts";
import { scrubberOf } from "../../redaction/scrub.ts";
import { existingLeaves, fieldPaths, subtractFieldSet } from "../../ssa/field-sets.ts";
import { deploymentFields, fieldOwners } from "../../ssa/managed-fields.ts";
import { isPreexisting } from "../ownership/ownership.ts";

/**
 * Lists the drifted objects from a plan of the current release, in the order of the plan.
 * Each operation has one entry, and there are no others. A correction does exactly these
 * operations.
 */
export function driftedObjects(plan: Plan, attributions: Attributions): readonly DriftedObject[] {
  return [
    ...plan.changes
      .filter((change) => change.action !== "unchanged" || deletedSince(change) !== undefined)
      .map((change) => driftedObject(change, plan.deployment, attributions))
      .map(scrubPaths(plan.hides ?? [])),
    ...plan.deletions.map(extraObject),
  ];
}

function driftedObject(
  change: Change,
  deployment: string,
  attributions: Attributions,
): DriftedObject {
  const { key, id, stage, live } = change;
  const identity = { key, id, stage };
  if (live === undefined) return { ...identity, kind: "missing", fields: [] };
  const since = deletedSince(change);
  // All other differences disappear with the object.
  if (since !== undefined) return { ...identity, kind: "missing", fields: [], deletedSince: since };
  const { fields = [] } = attributions.changes.get(key) ?? {};
  const changed = fields.map(
    ({ path, before, after, by }): DriftedField => ({
      path,
      live: before,
      recorded: after,
      ...(by === undefined ? {} : { by }),
    }),
  );
  const recreates = [...(recreationFields(change.steps) ?? [])];
  const lost = lostFields(change, live, deployment);
  const unsure = uncertaintyReason(change, changed.length > 0 ? changed : lost);
  const details = {
    ...identity,
    ...(recreates.length === 0 ? {} : { recreates }),
    ...(unsure === undefined ? {} : { unsure }),
    createdBy: findCreator(live, deployment),
  };
  if (changed.length > 0 || recreates.length > 0)
    return { ...details, kind: "changed", fields: changed };
  // If values are hidden, the result must not reveal whether they differ.
  const isHidden = unsure !== undefined || isUnpredicted(change);
  if (!isHidden) return { ...details, kind: "taken over", fields: lost };
  return { ...details, kind: "changed", fields: lost.map((field) => ({ ...field, isHidden })) };
}

/**
 * Hides secret strings in paths.
 * A path names list items by their content, and map fields by names that a user chose.
 */
function scrubPaths(hides: readonly string[]): (object: DriftedObject) => DriftedObject {
  if (hides.length === 0) return (object) => object;
  const { hide } = scrubberOf(hides);
  return (object) => ({
    ...object,
    fields: object.fields.map((field) => ({ ...field, path: hide(field.path) })),
  });
}

function deletedSince({ live }: Change): string | undefined {
  return textAt(live, "metadata", "deletionTimestamp");
}

/**
 * Returns the field manager that created the live object again after the release.
 * A release leaves a trace on each object that it creates. An object without a trace was created by
 * another tool since.
 */
function findCreator(live: KubeObject, deployment: string): FieldAuthor | undefined {
  const [first] = isPreexisting(live, deployment)
    ? fieldOwners(live).toSorted((a, b) => (a.time < b.time ? -1 : 1))
    : [];
  const since = textAt(live, "metadata", "creationTimestamp");
  // A tool that replaces the whole object also leaves no trace of its creator, but the object's age
  // stays. Rounding can account for one second.
  const isOlder = first !== undefined && secondsBetween(since ?? first.time, first.time) > 1;
  if (first === undefined || isOlder) return undefined;
  const { manager, operation } = first;
  return { manager, operation, since };
}

/**
 * Returns why it is uncertain whether the object has drifted.
 * Without visible drift, a value that the object takes can be another one by then.
 */
function uncertaintyReason(
  { dryRunSkipped, certainty }: Change,
  fields: readonly DriftedField[],
): string | undefined {
  if (dryRunSkipped !== undefined) return dryRunSkipped;
  return fields.length === 0 && certainty.by === "unchecked" ? certainty.reason : undefined;
}

/** Reports whether the API server didn't predict the result. */
function isUnpredicted({ predicted, certainty }: Change): boolean {
  return predicted === undefined && certainty.by !== "comparison";
}

function extraObject({ key, id, stage }: Deletion): DriftedObject {
  return { key, id, stage, kind: "extra", fields: [] };
}

/**
 * Lists the declared fields that other managers own instead of this deployment, with the declared
 * value.
 */
function lostFields(
  { desired }: Change,
  live: NonNullable<Change["live"]>,
  deployment: string,
): readonly DriftedField[] {
  const own = deploymentFields(live, deployment);
  return fieldOwners(live)
    .filter(({ subresource }) => subresource === "")
    .flatMap(({ manager, operation, time, fields }) => {
      const lost = subtractFieldSet(existingLeaves(fields, declaredContent(desired)), own);
      const by = { manager, operation, since: time === "" ? undefined : time };
      return isObject(lost) ? fieldPaths(lost).map((path) => ownedField(path, by)) : [];
    });
}

function declaredContent(desired: Change["desired"]): Json {
  const { apiVersion: _version, kind: _kind, ...declared } = desired;
  return declared;
}

function ownedField(path: string, by: NonNullable<DriftedField["by"]>): DriftedField {
  return { path, live: undefined, recorded: undefined, by };
}
