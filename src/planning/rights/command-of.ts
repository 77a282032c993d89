import type { DesiredState } from "../desired-state.ts";
import type { PlanningContext } from "../planning-context.ts";
import type { RightsCommand } from "./right.ts";

/** Returns the command that needs the plan. */
export function commandOf(
  { purpose }: PlanningContext,
  { rollbackOf, deletes, corrects }: DesiredState,
): RightsCommand {
  if (corrects !== undefined) return purpose === "preview" ? "drift" : "reconcile";
  if (purpose === "preview") return purpose;
  if (deletes !== undefined) return "delete";
  return rollbackOf === undefined ? "deploy" : "rollback";
}
