import { type Json, type JsonObject, listAt, numberAt, textAt } from "../../../model/json.ts";
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
  /** When the controller last said so, as it wrote it; empty where it does not tell. */
  readonly since: string;
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

/**
 * Whether a condition is about the generation of now, as far as the object tells. External Secrets has no
 * observedGeneration; it writes `<generation>-<hash>` to status.syncedResourceVersion after each synchronisation.
 */
export function speaksOfNewestSpec(object: JsonObject, found: Condition): boolean {
  const generation = numberAt(object, "metadata", "generation");
  if (generation === undefined) return true;
  if (found.observedGeneration !== undefined) return found.observedGeneration >= generation;
  const synced = textAt(object, "status", "syncedResourceVersion");
  return synced === undefined || synced.startsWith(`${generation}-`);
}

function readCondition(entry: Json): Condition {
  return {
    type: textAt(entry, "type") ?? "",
    status: textAt(entry, "status") ?? "Unknown",
    reason: textAt(entry, "reason") ?? "",
    message: oneLine(textAt(entry, "message") ?? ""),
    observedGeneration: numberAt(entry, "observedGeneration"),
    since: textAt(entry, "lastUpdateTime") ?? textAt(entry, "lastTransitionTime") ?? "",
  };
}
