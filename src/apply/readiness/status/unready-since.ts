import { type JsonObject, listAt, textAt } from "../../../model/json.ts";

/** Conditions that say by themselves what is wrong, and those whose absence is. */
const wrongWhereTrue = ["Failed", "FailureTarget", "Stalled", "ReplicaFailure"];
const wrongUnlessTrue = ["Ready", "Available", "PodScheduled", "Established"];

/** Since when an object is not ready, as its conditions tell; undefined where none does. */
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
