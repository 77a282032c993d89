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
