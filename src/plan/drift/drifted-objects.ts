import type { Attributions, FieldAuthor } from "../../model/attribution.ts";
import type { Deletion } from "../../model/deletion.ts";
import type { DriftedField, DriftedObject } from "../../model/drift.ts";
import { isObject, type Json, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan.ts";
import { secondsBetween } from "../../model/text/seconds-between.ts";
import { hiddenTexts, textsToHide } from "../../redaction/hide-texts.ts";
import { fieldsWithin, pathsOfFields, withoutFields } from "../../ssa/field-sets.ts";
import { ownersOf, ownFields } from "../../ssa/managed-fields.ts";
import { isFirstMet } from "../ownership/ownership.ts";

/**
 * What has drifted, from a plan of the running release: one entry for each operation and nothing besides, so that a correction does
 * exactly what is told here. In the order of the plan.
 */
export function driftedObjects(plan: Plan, attributions: Attributions): readonly DriftedObject[] {
  return [
    ...plan.changes
      .filter((change) => change.action !== "unchanged" || deletedSince(change) !== undefined)
      .map((change) => driftedObject(change, plan.deployment, attributions))
      .map(withoutTextsInPaths(plan.hides ?? [])),
    ...plan.deletions.map(extra),
  ];
}

function driftedObject(
  change: Change,
  deployment: string,
  attributions: Attributions,
): DriftedObject {
  const { key, id, stage, live } = change;
  const about = { key, id, stage };
  if (live === undefined) return { ...about, kind: "missing", fields: [] };
  const since = deletedSince(change);
  // Whatever else differs goes with it.
  if (since !== undefined) return { ...about, kind: "missing", fields: [], deletedSince: since };
  const { fields = [] } = attributions.changes.get(key) ?? {};
  const changed = fields.map(
    ({ path, before, after, by }): DriftedField => ({
      path,
      live: before,
      recorded: after,
      ...(by === undefined ? {} : { by }),
    }),
  );
  const recreates = change.steps.flatMap((step) =>
    step.type === "recreate" ? [...step.fields] : [],
  );
  const lost = lostFields(change, live, deployment);
  const unsure = whyUnsure(change, changed.length > 0 ? changed : lost);
  const told = {
    ...about,
    ...(recreates.length === 0 ? {} : { recreates }),
    ...(unsure === undefined ? {} : { unsure }),
    createdBy: makerOf(live, deployment),
  };
  if (changed.length > 0 || recreates.length > 0)
    return { ...told, kind: "changed", fields: changed };
  // Where values are hidden, nobody may learn whether they differ.
  const isHidden = unsure !== undefined || isUnanswered(change);
  if (!isHidden) return { ...told, kind: "taken over", fields: lost };
  return { ...told, kind: "changed", fields: lost.map((field) => ({ ...field, isHidden })) };
}

/** An item of a list is named by what it holds, a field of a map by what somebody has called it. */
function withoutTextsInPaths(hides: readonly string[]): (object: DriftedObject) => DriftedObject {
  const texts = hides.flatMap(textsToHide);
  if (texts.length === 0) return (object) => object;
  const { hide } = hiddenTexts(texts);
  return (object) => ({
    ...object,
    fields: object.fields.map((field) => ({ ...field, path: hide(field.path) })),
  });
}

function deletedSince({ live }: Change): string | undefined {
  return textAt(live, "metadata", "deletionTimestamp");
}

/** A release was applied to the object that it has made: one without any trace of that was made by somebody else since. */
function makerOf(live: KubeObject, deployment: string): FieldAuthor | undefined {
  const [first] = isFirstMet(live, deployment)
    ? ownersOf(live).toSorted((a, b) => (a.time < b.time ? -1 : 1))
    : [];
  const since = textAt(live, "metadata", "creationTimestamp");
  // Whoever replaces all of an object leaves no trace of its maker either, but it is as old as before: a second is what rounding takes.
  const isOlder = first !== undefined && secondsBetween(since ?? first.time, first.time) > 1;
  if (first === undefined || isOlder) return undefined;
  const { manager, operation } = first;
  return { manager, operation, since };
}

/** Where nothing tells what has drifted, it is not known whether something has: a value that it takes may be another one by then. */
function whyUnsure(
  { unasked, certainty }: Change,
  told: readonly DriftedField[],
): string | undefined {
  if (unasked !== undefined) return unasked;
  return told.length === 0 && certainty.by === "unchecked" ? certainty.reason : undefined;
}

/** The server has not said what would become of it. */
function isUnanswered({ predicted, certainty }: Change): boolean {
  return predicted === undefined && certainty.by !== "comparison";
}

function extra({ key, id, stage }: Deletion): DriftedObject {
  return { key, id, stage, kind: "extra", fields: [] };
}

/** What is declared and others own instead of this deployment, although the value is the declared one. */
function lostFields(
  { desired }: Change,
  live: NonNullable<Change["live"]>,
  deployment: string,
): readonly DriftedField[] {
  const own = ownFields(live, deployment);
  return ownersOf(live)
    .filter(({ subresource }) => subresource === "")
    .flatMap(({ manager, operation, time, fields }) => {
      const lost = withoutFields(fieldsWithin(fields, declaredOf(desired)), own);
      const by = { manager, operation, since: time === "" ? undefined : time };
      return isObject(lost) ? pathsOfFields(lost).map((path) => unchanged(path, by)) : [];
    });
}

function declaredOf(desired: Change["desired"]): Json {
  const { apiVersion: _version, kind: _kind, ...declared } = desired;
  return declared;
}

function unchanged(path: string, by: NonNullable<DriftedField["by"]>): DriftedField {
  return { path, live: undefined, recorded: undefined, by };
}
