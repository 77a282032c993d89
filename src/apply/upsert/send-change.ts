import type { ApiResult } from "../../model/cluster/api/api-failure.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { at } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { type KubeObject, uidOf } from "../../model/object.ts";
import { withSecretKind } from "../../model/plan/apply-time-reference.ts";
import { type Change, type ClaimGrowth, fieldManager } from "../../model/plan/plan.ts";
import { growClaimPatch } from "../../ssa/steps/grow-claims.ts";
import type { Execution } from "../../ssa/steps/step.ts";
import { transferredManagers } from "../../ssa/steps/transfer-ownership.ts";
import { deleteObject } from "../deletion/delete-object.ts";
import { explainFailure, type FailureExplanation } from "../failure/explain-failure.ts";
import { fail } from "../failure/fail.ts";
import { retryConflicts } from "../retry-writes.ts";
import type { ApplyRun } from "../run.ts";
import { createWebhookWait, type WebhookWait } from "./await-webhook.ts";
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

type DeletionExecution = Extract<Execution, { readonly by: "delete" }>;

/**
 * Deletes an object that will be created again, and waits until it no longer exists.
 * Returns false if it still exists.
 */
async function deleteBeforeRecreation(
  run: ApplyRun,
  change: Change,
  { dependents }: DeletionExecution,
): Promise<boolean> {
  const { key, id, stage, live, desired } = change;
  if (live === undefined) return true;
  const { apiVersion } = desired;
  const deletion = { key, id, stage, apiVersion, uid: uidOf(live), live, after: [] };
  const outcome = await deleteObject(deletion, {
    ...run,
    ...run.world,
    owner: run.plan,
    dependents,
    signal: run.cancellation.signal,
    // A newer run can't interrupt between the deletion and the creation.
    urgent: run.cancellation.urgent,
    timeoutMs: run.limits.timeoutMs,
    onSending: () => run.world.progress.report({ type: "applying", key, action: "replace" }),
    onWaiting: (why) => run.world.progress.report({ type: "waiting", key, why }),
  });
  switch (outcome.state) {
    case "absent":
      return true;
    case "kept":
      return fail(run, change, explainKept(outcome));
    case "failed":
      return fail(run, change, outcome.explanation);
    case "stopped":
      run.ledger.recordUnfinished(
        key,
        "replaced",
        `deletion not confirmed, and not recreated: ${outcome.why}`,
      );
      return false;
    case "not sent":
      return false;
  }
}

function explainKept({ why, fix }: { readonly why: string; readonly fix?: string }) {
  const explanation: FailureExplanation = {
    code: "foreign-object",
    what: "can't be recreated",
    facts: [{ label: "reason", value: why }],
    fix: "Give the new object another name",
    otherwise: ["remove the protection of the old object"],
  };
  return fix === undefined ? explanation : { ...explanation, fix, otherwise: [] };
}

/**
 * Grows the claims of a StatefulSet, one after the other.
 * Returns false if a claim can't grow, or the run ended. The next run grows the others.
 */
async function growClaims(
  run: ApplyRun,
  change: Change,
  claims: readonly ClaimGrowth[],
): Promise<boolean> {
  const { progress } = run.world;
  for (const growth of claims) {
    if (run.cancellation.signal.aborted) return false;
    const why = `growing PersistentVolumeClaim ${growth.name} to ${growth.to}`;
    progress.report({ type: "waiting", key: change.key, why });
    const failure = await run.limit(() => growClaim(run, change, growth));
    if (failure !== undefined) return fail(run, change, failure);
  }
  return true;
}

async function growClaim(
  run: ApplyRun,
  change: Change,
  growth: ClaimGrowth,
): Promise<FailureExplanation | undefined> {
  const { cluster } = run.world;
  const address = {
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim" },
    ...{ namespace: change.id.namespace, name: growth.name },
  };
  const options = {
    fieldManager: fieldManager(run.plan.deployment, change.stage),
    dryRun: false,
  };
  const answer = await retryConflicts<ApiResult<unknown>>(run.cancellation.signal, async () => {
    const read = await cluster.read(address);
    if (!read.ok) return { answer: read };
    if (read.value === undefined || isDone(read.value, growth)) return { answer: grown };
    if (uidOf(read.value) !== growth.uid) return { answer: otherClaim(growth) };
    const sent = await cluster.patch(address, growClaimPatch(growth, read.value), options);
    const isConflict = !sent.ok && sent.failure.reason === "conflict";
    return isConflict ? { answer: sent, prepareRetry: async () => undefined } : { answer: sent };
  });
  if (answer.ok) return undefined;
  const explained = explainFailure(answer.failure, address);
  return {
    ...explained,
    what: `PersistentVolumeClaim ${growth.name} can't grow: ${explained.what}`,
  };
}

/** A claim that no longer exists gets its size from the template when it is created again. */
const grown: ApiResult<undefined> = { ok: true, value: undefined };

function isDone(claim: KubeObject, { to }: ClaimGrowth): boolean {
  const [present, wanted] = [at(claim, "spec", "resources", "requests", "storage"), to].map(
    parseQuantity,
  );
  return present !== undefined && wanted !== undefined && present >= wanted;
}

function otherClaim({ name }: ClaimGrowth): ApiResult<never> {
  const message = `PersistentVolumeClaim ${name} was replaced by another client after the plan was made`;
  return { ok: false, failure: { reason: "conflict", status: 409, message, causes: [] } };
}
