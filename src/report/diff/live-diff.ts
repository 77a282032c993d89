import type { FieldChange, Succession } from "../../model/attribution.ts";
import type { Deletion } from "../../model/deletion.ts";
import { setField } from "../../model/fields/field-differences.ts";
import type { Change } from "../../model/plan.ts";
import {
  redactedChange,
  redactedDeletion,
  redactedSuccessor,
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
