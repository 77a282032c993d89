import type { FieldChange, Succession } from "../../model/attribution.ts";
import type { Deletion } from "../../model/deletion.ts";
import { withFieldAt } from "../../model/fields/field-differences.ts";
import type { Change } from "../../model/plan.ts";
import { shownChange, shownDeletion, shownSuccession } from "../../redaction/shown-change.ts";
import { diffShown, type TextDiff } from "./text-diff.ts";

/**
 * What a change does to the live object, but for fields that are left out; all of a new one. `hides` are texts that may be shown
 * nowhere.
 */
export function diffChange(
  change: Change,
  hides: readonly string[] | undefined,
  leftOut: readonly Pick<FieldChange, "steps" | "before">[] = [],
): TextDiff | undefined {
  const { before, after } = shownChange(change, hides);
  const rest = leftOut.reduce((whole, each) => withFieldAt(whole, each.steps, each.before), after);
  return diffShown({ before, after: rest }, hides);
}

/** What goes with an object that is deleted; undefined where it may not be shown. */
export function diffDeletion(
  deletion: Deletion,
  hides: readonly string[] | undefined,
): TextDiff | undefined {
  const shown = shownDeletion(deletion, hides);
  const texts = [...(hides ?? []), ...(deletion.ours?.secretTexts ?? [])];
  return shown === undefined ? undefined : diffShown(shown, texts);
}

/** What is new in an object is what differs from the one that it succeeds. */
export function diffSuccession(
  change: Change,
  { before }: Succession,
  hides: readonly string[] | undefined,
): TextDiff | undefined {
  return diffShown(shownSuccession(change, before, hides), hides);
}
