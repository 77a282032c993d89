import type { Deletion } from "../model/plan.ts";
import { type DeletionOutcome, deleteObject } from "./delete.ts";
import { fail } from "./fail.ts";
import { type Run, record } from "./run.ts";

/** Deletes one object of the plan; true once it is gone. A first failure ends the deletions, like any other. */
export async function applyDeletion(run: Run, deletion: Deletion): Promise<boolean> {
  const { key } = deletion;
  const { cluster, clock, progress } = run.world;
  const outcome = await deleteObject(deletion, {
    cluster,
    clock,
    watches: run.watches,
    gate: run.gate,
    signal: run.halt.signal,
    timeoutMs: run.limits.timeoutMs,
    onSending: () => progress.report({ type: "deleting", key }),
    onWaiting: (why) => progress.report({ type: "waiting", key, why }),
  });
  return settle(run, deletion, outcome);
}

function settle(run: Run, deletion: Deletion, outcome: DeletionOutcome): boolean {
  const { key } = deletion;
  const { progress } = run.world;
  switch (outcome.state) {
    case "gone":
      record(run, key, "deleted", "");
      progress.report({ type: "deleted", key });
      return true;
    case "replaced": {
      const why = "another object took its name after the plan was made; it is left alone";
      record(run, key, "kept", why);
      progress.report({ type: "kept", key, why });
      return true;
    }
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
