import type { KubeObject } from "../../model/object.ts";
import { fieldManager, type StepOf } from "../../model/plan/plan.ts";
import { existingFields, type PrunedValue, pruneFields } from "../field-sets.ts";
import { appliedFields } from "../managed-fields.ts";
import {
  type OwnershipTransfer,
  planOwnershipTransfer,
  withoutLastApplied,
} from "../ownership-transfer.ts";
import type { StepTarget } from "./step.ts";

/*
 * The treatment of transferred fields.
 * Declared fields, fields of other managers and fields with the API server's default stay. All
 * others are removed.
 */

/** Returns the step that takes over the fields of a live object; undefined if there are none. */
export function transferStep(
  target: StepTarget,
  defaults?: KubeObject,
): StepOf<"transfer-ownership"> | undefined {
  const transfer = planOwnershipTransfer(target.live, target);
  if (transfer === undefined) return undefined;
  const { managers, fields, others } = transfer;
  const kept = [existingFields(fields, target.object), ...others];
  const { removed } = pruneFields(withoutLastApplied(target.live), {
    dropped: fields,
    kept,
    defaults,
  });
  return { type: "transfer-ownership", managers, fields, removes: removed };
}

/** Returns the answer of a dry run without the fields that the pending transfer removes. */
export function pruneTransferred(
  { deployment, stage }: StepTarget,
  predicted: KubeObject,
  { fields, others }: OwnershipTransfer,
  defaults?: KubeObject,
): PrunedValue {
  const ours = appliedFields(predicted, fieldManager(deployment, stage));
  const pruning = { dropped: fields, kept: [ours, ...others], defaults };
  return pruneFields(withoutLastApplied(predicted), pruning);
}
