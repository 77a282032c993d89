import type { Clock } from "../ports/clock.ts";
import { createBackoff, createFightGuard, jittered } from "./backoff.ts";
import type { CheckOutcome } from "./events.ts";
import type { WorkQueue } from "./queue.ts";

export interface ScheduleOptions {
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly random: () => number;
  /** The interval of checks without a known change, in milliseconds. */
  readonly resyncMs: number;
}

/** Decides when the controller checks a deployment next. */
export interface Schedule {
  /** Handles a possible change of the deployment's objects. */
  changed(deployment: string): void;
  /** Handles a change of the releases. The reason for a failed correction might no longer apply. */
  released(deployment: string): void;
  /**
   * Reports whether the deployment must still wait after its last check. In that case, the schedule
   * queues it again.
   */
  isTooEarly(deployment: string): boolean;
  /**
   * Handles the outcome of a check. Returns the delay before the next check without an event, in
   * milliseconds.
   */
  concluded(deployment: string, outcome: CheckOutcome): number;
  forget(deployment: string): void;
}

/**
 * The delay after a change, in milliseconds. One check then covers a burst of changes.
 * Two states of an object within one second can also have the same metadata.
 */
const settleMs = 1_000;

const failureLimits = { first: 1_000, longest: 300_000 };
/**
 * The delays for temporary obstacles. A lock that is no longer renewed expires after 30 seconds.
 */
const delayLimits = { first: 1_000, longest: 30_000 };
const fightLimits = { first: 2_000, longest: 60_000, window: 600_000, free: 10 };

export function createSchedule({ queue, clock, random, resyncMs }: ScheduleOptions): Schedule {
  const failures = createBackoff(failureLimits, random);
  const delays = createBackoff(delayLimits, random);
  const fights = createFightGuard(fightLimits);
  /**
   * The earliest time of the next check, in milliseconds of the clock. No event makes it earlier,
   * or a stream of events would bypass the backoff.
   */
  const earliestChecks = new Map<string, number>();
  const now = () => clock.elapsed();

  /** Returns the delay after an outcome. */
  function outcomeDelay(deployment: string, outcome: CheckOutcome): number {
    if (outcome.type !== "locked" && outcome.type !== "unreachable") delays.forget(deployment);
    switch (outcome.type) {
      case "unchanged":
      case "waiting":
        failures.forget(deployment);
        return 0;
      case "corrected":
        failures.forget(deployment);
        return fights.corrected(deployment, now());
      case "overtaken":
        // A newer edit by another client isn't a failure. The next correction is only subject to
        // the fight guard.
        failures.forget(deployment);
        return Math.max(settleMs, fights.corrected(deployment, now()));
      case "locked":
      case "unreachable":
        return delays.next(deployment);
      case "frozen":
      case "refused":
      case "failed":
      case "stopped":
        return failures.next(deployment);
    }
  }

  const remainingDelay = (deployment: string) => (earliestChecks.get(deployment) ?? 0) - now();

  function forgetFailures(deployment: string): void {
    failures.forget(deployment);
    delays.forget(deployment);
    earliestChecks.delete(deployment);
  }

  return {
    changed(deployment) {
      queue.addAfter(deployment, Math.max(settleMs, remainingDelay(deployment)));
    },
    released(deployment) {
      forgetFailures(deployment);
      queue.addAfter(deployment, settleMs);
    },
    isTooEarly(deployment) {
      const left = remainingDelay(deployment);
      if (left > 0) queue.addAfter(deployment, left);
      return left > 0;
    },
    concluded(deployment, outcome) {
      const pause = outcomeDelay(deployment, outcome);
      // An unchanged deployment might follow a correction whose delay is still in effect.
      if (pause > 0) earliestChecks.set(deployment, now() + pause);
      // A deployment in progress ends with a change of its release, which starts the next check.
      const isDone = ["unchanged", "corrected", "waiting"].includes(outcome.type);
      const again = isDone ? Math.max(pause, jittered(resyncMs, random())) : pause;
      queue.addAfter(deployment, again);
      return again;
    },
    forget(deployment) {
      queue.drop(deployment);
      forgetFailures(deployment);
      fights.forget(deployment);
    },
  };
}
