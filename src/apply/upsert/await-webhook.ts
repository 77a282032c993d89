import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import { unservedWebhook } from "../../model/cluster/api-messages/denials.ts";
import type { Change } from "../../model/plan.ts";
import { readWaitPolicy } from "../../model/wait-policy.ts";
import type { AwaitedProgress } from "../readiness/stall.ts";
import type { ApplyRun } from "../run.ts";
import { isStartingWebhook } from "./starting-webhook.ts";

/** The wait of one change for a webhook that doesn't serve yet. */
export interface WebhookWait {
  /**
   * Reports whether qvs waits for the webhook that caused the failure. It doesn't for a webhook of
   * others that has stopped, and not longer than the object's timeout.
   */
  canWait(failure: ApiFailure): Promise<boolean>;
  /**
   * Waits before the next request. An aborted wait isn't a failure: the caller checks the signal.
   */
  pause(): Promise<void>;
  /** Returns the time of the wait as text, for the failure. Undefined if qvs didn't wait. */
  waited(): string | undefined;
  end(): void;
}

const firstPauseMs = 1_000;
const maxPauseMs = 10_000;

/** Creates the wait of one change (docs/reference/deployment.md#webhooks-that-dont-serve-yet). */
export function createWebhookWait(
  run: ApplyRun,
  { key, desired }: Change,
  signal: AbortSignal,
): WebhookWait {
  const { clock, progress } = run.world;
  const timeoutMs = readWaitPolicy(desired).timeoutMs ?? run.limits.timeoutMs;
  const starting = new Map<string, boolean>();
  let wait: { readonly began: number; readonly progress: AwaitedProgress } | undefined;
  let pauseMs = firstPauseMs;
  return {
    async canWait(failure) {
      const webhook = unservedWebhook(failure);
      if (webhook === undefined) return false;
      const known = starting.get(webhook.name);
      const isStarting = known ?? (await isStartingWebhook(run, webhook, timeoutMs));
      starting.set(webhook.name, isStarting);
      if (!isStarting) return false;
      wait ??= { began: clock.elapsed(), progress: run.stall.begin(key) };
      const isOver = clock.elapsed() - wait.began >= timeoutMs || wait.progress.remaining() <= 0;
      if (isOver) return false;
      const why = `the webhook ${webhook.name} doesn't serve yet: ${webhook.reason}`;
      progress.report({ type: "waiting", key, why, isTrouble: true });
      return true;
    },
    async pause() {
      const left = timeoutMs - (clock.elapsed() - (wait?.began ?? clock.elapsed()));
      const pause = Math.min(pauseMs, left, wait?.progress.remaining() ?? left);
      pauseMs = Math.min(2 * pauseMs, maxPauseMs);
      await clock.sleep(Math.max(pause, 1), signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    },
    waited: () => wait && `gave up after ${Math.round((clock.elapsed() - wait.began) / 1000)} s`,
    end: () => wait?.progress.end(),
  };
}
