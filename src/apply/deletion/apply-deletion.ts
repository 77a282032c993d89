import type { Deletion } from "../../model/plan.ts";
import { fail } from "../failure/fail.ts";
import { type Run, record } from "../run.ts";
import { type DeletionOutcome, deleteObject } from "./delete.ts";
import { reasonToSpare } from "./reason-to-spare.ts";

/**
 * Deletes one object of the plan; true once it is gone or spared. A first failure ends the deletions, like any other.
 */
export async function applyDeletion(run: Run, deletion: Deletion): Promise<boolean> {
  const { key } = deletion;
  const { cluster, clock, progress } = run.world;
  if (run.halt.signal.aborted) return false;
  const why = await reasonToSpare(run, deletion);
  if (why !== undefined) return keep(run, key, why);
  const outcome = await deleteObject(deletion, {
    deployment: run.plan.deployment,
    cluster,
    clock,
    watches: run.watches,
    gate: run.gate,
    signal: run.halt.signal,
    timeoutMs: run.limits.timeoutMs,
    onSending: () => progress.report({ type: "deleting", key }),
    onWaiting: (text) => progress.report({ type: "waiting", key, why: text }),
  });
  return settle(run, deletion, outcome);
}

/** The object stays in the inventory, so the next run looks at it again. */
export function keep(run: Run, key: string, why: string): true {
  record(run, key, "kept", why);
  run.world.progress.report({ type: "kept", key, why });
  return true;
}

function settle(run: Run, deletion: Deletion, outcome: DeletionOutcome): boolean {
  const { key } = deletion;
  switch (outcome.state) {
    case "gone":
      record(run, key, "deleted", "");
      run.usage.outdate();
      run.world.progress.report({ type: "deleted", key });
      return true;
    case "kept":
      return keep(run, key, outcome.why);
    case "not sent":
      return false;
    case "stopped":
      run.unfinished.add(key);
      record(run, key, "deleted", `not seen gone: ${outcome.why}`);
      return false;
    case "failed":
      return fail(run, deletion, outcome.explanation);
  }
}
