import pLimit, { type LimitFunction } from "p-limit";
import type { Plan } from "../model/plan.ts";
import type { Clock } from "../ports/clock.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { ProgressReporter } from "../ports/terminal.ts";
import { type Cancellation, createCancellation } from "./cancellation.ts";
import { createUsage, type Usage } from "./deletion/usage.ts";
import { type Hearing, hearWarnings } from "./hear-warnings.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { createWatches, type Watches } from "./readiness/watches.ts";
import { type SecretTexts, secretTextsOf } from "./secret-texts.ts";
import { type JustWritten, justWrittenBy } from "./upsert/just-written.ts";
import { type Demands, demandsOf } from "./upsert/live-references.ts";

/** The ports and signals that applying a plan uses. */
export interface ApplyContext {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly progress: ProgressReporter;
  /** Aborted when a user cancels the run. */
  readonly signal: AbortSignal;
  /** Aborted when the run loses its Lease. */
  readonly lost: AbortSignal;
  /** Aborted when a newer run asks to take over. Undefined if no newer run can. */
  readonly superseded?: AbortSignal | undefined;
}

export interface Limits {
  /**
   * The maximum number of concurrent requests.
   * Waiting is not limited. It costs nothing, and the awaited object might need an object that is
   * written later.
   */
  readonly concurrency: number;
  /** The maximum time for one object to become ready or to be deleted. */
  readonly timeoutMs: number;
}

export const defaultLimits: Limits = { concurrency: 16, timeoutMs: 600_000 };

/** One run of a plan: its fixed context, and its results so far. */
export interface Run {
  readonly plan: Plan;
  readonly world: ApplyContext;
  readonly limits: Limits;
  readonly watches: Watches;
  readonly limit: LimitFunction;
  readonly usage: Usage;
  readonly halt: Cancellation;
  readonly demands: Demands;
  readonly secrets: SecretTexts;
  readonly hearing: Hearing;
  readonly justWritten: JustWritten;
  readonly ledger: Ledger;
}

export function startRun(plan: Plan, world: ApplyContext, limits: Limits): Run {
  const limit = pLimit(limits.concurrency);
  const secrets = secretTextsOf(plan);
  const hearing = hearWarnings(world.cluster, plan, secrets);
  const { cluster } = hearing;
  return {
    plan,
    world: { ...world, cluster, progress: withoutSecrets(world.progress, secrets) },
    secrets,
    hearing,
    limits,
    watches: createWatches(world.cluster),
    limit,
    usage: createUsage(world.cluster, limit),
    halt: createCancellation(world.signal, world.lost, world.superseded ?? never),
    demands: demandsOf(plan.changes),
    justWritten: justWrittenBy(plan.changes),
    ledger: createLedger(secrets),
  };
}

const never = new AbortController().signal;

/**
 * Hides Secret values in progress events. Reasons for waiting or failing quote cluster messages.
 */
function withoutSecrets(progress: ProgressReporter, { hide }: SecretTexts): ProgressReporter {
  return {
    report: (event) => {
      if ("why" in event) progress.report({ ...event, why: hide(event.why) });
      else if (event.type === "ready") progress.report({ ...event, notice: hide(event.notice) });
      else progress.report(event);
    },
  };
}
