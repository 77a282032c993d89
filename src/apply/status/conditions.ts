import { type Json, type JsonObject, listAt, numberAt, textAt } from "../../model/json.ts";
import { oneLine } from "./one-line.ts";

/** One entry of `status.conditions`. */
export interface Condition {
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** The generation that the controller spoke about, where it says so. */
  readonly observedGeneration: number | undefined;
}

export function conditionsOf(object: JsonObject): readonly Condition[] {
  return listAt(object, "status", "conditions").map(readCondition);
}

export function condition(object: JsonObject, type: string): Condition | undefined {
  return conditionsOf(object).find((c) => c.type === type);
}

export function isTrue(object: JsonObject, type: string): boolean {
  return condition(object, type)?.status === "True";
}

/** `Reason: message`, or as much of it as the controller gave. */
export function explain(found: Condition): string {
  const parts = [found.reason, found.message].filter((part) => part !== "");
  return parts.length > 0 ? parts.join(": ") : `${found.type}=${found.status}`;
}

function readCondition(entry: Json): Condition {
  return {
    type: textAt(entry, "type") ?? "",
    status: textAt(entry, "status") ?? "Unknown",
    reason: textAt(entry, "reason") ?? "",
    message: oneLine(textAt(entry, "message") ?? ""),
    observedGeneration: numberAt(entry, "observedGeneration"),
  };
}
