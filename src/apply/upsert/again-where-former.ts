import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import type { Change } from "../../model/plan.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Attempt } from "../retry-conflicts.ts";
import { refusedByFormer } from "./just-written.ts";
import type { UpsertContext } from "./upsert.ts";

/** A refusal, which is asked about again where the server may still go by what it had before this run. */
export function againWhereFormer<T extends { readonly ok: false; readonly failure: ApiFailure }>(
  answer: T,
  change: Change,
  context: UpsertContext,
): Attempt<T> {
  const former = refusedByFormer(answer.failure, change, context.justWritten);
  if (former === undefined) return { answer };
  if (former === "definition") context.cluster.forgetKinds();
  return { answer, again: () => pause(context) };
}

const pauseMs = 500;

export interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** An aborted pause is no failure: the caller looks at the signal itself. */
export async function pause({ clock, signal }: Waiting): Promise<undefined> {
  try {
    await clock.sleep(pauseMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
