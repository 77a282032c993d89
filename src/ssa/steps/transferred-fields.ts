import type { KubeObject } from "../../model/object.ts";
import { fieldManager, type StepOf } from "../../model/plan.ts";
import { fieldsPresent, type Pruned, pruneFields } from "../field-sets.ts";
import { fieldsAppliedBy } from "../managed-fields.ts";
import {
  type OwnershipTransfer,
  ownershipTransferOf,
  withoutLastApplied,
} from "../ownership-transfer.ts";
import type { Target } from "./step.ts";

/*
 * What becomes of the fields that are taken over: what is declared stays, and what others hold, and what is as the server would have it by
 * itself. The rest is removed.
 */

/** The step that takes over what a live object has; undefined where that is nothing. */
export function transferStep(
  target: Target,
  defaults?: KubeObject,
): StepOf<"transfer-ownership"> | undefined {
  const transfer = ownershipTransferOf(target.live, target);
  if (transfer === undefined) return undefined;
  const { managers, fields, others } = transfer;
  const kept = [fieldsPresent(fields, target.object), ...others];
  const { removed } = pruneFields(withoutLastApplied(target.live), {
    dropped: fields,
    kept,
    defaults,
  });
  return { type: "transfer-ownership", managers, fields, removes: removed };
}

/** What a dry-run has answered, without what the transfer that is left to do removes. */
export function pruneTransferred(
  { deployment, stage }: Target,
  predicted: KubeObject,
  { fields, others }: OwnershipTransfer,
  defaults?: KubeObject,
): Pruned {
  const ours = fieldsAppliedBy(predicted, fieldManager(deployment, stage));
  const pruning = { dropped: fields, kept: [ours, ...others], defaults };
  return pruneFields(withoutLastApplied(predicted), pruning);
}
