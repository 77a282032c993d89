import {
  at,
  isList,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  numberAt,
  textAt,
} from "../model/json.ts";
import { harmlessParts, quotesCommands } from "./quoted-commands.ts";

/** Joins the lines of a cluster message, because it becomes part of one line. */
export function oneLine(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}

/** Returns a message of the cluster for an output, without the commands that it quotes. */
export function showMessage(message: string): string {
  return quotesCommands("", message) ? harmlessParts(message) : oneLine(message);
}

/**
 * Reports whether the controller has seen the newest spec.
 * Argo Rollouts writes its observedGeneration as a string. Undefined if the object doesn't contain
 * it, as for most kinds without a controller.
 */
export function isObserved(object: JsonObject): boolean | undefined {
  const generation = numberAt(object, "metadata", "generation");
  const observed = at(object, "status", "observedGeneration");
  const isNumber = typeof observed === "number" || typeof observed === "string";
  if (generation === undefined || !isNumber) return undefined;
  const number = Number(observed);
  return Number.isNaN(number) ? undefined : number >= generation;
}

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

/**
 * Returns the conditions of the parts of an object, such as `status.parents` of an HTTPRoute. Each
 * list of conditions is about one part.
 */
export function listPartConditions(object: JsonObject): readonly (readonly StatusCondition[])[] {
  const status = at(object, "status");
  return Object.values(isObject(status) ? status : {})
    .filter(isList)
    .flat()
    .map((part) => listAt(part, "conditions").map(readCondition))
    .filter((conditions) => conditions.length > 0);
}

export function findCondition(object: JsonObject, type: string): StatusCondition | undefined {
  const entry = listAt(object, "status", "conditions").find((c) => textAt(c, "type") === type);
  return entry === undefined ? undefined : readCondition(entry);
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

/** Explains that a condition doesn't show the state of the newest spec. */
export function outdatedReason(type: string): string {
  return `its ${type} condition is about an older generation`;
}

/** Returns the type of the main condition if it is about an older generation. */
export function outdatedMainCondition(object: JsonObject): string | undefined {
  return ["Ready", "Available"].find((type) => {
    const found = findCondition(object, type);
    return found !== undefined && !isAboutCurrentGeneration(object, found);
  });
}

function readCondition(entry: Json): StatusCondition {
  const message = textAt(entry, "message") ?? "";
  return {
    type: textAt(entry, "type") ?? "",
    status: readConditionStatus(at(entry, "status")),
    reason: textAt(entry, "reason") ?? "",
    message: showMessage(message),
    observedGeneration: numberAt(entry, "observedGeneration"),
    since: textAt(entry, "lastUpdateTime") ?? textAt(entry, "lastTransitionTime") ?? "",
  };
}

/** Reads the status of a condition. Some controllers write a boolean. */
function readConditionStatus(value: Json | undefined): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "string" ? value : "Unknown";
}
