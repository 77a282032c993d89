/** Why a run starts nothing new. */
export type CancellationReason = "failure" | "cancelled" | "lock lost" | "superseded";

/** Everything that ends a run early, as one signal. What has been started continues; nothing else is started. */
export interface Cancellation {
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  /** Aborted when it is to end at once: not merely for a newer run, which can wait for what is better not interrupted. */
  readonly urgent: AbortSignal;
  reason(): CancellationReason | undefined;
  /** Is called before anything else is done about a failure, so that no further write starts in the meantime. */
  fail(): void;
}

export function createCancellation(
  cancelled: AbortSignal,
  lost: AbortSignal,
  superseded: AbortSignal,
): Cancellation {
  const failure = new AbortController();
  const urgent = AbortSignal.any([lost, cancelled, failure.signal]);
  return {
    signal: AbortSignal.any([urgent, superseded]),
    urgent,
    reason: () => {
      // A lost lease has priority: only then may somebody else be writing now.
      if (lost.aborted) return "lock lost";
      if (cancelled.aborted) return "cancelled";
      if (failure.signal.aborted) return "failure";
      return superseded.aborted ? "superseded" : undefined;
    },
    fail: () => failure.abort(),
  };
}

export function describeCancellation(reason: CancellationReason | undefined): string {
  switch (reason) {
    case "lock lost":
      return "this run lost its lock, another one may be deploying";
    case "cancelled":
      return "the run was cancelled";
    case "superseded":
      return "a newer run took over";
    case "failure":
      return "another object failed";
    case undefined:
      return "something that it depends on is not ready";
  }
}
