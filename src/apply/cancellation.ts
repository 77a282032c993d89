/** Why a run starts nothing new. */
export type CancellationReason = "failure" | "cancelled" | "lock lost";

/** Everything that ends a run early, as one signal. What has been started continues; nothing else is started. */
export interface Cancellation {
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  reason(): CancellationReason | undefined;
  /** Is called before anything else is done about a failure, so that no further write starts in the meantime. */
  fail(): void;
}

export function createCancellation(cancelled: AbortSignal, lost: AbortSignal): Cancellation {
  const failure = new AbortController();
  return {
    signal: AbortSignal.any([lost, cancelled, failure.signal]),
    reason: () => {
      // A lost lease has priority: only then may somebody else be writing now.
      if (lost.aborted) return "lock lost";
      if (cancelled.aborted) return "cancelled";
      return failure.signal.aborted ? "failure" : undefined;
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
    case "failure":
      return "another object failed";
    case undefined:
      return "something that it depends on is not ready";
  }
}
