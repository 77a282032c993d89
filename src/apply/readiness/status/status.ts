import { at, type JsonObject, numberAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";

/** The state of an object, computed from the object alone, never from earlier events. */
export type Status =
  | { readonly state: "ready"; readonly notice?: string }
  | { readonly state: "waiting"; readonly why: string; readonly cause?: WaitingCause | undefined }
  | { readonly state: "failed"; readonly why: string }
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
