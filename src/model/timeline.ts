/** The time span of the work on one object in a run. */
export interface Span {
  readonly key: string;
  /** Milliseconds since the epoch, like all times in this file. */
  readonly began: number;
  readonly ended: number;
  readonly ending: "done" | "failed" | "unfinished";
}

/** The times of a run, from planning to its end. */
export interface Timeline {
  readonly began: number;
  readonly ended: number;
  /** The time when the plan was complete; undefined if the run ended before that. */
  readonly planned?: number | undefined;
  /** Sorted by `began`. */
  readonly spans: readonly Span[];
}
