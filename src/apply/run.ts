import pLimit, { type LimitFunction } from "p-limit";
import type { Plan } from "../model/plan.ts";
import type { Clock } from "../ports/clock.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { Progress } from "../ports/terminal.ts";
import { type Cancellation, createCancellation } from "./cancellation.ts";
import { createUsage, type Usage } from "./deletion/usage.ts";
import { type Hearing, hearWarnings } from "./hear-warnings.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { createWatches, type Watches } from "./readiness/watches.ts";
import { type SecretTexts, secretTextsOf } from "./secret-texts.ts";
import { type JustWritten, justWrittenBy } from "./upsert/just-written.ts";
import { type Demands, demandsOf } from "./upsert/live-references.ts";

/** What applying a plan may access. */
export interface ApplyContext {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly progress: Progress;
  /** Aborted when a person cancels the run. */
  readonly signal: AbortSignal;
  /** Aborts when the lease is lost. */
  readonly lost: AbortSignal;
  /** Aborts when a newer run asks to take over; undefined where none can. */
  readonly superseded?: AbortSignal | undefined;
}

export interface Limits {
  /** Requests at once. Waiting is not limited: it costs nothing, and what is waited for may need a later object. */
  readonly concurrency: number;
  /** How long one object may take to become ready, or to be deleted. */
  readonly timeoutMs: number;
}

export const defaultLimits: Limits = { concurrency: 16, timeoutMs: 600_000 };

/** One run of a plan: its surroundings, which stay the same, and what has come of it so far. */
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

/** Reasons for waiting and failing are messages of the cluster. */
function withoutSecrets(progress: Progress, { hide }: SecretTexts): Progress {
  return {
    report: (event) => {
      if ("why" in event) progress.report({ ...event, why: hide(event.why) });
      else if (event.type === "ready") progress.report({ ...event, notice: hide(event.notice) });
      else progress.report(event);
    },
  };
}
