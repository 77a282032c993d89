import { conflictOwner } from "../model/cluster/api-words/state.ts";
import type { FieldConflict } from "../model/plan.ts";

/** A cause of a refusal, in the words of the API server's Status. */
interface RefusalCause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/** From causes like `conflict with "hpa" with subresource "scale" using apps/v1`, sorted: the server has no order of its own. */
export function conflictsIn(causes: readonly RefusalCause[]): readonly FieldConflict[] {
  return causes
    .filter((cause) => cause.reason === "FieldManagerConflict")
    .map((cause) => {
      const { manager = "", subresource } = conflictOwner(cause);
      return { field: cause.field, manager, subresource };
    })
    .toSorted((a, b) => (`${a.field} ${a.manager}` < `${b.field} ${b.manager}` ? -1 : 1));
}

/** Whether every conflict is one of those that may be settled by force. */
export function areAmong(
  conflicts: readonly FieldConflict[],
  allowed: readonly FieldConflict[],
): boolean {
  return conflicts.every((conflict) =>
    allowed.some(
      (each) =>
        each.field === conflict.field &&
        each.manager === conflict.manager &&
        each.subresource === conflict.subresource,
    ),
  );
}
