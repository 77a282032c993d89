import {
  explainCondition,
  findCondition,
  isAboutCurrentGeneration,
  outdatedReason,
  type StatusCondition,
} from "../../../health/conditions.ts";
import type { HealthEvaluator } from "../../../health/evaluator.ts";
import { type JsonObject, listAt, numberAt, textAt } from "../../../model/json.ts";
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

/**
 * Reports whether a controller wrote a condition before the change.
 * Deployments and Rollouts past their deadline keep that condition at the new generation. It stays
 * until the first Pod of the change makes progress. Tried: one replica, an image that can't be
 * pulled, and back to the one before. A controller doesn't repeat a condition, so the condition
 * counts once a whole deadline has passed since the change.
 */
export function isStaleCondition(
  object: JsonObject,
  found: StatusCondition,
  facts: StatusFacts,
): boolean {
  return isUnchangedCondition(found, facts, ["reason", "since"], deadlineMs(object));
}

/**
 * Reports whether these fields of a condition are the same as before the change.
 * The change must be less than `withinMs` old.
 */
export function isUnchangedCondition(
  found: StatusCondition,
  { now, baseline }: StatusFacts,
  fields: readonly (keyof StatusCondition)[],
  withinMs: number,
): boolean {
  const known = baseline && findCondition(baseline.object, found.type);
  if (baseline === undefined || known === undefined) return false;
  const isSame = fields.every((field) => known[field] === found[field]);
  return isSame && now.getTime() - baseline.at.getTime() < withinMs;
}

/** Returns the deadline. The API server's default is also the default of Rollouts. */
function deadlineMs(object: JsonObject): number {
  return (numberAt(object, "spec", "progressDeadlineSeconds") ?? 600) * 1000;
}

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
