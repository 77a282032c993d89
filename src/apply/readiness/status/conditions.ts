import { type Json, type JsonObject, listAt, numberAt, textAt } from "../../../model/json.ts";
import { harmlessParts, quotesCommands } from "./quoted-commands.ts";
import { oneLine } from "./status.ts";

/** One entry of `status.conditions`. */
export interface StatusCondition {
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** The generation that the condition is about, if it names one. */
  readonly observedGeneration: number | undefined;
  /**
   * The time of the controller's last write, in its own format. Empty if the condition has none.
   */
  readonly since: string;
}

export function listConditions(object: JsonObject): readonly StatusCondition[] {
  return listAt(object, "status", "conditions").map(readCondition);
}

export function findCondition(object: JsonObject, type: string): StatusCondition | undefined {
  return listConditions(object).find((c) => c.type === type);
}

export function isConditionTrue(object: JsonObject, type: string): boolean {
  return findCondition(object, type)?.status === "True";
}

/** Returns `Reason: message`, or the part that the controller set. */
export function explainCondition(found: StatusCondition): string {
  const parts = [found.reason, found.message].filter((part) => part !== "");
  return parts.length > 0 ? parts.join(": ") : `${found.type}=${found.status}`;
}

/**
 * Reports whether a condition is about the current generation, as far as the object shows it.
 * External Secrets has no observedGeneration. It writes `<generation>-<hash>` to
 * status.syncedResourceVersion after each synchronization.
 */
export function isAboutCurrentGeneration(object: JsonObject, found: StatusCondition): boolean {
  const generation = numberAt(object, "metadata", "generation");
  if (generation === undefined) return true;
  if (found.observedGeneration !== undefined) return found.observedGeneration >= generation;
  const synced = textAt(object, "status", "syncedResourceVersion");
  return synced === undefined || synced.startsWith(`${generation}-`);
}

function readCondition(entry: Json): StatusCondition {
  const message = textAt(entry, "message") ?? "";
  return {
    type: textAt(entry, "type") ?? "",
    status: textAt(entry, "status") ?? "Unknown",
    reason: textAt(entry, "reason") ?? "",
    message: quotesCommands("", message) ? harmlessParts(message) : oneLine(message),
    observedGeneration: numberAt(entry, "observedGeneration"),
    since: textAt(entry, "lastUpdateTime") ?? textAt(entry, "lastTransitionTime") ?? "",
  };
}
