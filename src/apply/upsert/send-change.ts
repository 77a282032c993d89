import { withSecretKind } from "../../model/apply-time-reference.ts";
import { kindKey } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Execution } from "../../ssa/steps/step.ts";
import { transferredManagers } from "../../ssa/steps/transfer-ownership.ts";
import { deleteBeforeRecreation } from "../deletion/delete-before-recreation.ts";
import { explainFailure, type FailureExplanation } from "../failure/explain-failure.ts";
import { fail } from "../failure/fail.ts";
import type { ApplyRun } from "../run.ts";
import { createWebhookWait, type WebhookWait } from "./await-webhook.ts";
import { growClaims } from "./grow-claims.ts";
import { isStepRequest, type StepRequest, upsert } from "./upsert.ts";

/**
 * Performs the steps of a change. All requests of a change share one slot of the concurrency limit.
 * A deletion waits until the object no longer exists, so it holds no slot.
 */
export async function performSteps(
  run: ApplyRun,
  change: Change,
  executions: readonly Execution[],
): Promise<KubeObject | undefined> {
  for (const execution of executions) {
    if (execution.by === "grow claims" && !(await growClaims(run, change, execution.claims)))
      return undefined;
  }
  const deletion = executions.find((one) => one.by === "delete");
  const isDeleted = deletion !== undefined;
  if (isDeleted && !(await deleteBeforeRecreation(run, change, deletion))) return undefined;
  const requests = executions.filter(isStepRequest);
  const remaining = isDeleted ? { ...change, live: undefined } : change;
  const { signal, urgent } = run.cancellation;
  const wait = createWebhookWait(run, change, isDeleted ? urgent : signal);
  const sending = { requests, isDeleted, wait };
  try {
    for (;;) {
      const sent = await run.limit(() =>
        canStillSend(run, isDeleted) ? sendChange(run, remaining, sending) : undefined,
      );
      if (sent !== "webhook isn't serving") return sent;
      await wait.pause();
    }
  } finally {
    wait.end();
  }
}

/** The requests of a change, which qvs sends again after a wait for a webhook. */
interface Sending {
  readonly requests: readonly StepRequest[];
  readonly isDeleted: boolean;
  readonly wait: WebhookWait;
}

/**
 * Reports whether a change that waited for its slot can still be sent.
 * If the run ended during the wait, the change isn't sent. After a deletion, only a lost lock
 * prevents the creation of the new object.
 */
function canStillSend({ cancellation }: ApplyRun, isDeleted: boolean): boolean {
  return isDeleted ? cancellation.reason() !== "lock lost" : !cancellation.signal.aborted;
}

async function sendChange(
  run: ApplyRun,
  change: Change,
  { requests, isDeleted, wait }: Sending,
): Promise<KubeObject | undefined | "webhook isn't serving"> {
  const { cancellation, world } = run;
  const { key, action, steps } = change;
  if (wait.waited() === undefined)
    world.progress.report({ type: "applying", key, action, transfers: transferredManagers(steps) });
  const answer = await upsert(change, requests, {
    cluster: world.cluster,
    clock: world.clock,
    deployment: run.plan.deployment,
    propagating: run.propagating,
    definedAt: run.ledger.crdChangeTime(kindKey(change.id)),
    signal: isDeleted ? cancellation.urgent : cancellation.signal,
  });
  if (answer.ok) return answer.value.live;
  // Objects of the webhook might need the slot.
  if (await wait.canWait(answer.failure)) return "webhook isn't serving";
  // The failure must be recorded before the next change gets the slot, so that it isn't sent.
  const explanation = explainFailure(answer.failure, withSecretKind(change.desired, change));
  fail(run, change, withFact(explanation, "wait", wait.waited()));
  return undefined;
}

function withFact(
  explanation: FailureExplanation,
  label: string,
  value: string | undefined,
): FailureExplanation {
  if (value === undefined) return explanation;
  return { ...explanation, facts: [...(explanation.facts ?? []), { label, value }] };
}
