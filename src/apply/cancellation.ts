/** The reason why a run starts no further step. */
export type CancellationReason = "failure" | "cancelled" | "lock lost" | "superseded";

/**
 * One signal for everything that ends a run early.
 * Steps that have started continue. No other step starts.
 */
export interface Cancellation {
  /** Aborted when the run must end. */
  readonly signal: AbortSignal;
  /**
   * Aborted when the run must end at once.
   * A newer run doesn't abort it: that run can wait for a step that is better not interrupted.
   */
  readonly urgent: AbortSignal;
  reason(): CancellationReason | undefined;
  /**
   * Cancels the run because of a failure.
   * Callers use it before they handle the failure, so that no further write starts in between.
   */
  fail(): void;
}

export function createCancellation(
  canceled: AbortSignal,
  lost: AbortSignal,
  superseded: AbortSignal,
): Cancellation {
  const failure = new AbortController();
  const urgent = AbortSignal.any([lost, canceled, failure.signal]);
  return {
    signal: AbortSignal.any([urgent, superseded]),
    urgent,
    reason: () => {
      // A lost lease has priority: it is the only case in which another run might be writing now.
      if (lost.aborted) return "lock lost";
      if (canceled.aborted) return "cancelled";
      if (failure.signal.aborted) return "failure";
      return superseded.aborted ? "superseded" : undefined;
    },
    fail: () => failure.abort(),
  };
}

export function describeCancellation(reason: CancellationReason | undefined): string {
  switch (reason) {
    case "lock lost":
      return "this run lost its deployment lock, and another run might be deploying";
    case "cancelled":
      return "the run was canceled";
    case "superseded":
      return "a newer run took over";
    case "failure":
      return "another object failed";
    case undefined:
      return "a dependency isn't ready";
  }
}
