import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import type { Change } from "../../model/plan.ts";
import type { Clock } from "../../ports/clock.ts";
import type { WriteAttempt } from "../retry-conflicts.ts";
import { refusedByStaleCache } from "./propagation-delay.ts";
import type { UpsertContext } from "./upsert.ts";

/**
 * Returns a rejection, with a retry if the API server might still use its state before this run.
 */
export function retryStaleAdmission<T extends { readonly ok: false; readonly failure: ApiFailure }>(
  answer: T,
  change: Change,
  context: UpsertContext,
): WriteAttempt<T> {
  const staleCause = refusedByStaleCache(answer.failure, change, context.propagating);
  if (staleCause === undefined) return { answer };
  const prepareRetry = () => pauseBeforeRetry(context);
  if (staleCause === "rules") return { answer, prepareRetry };
  if (staleCause === "quota")
    return { answer, prepareRetry, maxRetries: quotaPropagationMs / pauseMs };
  context.cluster.forgetKinds();
  return { answer, prepareRetry, maxRetries: crdPropagationMs / pauseMs };
}

const pauseMs = 500;

/**
 * The retry time after a definition changed.
 * A busy API server computes the schema of a large definition only seconds after the write.
 */
const crdPropagationMs = 30_000;

/**
 * The retry time after a replacement exceeded a quota.
 * The quota controller sees a deletion at once, but counts nothing while it discovers new kinds. It
 * gives up the discovery after 30 s. Until then the replaced object doesn't exist, and an early
 * failure would leave it missing. Counting usually takes some 100 ms, but it took nearly 30 s after
 * a CRD was deleted (Kubernetes 1.36).
 */
const quotaPropagationMs = 60_000;

export interface RetryContext {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Waits before a retry. An aborted wait isn't a failure: the caller checks the signal. */
export async function pauseBeforeRetry({ clock, signal }: RetryContext): Promise<undefined> {
  try {
    await clock.sleep(pauseMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
