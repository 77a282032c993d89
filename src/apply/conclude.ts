import type { Deletion } from "../model/deletion.ts";
import { numberAt } from "../model/json.ts";
import { nameOf } from "../model/object.ts";
import type { Change, ChangeAction } from "../model/plan.ts";
import type { ObjectResult } from "../model/release.ts";
import { summarizeList } from "../model/text/closest.ts";
import { describeCancellation } from "./cancellation.ts";
import type { ApplyResult } from "./result.ts";
import type { Run } from "./run.ts";

/** Summarizes a run. Every object of the plan has a result, even if it wasn't attempted. */
export function conclude(run: Run): ApplyResult {
  const { plan, halt, ledger } = run;
  const order = [...plan.changes, ...plan.deletions];
  const results: readonly ObjectResult[] = [
    ...plan.changes.map((c) => ledger.resultOf(c.key) ?? notAttempted(run, c.key, c.action)),
    ...plan.deletions.map(({ key }) => ledger.resultOf(key) ?? notAttempted(run, key)),
    ...plan.kept.map(({ key, detail }): ObjectResult => ({ key, outcome: "kept", detail })),
  ];
  const complete = ledger.isComplete(order.map(({ key }) => key));
  const failures = [...(plan.awaited ?? []), ...order].flatMap(
    ({ key }) => ledger.failureOf(key) ?? [],
  );
  const succeeded = complete && failures.length === 0;
  const reason = halt.reason();
  return {
    succeeded,
    results,
    failures,
    // A run that was canceled after its last step is still complete.
    stopped: complete || reason === "failure" ? undefined : reason,
    stillServing: succeeded ? [] : whatStillServes(run),
    notices: run.hearing.notices(),
  };
}

/**
 * Returns the result of an object that the run didn't reach.
 * An unchanged object needs no write: only its readiness wasn't checked.
 */
function notAttempted(run: Run, key: string, action?: ChangeAction): ObjectResult {
  const failedNames = run.ledger.failedNames();
  const byFailure = run.halt.reason() === "failure" && failedNames.length > 0;
  const why = byFailure
    ? `${failedNames.join(", ")} failed`
    : describeCancellation(run.halt.reason());
  return action === "unchanged"
    ? { key, outcome: "unchanged", detail: `not checked: ${why}` }
    : { key, outcome: "not attempted", detail: why };
}

function whatStillServes(run: Run): readonly string[] {
  const { ledger } = run;
  const { changes, deletions } = run.plan;
  const begun = ({ key }: Change | Deletion) => ledger.resultOf(key) !== undefined;
  const untouched = changes.filter((c) => changesLive.has(c.action) && !begun(c));
  const missing = changes.filter((c) => c.action === "create" && !begun(c));
  const unfinished = changes.filter((c) => ledger.isUnfinished(c.key));
  const isAsBefore = ({ key }: Change) => ledger.resultOf(key)?.outcome === "unchanged";
  const spared = deletions.filter((d) => !begun(d));
  return [
    ...changes.flatMap((change) => replicasLeft(run, change)),
    ...list(
      "changed, but not confirmed as ready",
      unfinished.filter((c) => !isAsBefore(c)).map((c) => nameOf(c.id)),
    ),
    ...list(
      "unchanged, and not ready",
      unfinished.filter(isAsBefore).map((c) => nameOf(c.id)),
    ),
    ...list(
      "not created",
      missing.map((c) => nameOf(c.id)),
    ),
    ...list(
      "not updated, same as before",
      untouched.map((c) => nameOf(c.id)),
    ),
    ...list(
      "not deleted",
      spared.map((d) => nameOf(d.id)),
    ),
  ];
}

/** Describes how many replicas of an unready workload are available, old and new together. */
function replicasLeft({ ledger }: Run, change: Change): readonly string[] {
  const unready = ledger.failureOf(change.key) !== undefined || ledger.isUnfinished(change.key);
  const object = ledger.seen.get(change.key);
  const replicas = numberAt(object, "spec", "replicas");
  if (!unready || object === undefined || replicas === undefined) return [];
  const available = numberAt(object, "status", "availableReplicas") ?? 0;
  const all = numberAt(object, "status", "replicas") ?? 0;
  const old = Math.max(0, all - (numberAt(object, "status", "updatedReplicas") ?? 0));
  const before = old === 0 ? "none of the previous version" : `${old} of the previous version`;
  const serves = available === 0 ? ", not serving" : `, ${before}`;
  return [`${nameOf(change.id)}: ${available}/${replicas} available${serves}`];
}

const changesLive: ReadonlySet<ChangeAction> = new Set(["update", "replace"]);

/** A longer list of names doesn't help a reader. */
const mostNames = 10;

function list(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${summarizeList(names, mostNames)}`];
}
