import { conflictOwner } from "../model/cluster/api-messages/state.ts";
import type { FieldConflict } from "../model/plan.ts";

/** A cause of a rejection, as in the API server's Status. */
interface RejectionCause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/**
 * Returns the ownership conflicts of a rejection, sorted, because the API server has no fixed
 * order.
 * A cause is, for example, `conflict with "hpa" with subresource "scale" using apps/v1`.
 */
export function fieldConflicts(causes: readonly RejectionCause[]): readonly FieldConflict[] {
  return causes
    .filter((cause) => cause.reason === "FieldManagerConflict")
    .map((cause) => {
      const { manager = "", subresource } = conflictOwner(cause);
      return { field: cause.field, manager, subresource };
    })
    .toSorted((a, b) => (`${a.field} ${a.manager}` < `${b.field} ${b.manager}` ? -1 : 1));
}

/** Reports whether each conflict is in the list of conflicts that can be forced. */
export function areForceable(
  conflicts: readonly FieldConflict[],
  forceable: readonly FieldConflict[],
): boolean {
  return conflicts.every((conflict) =>
    forceable.some(
      (each) =>
        each.field === conflict.field &&
        each.manager === conflict.manager &&
        each.subresource === conflict.subresource,
    ),
  );
}
