import { nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Answer } from "../../ports.ts";

/** Somebody changed an object between the plan and its turn, in a way that the plan did not allow for. */
export function changedSincePlan({ id }: Change): Answer<never> {
  const message = `${nameOf(id)} has been changed by somebody else since the plan was made`;
  return { ok: false, failure: { reason: "conflict", status: 409, message, causes: [] } };
}
