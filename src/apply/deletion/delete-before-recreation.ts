import { uidOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Execution } from "../../ssa/steps/step.ts";
import type { FailureExplanation } from "../failure/explain-failure.ts";
import { fail } from "../failure/fail.ts";
import type { ApplyRun } from "../run.ts";
import { deleteObject } from "./delete-object.ts";

type DeletionExecution = Extract<Execution, { readonly by: "delete" }>;

/**
 * Deletes an object that will be created again, and waits until it no longer exists.
 * Returns false if it still exists.
 */
export async function deleteBeforeRecreation(
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
