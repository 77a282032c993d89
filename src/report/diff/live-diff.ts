import { releaseNamespaceLabel } from "../../model/annotations.ts";
import { setField } from "../../model/fields/field-differences.ts";
import { isObject, type JsonObject, sameJson } from "../../model/json.ts";
import { type KubeObject, label, withMetadata } from "../../model/object.ts";
import type { FieldChange, Succession } from "../../model/plan/attribution.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import type { Change } from "../../model/plan/plan.ts";
import {
  redactedChange,
  redactedDeletion,
  redactedSuccessor,
  withoutServerFields,
} from "../../redaction/redacted-change.ts";
import { diffShown, type TextDiff } from "./text-diff.ts";

/**
 * Returns the diff of a change to the live object. A new object is shown whole.
 * It leaves out the given fields. `hides` are values that must not be shown.
 */
export function diffChange(
  change: Change,
  hides: readonly string[] | undefined,
  leftOut: readonly Pick<FieldChange, "steps" | "before">[] = [],
): TextDiff | undefined {
  const { before, after } = redactedChange(change, hides);
  const rest = leftOut.reduce((whole, each) => setField(whole, each.steps, each.before), after);
  return diffShown({ before, after: rest }, hides);
}

/** Returns the diff of a deletion. Undefined if the object must not be shown. */
export function diffDeletion(
  deletion: Deletion,
  hides: readonly string[] | undefined,
): TextDiff | undefined {
  const shown = redactedDeletion(deletion, hides);
  const texts = [...(hides ?? []), ...(deletion.lastSent?.secretValues ?? [])];
  return shown === undefined ? undefined : diffShown(shown, texts);
}

/** Returns the diff between an object and the object that it replaces. */
export function diffSuccession(
  change: Change,
  { before }: Succession,
  hides: readonly string[] | undefined,
): TextDiff | undefined {
  const shown = redactedSuccessor(change, before, hides);
  // The title of the change shows both names.
  const after = setField(shown.after, ["metadata", "name"], before.metadata.name);
  return diffShown({ ...shown, after }, hides);
}

/**
 * Reports whether an update only adds the label that earlier versions of qvs didn't write.
 * This happens once to every object after an upgrade. So many diffs would hide the real changes.
 */
export function isRelabeled(change: Change): boolean {
  const { action, steps, live, predicted } = change;
  if (action !== "update" || live === undefined || predicted === undefined) return false;
  if (steps.some(({ type }) => type !== "apply")) return false;
  if (label(live, releaseNamespaceLabel) !== undefined) return false;
  return sameJson(withoutServerFields(live), withoutServerFields(withoutLabel(predicted)));
}

/** The summary for all these updates. */
export const relabelSummary = `only the label ${releaseNamespaceLabel} is added, which earlier versions of qvs didn't write`;

function withoutLabel(object: KubeObject): JsonObject {
  const { labels } = object.metadata;
  if (!isObject(labels)) return object;
  const { [releaseNamespaceLabel]: _added, ...others } = labels;
  return withMetadata(object, { labels: others });
}
