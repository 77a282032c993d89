/** When one object was at work in a run. */
export interface Span {
  readonly key: string;
  /** Milliseconds since the epoch, as all times here. */
  readonly began: number;
  readonly ended: number;
  readonly ending: "done" | "failed" | "unfinished";
}

/** What took how long in a run: from the making of its plan to its end. */
export interface Timeline {
  readonly began: number;
  readonly ended: number;
  /** When the plan was made; undefined where the run ended before. */
  readonly planned?: number | undefined;
  /** In the order in which they began. */
  readonly spans: readonly Span[];
}
