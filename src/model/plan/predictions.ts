import type { ObjectAddress } from "../object.ts";

/**
 * The prediction of the Pods that are ready while a rollout replaces them
 * (docs/concepts/rollout-prediction.md#availability).
 */
export interface RolloutForecast {
  /** The key of the workload. */
  readonly key: string;
  /** The number of Pods that the workload declares. */
  readonly replicas: number;
  /** The smallest number of ready Pods during the rollout. */
  readonly leastReady: number;
  /** The number of Pods at the peak beyond those before and after the rollout. */
  readonly morePods: number;
  /** The number of times that new Pods become ready one after another. */
  readonly waves: number;
  /** The duration in seconds, from earlier rollouts; undefined if none is recorded. */
  readonly seconds?: number | undefined;
}

/** The rollout as a deployment observed it. */
export interface ObservedRollout {
  readonly leastReady: number;
  /** Undefined for kinds that don't report their number of Pods. */
  readonly morePods?: number | undefined;
  /** The time from the change until all Pods were ready. */
  readonly seconds: number;
}

/** A forecast with the rollout that followed; undefined if the rollout didn't complete. */
export interface RecordedRollout extends RolloutForecast {
  readonly observed?: ObservedRollout | undefined;
}

/**
 * The prediction of a rollback of a deployment that hasn't started yet
 * (docs/deploy/roll-back.md#before-the-merge).
 */
export interface RollbackPreview {
  /** The release to which the rollback returns: the current one. */
  readonly to: number;
  /** Undefined if qvs can't predict it; `reasons` then contains why. */
  readonly possible?: boolean | undefined;
  /** The number of objects that the rollback creates, changes or deletes. */
  readonly objects: number;
  /** The parts of the current state that the rollback doesn't restore. */
  readonly lost: readonly RollbackObstacle[];
  /** The reasons why the rollback isn't possible, or can't be predicted. */
  readonly reasons: readonly RollbackObstacle[];
  /** Other effects, such as migrations and larger volumes. They don't prevent a rollback. */
  readonly notes: readonly RollbackObstacle[];
  /** The inputs without which qvs blocks the rollback, such as `allow-irreversible: true`. */
  readonly needs: readonly string[];
}

/** A fact about a rollback. */
export interface RollbackObstacle {
  /** Undefined if it concerns the whole deployment. */
  readonly object?: ObjectAddress | undefined;
  /** One sentence that starts with the object's name, without a period. */
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** Reports whether a rollback restores everything, as far as qvs knows. */
export function isReversible({ possible, lost }: RollbackPreview): boolean {
  return possible === true && lost.length === 0;
}
