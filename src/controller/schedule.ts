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
const fightLimits = { first: 2_000, longest: 60_000, window: 600_000, free: 10 };

export function createSchedule({ queue, clock, random, resyncMs }: ScheduleOptions): Schedule {
  const failures = createBackoff(failureLimits, random);
  const fights = createFightGuard(fightLimits);
  /** No event makes it earlier, or a stream of events would undo the backoff. In milliseconds since the epoch. */
  const notBefore = new Map<string, number>();
  const now = () => clock.now().getTime();

  /** How long a deployment is left alone after this outcome. */
  function pauseAfter(deployment: string, outcome: Outcome): number {
    switch (outcome.type) {
      case "unchanged":
      case "waiting":
        failures.forget(deployment);
        return 0;
      case "corrected":
        failures.forget(deployment);
        return fights.corrected(deployment, now());
      case "locked":
      case "frozen":
      case "refused":
      case "failed":
      case "stopped":
        return failures.next(deployment);
    }
  }

  return {
    changed(deployment) {
      const left = (notBefore.get(deployment) ?? 0) - now();
      queue.addAfter(deployment, Math.max(settleMs, left));
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
      failures.forget(deployment);
      fights.forget(deployment);
      notBefore.delete(deployment);
    },
  };
}
