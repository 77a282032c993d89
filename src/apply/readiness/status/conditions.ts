import {
  explainCondition,
  findCondition,
  isAboutCurrentGeneration,
  outdatedReason,
} from "../../../health/conditions.ts";
import type { HealthEvaluator } from "../../../health/evaluator.ts";
import type { KubeObject } from "../../../model/object.ts";

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
      /** True if the object's controller might try again, so that the failure counts later. */
      readonly isRetried?: true;
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
  /** Judges kinds without a rule in code. */
  readonly health: HealthEvaluator;
  /** True if the object can stay suspended. Undefined for an object outside this deployment. */
  readonly suspends?: boolean | undefined;
  /**
   * The wait for the first status of a new object whose kind has no health rule. Undefined if an
   * object without a status is ready.
   */
  readonly firstStatus?: "awaited" | "overdue" | undefined;
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

/**
 * Checks a kind of Kubernetes without a rule by its condition Ready or Available. Without one, it
 * only has to exist.
 */
export function statusByOptionalCondition(object: KubeObject): Status {
  const found = findCondition(object, "Ready") ?? findCondition(object, "Available");
  if (found === undefined) return ready();
  if (!isAboutCurrentGeneration(object, found)) return waiting(outdatedReason(found.type));
  if (found.status === "True") return ready();
  const why = explainCondition(found);
  return found.status === "False" ? { state: "waiting", why, isRetried: true } : waiting(why);
}
