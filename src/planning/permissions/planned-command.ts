import type { DesiredState } from "../desired-state.ts";
import type { PlanningContext } from "../planning-context.ts";
import type { PermissionCommand } from "./permission.ts";

/** Returns the command that needs the plan. */
export function plannedCommand(
  { purpose }: PlanningContext,
  { rollbackOf, deletes, corrects }: DesiredState,
): PermissionCommand {
  if (corrects !== undefined) return purpose === "preview" ? "drift" : "reconcile";
  if (purpose === "preview") return purpose;
  if (deletes !== undefined) return "delete";
  return rollbackOf === undefined ? "deploy" : "rollback";
}
