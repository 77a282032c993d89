import type { ApiResult } from "../../model/cluster/api-failure.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { at } from "../../model/json.ts";
import { type KubeObject, uidOf } from "../../model/object.ts";
import { type Change, type ClaimGrowth, fieldManager } from "../../model/plan.ts";
import { growClaimPatch } from "../../ssa/steps/grow-claims.ts";
import { explainFailure, type FailureExplanation } from "../failure/explain-failure.ts";
import { fail } from "../failure/fail.ts";
import { retryConflicts } from "../retry-conflicts.ts";
import type { ApplyRun } from "../run.ts";

/**
 * Grows the claims of a StatefulSet, one after the other.
 * Returns false if a claim can't grow, or the run ended. The next run grows the others.
 */
export async function growClaims(
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
