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
  const again = () => pause(context);
  if (former === "rules") return { answer, again };
  if (former === "quota") return { answer, again, retries: quotaTakesMs / pauseMs };
  context.cluster.forgetKinds();
  return { answer, again, retries: definitionTakesMs / pauseMs };
}

const pauseMs = 500;

/** A busy server computes the schema of a large definition again only seconds after it has taken it. */
const definitionTakesMs = 30_000;

/**
 * The controller of quotas hears of a deletion within a moment, but counts nothing while it learns of new kinds, which it gives up after
 * 30 s. Meanwhile nothing is there of what is replaced: to fail early would leave it so.
 */
const quotaTakesMs = 60_000;

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
