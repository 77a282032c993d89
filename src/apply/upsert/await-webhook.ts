import type { ApiFailure } from "../../model/cluster/api/api-failure.ts";
import { type UnservedWebhook, unservedWebhook } from "../../model/cluster/api/messages/denials.ts";
import { calledServices, selectsPodsOf } from "../../model/cluster/called-services.ts";
import { admissionGroup } from "../../model/governors.ts";
import { listAt, textAt } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import { readWaitPolicy } from "../../model/plan/wait-policy.ts";
import { fieldOwners } from "../../ssa/managed-fields.ts";
import type { AwaitedProgress } from "../readiness/stall.ts";
import type { ApplyRun } from "../run.ts";

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

/**
 * Reports whether a webhook is about to serve: its configuration, its Service or the workload
 * behind it belongs to this deployment, or was changed less than `withinMs` ago. An object that qvs
 * isn't allowed to read counts as unchanged.
 */
async function isStartingWebhook(
  run: ApplyRun,
  webhook: UnservedWebhook,
  withinMs: number,
): Promise<boolean> {
  if (run.plan.changes.some(({ desired }) => configures(desired, webhook))) return true;
  // Nothing in the cluster starts a webhook with an address outside of it.
  if (webhook.service === undefined) return false;
  const since = run.world.clock.now().getTime() - withinMs;
  return (
    (await isStartingService(run, webhook, since)) ||
    (await hasNewConfiguration(run, webhook, since))
  );
}

/** Reports whether an object is the webhook's Service or configures the webhook. */
function configures(object: KubeObject, { name, service }: UnservedWebhook): boolean {
  if (listAt(object, "webhooks").some((each) => textAt(each, "name") === name)) return true;
  if (service === undefined) return false;
  const key = keyOf({ group: "", kind: "Service", ...service });
  return keyOf(idOf(object)) === key || calledServices(object).some(({ id }) => keyOf(id) === key);
}

async function isStartingService(
  { plan, world }: ApplyRun,
  { service }: UnservedWebhook,
  since: number,
): Promise<boolean> {
  if (service === undefined) return false;
  const { namespace } = service;
  const address = { apiVersion: "v1", kind: "Service", ...service };
  const read = await world.cluster.read(address);
  if (!read.ok || read.value === undefined) return false;
  const live = read.value;
  const own = plan.changes.filter(({ id }) => id.namespace === namespace);
  if (own.some(({ desired }) => selectsPodsOf(live, desired))) return true;
  if (isWrittenSince(live, since)) return true;
  const workloads = await world.cluster.list("apps/v1", "Deployment", namespace);
  return (
    workloads.ok &&
    workloads.value.items.some((each) => selectsPodsOf(live, each) && isWrittenSince(each, since))
  );
}

async function hasNewConfiguration(
  { world }: ApplyRun,
  webhook: UnservedWebhook,
  since: number,
): Promise<boolean> {
  const kinds = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"];
  const lists = await Promise.all(
    kinds.map((kind) => world.cluster.list(`${admissionGroup}/v1`, kind, undefined)),
  );
  const found = lists.flatMap((list) => (list.ok ? list.value.items : []));
  return found.some((each) => configures(each, webhook) && isWrittenSince(each, since));
}

/** Reports whether a client wrote an object, other than its status, after a time in ms. */
function isWrittenSince(object: KubeObject, since: number): boolean {
  const writes = fieldOwners(object).filter(({ subresource }) => subresource === "");
  const created = textAt(object, "metadata", "creationTimestamp") ?? "";
  return [created, ...writes.map(({ time }) => time)].some((time) => Date.parse(time) >= since);
}
