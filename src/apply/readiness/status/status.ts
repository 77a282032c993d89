import { at, type JsonObject, numberAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";

/** The state of an object, computed from the object alone, never from earlier events. */
export type Status =
  | { readonly state: "ready"; readonly notice?: string }
  | { readonly state: "waiting"; readonly why: string; readonly cause?: WaitingCause | undefined }
  | { readonly state: "failed"; readonly why: string }
  /** Suspended on purpose: nothing more happens until somebody resumes it, and that is not a failure. */
  | { readonly state: "suspended"; readonly why: string };

/**
 * Nothing but time is missing, unless its controller has not looked at it yet, something was refused on the way, or another tool has
 * suspended it.
 */
export type WaitingCause = "not observed" | "refused" | "suspended";

/** What a status depends on besides the object. */
export interface Facts {
  readonly now: Date;
  /** Its state after this run changed it or what it depends on; undefined if the run changed neither. */
  readonly before: Before | undefined;
  readonly binding: Binding;
  /** The manifest declares that the object is suspended; undefined for an object outside this deployment. */
  readonly suspends?: boolean | undefined;
}

/**
 * When a claim gets its volume: by its storage class only once a Pod uses it (volumeBindingMode WaitForFirstConsumer), or at
 * once; unknown where neither the class nor events may be read.
 */
export type Binding = "on first use" | "at once" | "unknown";

/** An object when waiting for it began, when its status could only be about its earlier state. */
export interface Before {
  readonly object: KubeObject;
  readonly at: Date;
  /** What this run has changed; undefined where it made it, or has changed only what it depends on. */
  readonly earlier?: KubeObject | undefined;
}

export function ready(): Status {
  return { state: "ready" };
}

export function waiting(why: string, cause?: WaitingCause): Status {
  return { state: "waiting", why, cause };
}

export function notObserved(why = "its controller has not observed it yet"): Status {
  return waiting(why, "not observed");
}

export function failed(why: string): Status {
  return { state: "failed", why };
}

export function suspended(why: string): Status {
  return { state: "suspended", why };
}

/** Messages of the cluster become part of one line, and some have several lines. */
export function oneLine(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}

/**
 * Whether the controller has seen the newest spec. Argo Rollouts writes its observedGeneration as a string.
 * `undefined` when the object does not say, which most kinds without a controller never do.
 */
export function isObserved(object: JsonObject): boolean | undefined {
  const generation = numberAt(object, "metadata", "generation");
  const observed = at(object, "status", "observedGeneration");
  const isNumber = typeof observed === "number" || typeof observed === "string";
  if (generation === undefined || !isNumber) return undefined;
  const number = Number(observed);
  return Number.isNaN(number) ? undefined : number >= generation;
}
