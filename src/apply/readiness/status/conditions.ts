import { at, type Json, type JsonObject, listAt, numberAt, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { harmlessParts, quotesCommands } from "./quoted-commands.ts";

/** The state of an object, computed from the object alone, never from earlier events. */
export type Status =
  | { readonly state: "ready"; readonly notice?: string }
  | {
      readonly state: "waiting";
      readonly why: string;
      readonly cause?: WaitingCause | undefined;
      /** True if the object reports a failure that its controller might retry. */
      readonly isRetried?: true;
      /** True if it is a failure that counts only after a while. */
      readonly isTolerated?: true;
    }
  | {
      readonly state: "failed";
      readonly why: string;
      /** True if no controller can recover the object, such as a Job that has ended. */
      readonly isFinal?: true;
    }
  /** Suspended on purpose until a user resumes it. It isn't a failure. */
  | { readonly state: "suspended"; readonly why: string };

/**
 * A cause of a wait other than time.
 * The controller hasn't observed the object, a request was denied, or another tool suspended the
 * object.
 */
export type WaitingCause = "not observed" | "refused" | "suspended";

/** The inputs of a status other than the object. */
export interface StatusFacts {
  readonly now: Date;
  /** The object after this run changed it or a dependency. Undefined if the run changed neither. */
  readonly baseline: StatusBaseline | undefined;
  readonly binding: VolumeBinding;
  /** True if the object can stay suspended. Undefined for an object outside this deployment. */
  readonly suspends?: boolean | undefined;
}

/**
 * The time when a claim gets its volume.
 * With volumeBindingMode WaitForFirstConsumer, the claim binds when a Pod uses it. `unknown` means
 * that qvs can't read the class or the events.
 */
export type VolumeBinding = "on first use" | "at once" | "unknown";

/** An object at the start of a wait, when its status could only be about its earlier state. */
export interface StatusBaseline {
  readonly object: KubeObject;
  readonly at: Date;
  /** The object before this run. Undefined if it didn't exist. */
  readonly objectBeforeRun?: KubeObject | undefined;
}

export function ready(): Status {
  return { state: "ready" };
}

export function waiting(why: string, cause?: WaitingCause): Status {
  return { state: "waiting", why, cause };
}

export function notObserved(why = "its controller hasn't observed it yet"): Status {
  return waiting(why, "not observed");
}

export function failed(why: string): Status {
  return { state: "failed", why };
}

/** Returns the status of an object that never recovers, however long qvs waits. */
export function failedForGood(why: string): Status {
  return { state: "failed", why, isFinal: true };
}

export function suspended(why: string): Status {
  return { state: "suspended", why };
}

/** Joins the lines of a cluster message, because it becomes part of one line. */
export function oneLine(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
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

/**
 * Checks an unknown kind by its condition Ready or Available. Without one, it only has to exist.
 */
export function statusByOptionalCondition(object: KubeObject): Status {
  const found = findCondition(object, "Ready") ?? findCondition(object, "Available");
  return found === undefined ? ready() : conditionStatus(object, found);
}

/**
 * Checks a kind whose controller always sets the condition Ready.
 * Without the condition, the controller hasn't processed the object yet.
 */
export function statusByReadyCondition(object: KubeObject): Status {
  return statusByRequiredCondition("Ready", object);
}

/**
 * Checks an APIService. The aggregator always sets its condition Available, at once if it is local.
 */
export function statusByAvailableCondition(object: KubeObject): Status {
  return statusByRequiredCondition("Available", object);
}

function statusByRequiredCondition(type: string, object: KubeObject): Status {
  const found = findCondition(object, type);
  return found === undefined
    ? notObserved(`its controller hasn't reported the condition ${type} yet`)
    : conditionStatus(object, found);
}

/**
 * Computes the status from a condition. False isn't final, because a controller can retry.
 * Only the timeout, or the annotation `tolerate`, makes it a failure.
 */
function conditionStatus(object: KubeObject, found: StatusCondition): Status {
  if (!isAboutCurrentGeneration(object, found)) return outdatedConditionStatus(found);
  if (found.status === "True") return ready();
  const why = explainCondition(found);
  return found.status === "False" ? { state: "waiting", why, isRetried: true } : waiting(why);
}

export function outdatedConditionStatus(found: StatusCondition): Status {
  return waiting(`its ${found.type} condition is about an older generation`);
}
