import pLimit, { type LimitFunction } from "p-limit";
import { createHealthEvaluator, type HealthEvaluator } from "../health/evaluator.ts";
import type { ApiResult } from "../model/cluster/api/api-failure.ts";
import { warningNotices } from "../model/cluster/api/api-warnings.ts";
import type { Limits } from "../model/deployments/deploy-request.ts";
import { groupOf, idOf, keyOf } from "../model/object.ts";
import { withSecretKind } from "../model/plan/apply-time-reference.ts";
import type { Plan } from "../model/plan/plan.ts";
import { findReadinessDependents } from "../model/plan/readiness-dependents.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { Clock } from "../ports/clock.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { HttpProbe } from "../ports/probe.ts";
import type { ProgressReporter } from "../ports/terminal.ts";
import { canContainSecrets } from "../redaction/sensitive-object.ts";
import { showableWarning } from "../redaction/showable-rejection.ts";
import { type Cancellation, createCancellation } from "./cancellation.ts";
import { createFreshReads, type FreshReads } from "./deletion/read-workloads.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { createStatusSupport, type StatusSupport } from "./readiness/first-status.ts";
import { createStallMonitor, type StallMonitor } from "./readiness/stall.ts";
import { createWatches, type Watches } from "./readiness/watches.ts";
import { findPropagatingWrites, type PropagatingWrites } from "./retry-writes.ts";
import { createSecretScrubber, type SecretScrubber } from "./secret-scrubber.ts";
import { collectRequirements, type ReferenceRequirements } from "./upsert/live-references.ts";

/** The ports and signals that applying a plan uses. */
export interface ApplyContext {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Sends requests of checks to addresses outside of the cluster's API. */
  readonly probe: HttpProbe;
  /** Returns the SHA-256 of a string in hex. */
  readonly hash: (text: string) => string;
  readonly progress: ProgressReporter;
  /** Aborted when a user cancels the run. */
  readonly signal: AbortSignal;
  /** Aborted when the run loses its Lease. */
  readonly lost: AbortSignal;
  /** Aborted when a newer run asks to take over. Undefined if no newer run can. */
  readonly superseded?: AbortSignal | undefined;
}

/** One run of a plan: its fixed context, and its results so far. */
export interface ApplyRun {
  readonly plan: Plan;
  readonly world: ApplyContext;
  readonly limits: Limits;
  readonly watches: Watches;
  readonly health: HealthEvaluator;
  readonly stall: StallMonitor;
  readonly canHaveStatus: StatusSupport;
  /** Reports whether anything waits until the object of a change is ready. */
  readonly hasReadinessDependents: ReturnType<typeof findReadinessDependents>;
  readonly limit: LimitFunction;
  readonly fresh: FreshReads;
  readonly cancellation: Cancellation;
  readonly requirements: ReferenceRequirements;
  readonly secrets: SecretScrubber;
  readonly warningRecorder: WarningRecorder;
  readonly propagating: PropagatingWrites;
  readonly ledger: Ledger;
}

export function startRun(plan: Plan, world: ApplyContext, limits: Limits): ApplyRun {
  const limit = pLimit(limits.concurrency);
  const secrets = createSecretScrubber(plan);
  const warningRecorder = recordWarnings(world.cluster, plan, secrets);
  const { cluster } = warningRecorder;
  return {
    plan,
    world: { ...world, cluster, progress: scrubProgress(world.progress, secrets) },
    secrets,
    warningRecorder,
    limits,
    watches: createWatches(world.cluster),
    health: createHealthEvaluator(plan.health),
    canHaveStatus: createStatusSupport(cluster, plan),
    hasReadinessDependents: findReadinessDependents(plan),
    stall: createStallMonitor(world.clock, limits.noProgressMs),
    limit,
    fresh: createFreshReads(world.cluster, limit),
    cancellation: createCancellation(world.signal, world.lost, world.superseded ?? neverAborted),
    requirements: collectRequirements(plan.changes),
    propagating: findPropagatingWrites(plan.changes),
    ledger: createLedger(secrets),
  };
}

const neverAborted = new AbortController().signal;

/**
 * Hides Secret values in progress events. Reasons for waiting or failing quote cluster messages.
 */
function scrubProgress(progress: ProgressReporter, { scrub }: SecretScrubber): ProgressReporter {
  return {
    report: (event) => {
      if ("why" in event) progress.report({ ...event, why: scrub(event.why) });
      else if (event.type === "ready") progress.report({ ...event, notice: scrub(event.notice) });
      else progress.report(event);
    },
  };
}

/** A cluster client that records the API server's warnings about the objects of a plan. */
interface WarningRecorder {
  readonly cluster: Cluster;
  /** Returns the warnings that the plan doesn't contain yet. */
  notices(): readonly Problem[];
}

/**
 * Records the API server's warnings while a plan is applied.
 * Most objects are sent only once, without a dry run, so these warnings are new to the reader of
 * the result.
 */
function recordWarnings(
  cluster: Cluster,
  { changes }: Plan,
  secrets: SecretScrubber,
): WarningRecorder {
  const recorded = new Map<string, Set<string>>();
  const record = <T>(key: string, answer: ApiResult<T>): ApiResult<T> => {
    for (const text of answer.warnings ?? []) {
      recorded.set(key, (recorded.get(key) ?? new Set()).add(text));
    }
    return answer;
  };
  return {
    cluster: {
      ...cluster,
      apply: async (object, options) =>
        record(keyOf(idOf(object)), await cluster.apply(object, options)),
      patch: async (address, ...patched) => {
        const id = { ...address, group: groupOf(address.apiVersion) };
        return record(keyOf(id), await cluster.patch(address, ...patched));
      },
    },
    notices: () =>
      warningNotices(
        changes.map((change) => {
          const { key, id, desired, warnings: known = [] } = change;
          const mayQuote = !canContainSecrets(withSecretKind(desired, change));
          const texts = [...(recorded.get(key) ?? [])].map((text) =>
            secrets.scrub(showableWarning(text, desired, mayQuote)),
          );
          return { id, warnings: [...new Set(texts)].filter((text) => !known.includes(text)) };
        }),
      ),
  };
}
