import { type JsonObject, listAt, textAt } from "../../../model/json.ts";

/**
 * Condition types that report a problem when true, and types that report one unless they are true.
 */
const badWhenTrue = ["Failed", "FailureTarget", "Stalled", "ReplicaFailure"];
const badUnlessTrue = ["Ready", "Available", "PodScheduled", "Established"];

/** Returns the time since when an object isn't ready. Undefined if no condition shows it. */
export function unreadySince(object: JsonObject): string | undefined {
  const conditions = listAt(object, "status", "conditions");
  const rules = [
    ...badWhenTrue.map((type) => ({ type, isWrong: (status: string) => status === "True" })),
    ...badUnlessTrue.map((type) => ({ type, isWrong: (status: string) => status !== "True" })),
  ];
  for (const { type, isWrong } of rules) {
    const found = conditions.find((each) => textAt(each, "type") === type);
    if (found !== undefined && isWrong(textAt(found, "status") ?? "Unknown")) {
      return textAt(found, "lastTransitionTime");
    }
  }
  return undefined;
}
