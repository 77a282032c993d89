import type { Clock } from "../ports/clock.ts";
import { createBackoff, createFightGuard, jittered } from "./backoff.ts";
import type { Outcome } from "./events.ts";
import type { WorkQueue } from "./queue.ts";

export interface ScheduleOptions {
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly random: () => number;
  /** How often everything is looked at although nothing is known to have changed, in milliseconds. */
  readonly resyncMs: number;
}

/** When a deployment is looked at next. */
export interface Schedule {
  /** Something of it may have changed. */
  changed(deployment: string): void;
  /** Another release runs, or none: what kept it from being corrected may be gone. */
  released(deployment: string): void;
  /** Whether it is still to be left alone, for what happened during the last look at it. Then it comes back by itself. */
  isTooEarly(deployment: string): boolean;
  /** It was looked at. Returns when it is looked at again without an event, in milliseconds. */
  concluded(deployment: string, outcome: Outcome): number;
  forget(deployment: string): void;
}

/**
 * Changes come in bursts, and two states of an object within one second may look alike in its metadata: what happens within this
 * time is read together, in milliseconds.
 */
const settleMs = 1_000;

const failureLimits = { first: 1_000, longest: 300_000 };
/** Of what passes by itself: a lock that nobody renews any more expires after 30 seconds. */
const delayLimits = { first: 1_000, longest: 30_000 };
const fightLimits = { first: 2_000, longest: 60_000, window: 600_000, free: 10 };

export function createSchedule({ queue, clock, random, resyncMs }: ScheduleOptions): Schedule {
  const failures = createBackoff(failureLimits, random);
  const delays = createBackoff(delayLimits, random);
  const fights = createFightGuard(fightLimits);
  /** No event makes it earlier, or a stream of events would undo the backoff. In milliseconds of the clock. */
  const notBefore = new Map<string, number>();
  const now = () => clock.elapsed();

  /** How long a deployment is left alone after this outcome. */
  function pauseAfter(deployment: string, outcome: Outcome): number {
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
        // Somebody else's newer edit is no failure: the next correction only has to keep to the rate of a fight.
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

  const pauseLeft = (deployment: string) => (notBefore.get(deployment) ?? 0) - now();

  function forgetFailures(deployment: string): void {
    failures.forget(deployment);
    delays.forget(deployment);
    notBefore.delete(deployment);
  }

  return {
    changed(deployment) {
      queue.addAfter(deployment, Math.max(settleMs, pauseLeft(deployment)));
    },
    released(deployment) {
      forgetFailures(deployment);
      queue.addAfter(deployment, settleMs);
    },
    isTooEarly(deployment) {
      const left = pauseLeft(deployment);
      if (left > 0) queue.addAfter(deployment, left);
      return left > 0;
    },
    concluded(deployment, outcome) {
      const pause = pauseAfter(deployment, outcome);
      // What is unchanged may follow a correction, whose pause still holds.
      if (pause > 0) notBefore.set(deployment, now() + pause);
      // The end of a deployment that is waited for is told by its release.
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
