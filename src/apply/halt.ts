/** Why a run starts nothing any more. */
export type HaltReason = "failure" | "cancelled" | "lock lost";

/** One switch for everything that ends a run early. What is under way goes on; what has not begun does not begin. */
export interface Halt {
  /** Aborts when the run is to end. */
  readonly signal: AbortSignal;
  reason(): HaltReason | undefined;
  /** To be called before anything else is done about a failure, so that no further write starts meanwhile. */
  fail(): void;
}

export function createHalt(cancelled: AbortSignal, lost: AbortSignal): Halt {
  const failure = new AbortController();
  return {
    signal: AbortSignal.any([lost, cancelled, failure.signal]),
    reason: () => {
      // A lost lease outranks the rest: it alone says that somebody else may be writing now.
      if (lost.aborted) return "lock lost";
      if (cancelled.aborted) return "cancelled";
      return failure.signal.aborted ? "failure" : undefined;
    },
    fail: () => failure.abort(),
  };
}

export function describeHalt(reason: HaltReason | undefined): string {
  switch (reason) {
    case "lock lost":
      return "this run lost its lock, another one may be deploying";
    case "cancelled":
      return "the run was cancelled";
    case "failure":
      return "another object failed";
    case undefined:
      return "something that it depends on is not ready";
  }
}
