import { type JsonObject, listAt, textAt } from "../../../model/json.ts";

/**
 * Condition types that report a problem when true, and types that report one unless they are true.
 */
const wrongWhereTrue = ["Failed", "FailureTarget", "Stalled", "ReplicaFailure"];
const wrongUnlessTrue = ["Ready", "Available", "PodScheduled", "Established"];

/** Returns the time since when an object isn't ready. Undefined if no condition shows it. */
export function unreadySince(object: JsonObject): string | undefined {
  const conditions = listAt(object, "status", "conditions");
  const told = [
    ...wrongWhereTrue.map((type) => ({ type, isWrong: (status: string) => status === "True" })),
    ...wrongUnlessTrue.map((type) => ({ type, isWrong: (status: string) => status !== "True" })),
  ];
  for (const { type, isWrong } of told) {
    const found = conditions.find((each) => textAt(each, "type") === type);
    if (found !== undefined && isWrong(textAt(found, "status") ?? "Unknown")) {
      return textAt(found, "lastTransitionTime");
    }
  }
  return undefined;
}
