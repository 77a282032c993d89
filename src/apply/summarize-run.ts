import { checkKey, type PassedCheck } from "../model/deployments/deployment-checks.ts";
import type { ObjectResult } from "../model/deployments/release.ts";
import { numberAt } from "../model/json.ts";
import { nameOf } from "../model/object.ts";
import { type Deletion, otherNoHooksFix } from "../model/plan/deletion.ts";
import { type Change, type ChangeAction, hooksOf, type Plan } from "../model/plan/plan.ts";
import type { ObservedRollout } from "../model/plan/predictions.ts";
import type { Problem } from "../model/problems/problem.ts";
import { summarizeList } from "../model/text/suggest.ts";
import { describeCancellation } from "./cancellation.ts";
import type { FailureEvidence } from "./failure/evidence.ts";
import type { FailureExplanation } from "./failure/explain-failure.ts";
import type { ApplyRun } from "./run.ts";

/** The result of applying a plan, as plain data. */
export interface ApplyResult {
  /** True if every object is ready or suspended on purpose, and every deletion is done or kept. */
  readonly succeeded: boolean;
  /** One result for each object of the plan, in its order: changes, deletions, kept objects. */
  readonly results: readonly ObjectResult[];
  /** The failures in the order of the plan. */
  readonly failures: readonly Failure[];
  /** The reason why the run ended early, other than a failure. */
  readonly stopped: "cancelled" | "lock lost" | "superseded" | undefined;
  /** The state that a failed run leaves for the users of the application. Empty after a success. */
  readonly stillServing: readonly string[];
  /** The checks that passed, in the order of the config. Missing if there are none. */
  readonly passedChecks?: readonly PassedCheck[];
  /** The observed rollouts, by the key of the workload. Missing if there are none. */
  readonly rollouts?: ReadonlyMap<string, ObservedRollout>;
  /** The plan that deletes the hooks of a deletion, which ran. Missing if there are none. */
  readonly hookDeletions?: Plan;
  /** Warnings of the API server that the plan doesn't contain. They don't stop the run. */
  readonly notices?: readonly Problem[];
}

/** One object that failed. */
export interface Failure extends FailureExplanation {
  readonly key: string;
  /** A name such as `Deployment shop/web`. */
  readonly name: string;
  /** The resource ID in the compilation. Undefined for a deletion. */
  readonly resource: string | undefined;
  /** The fact and its evidence on one line. Undefined for the fact with the values of `facts`. */
  readonly detail?: string | undefined;
  readonly evidence: FailureEvidence | undefined;
}

/** Returns the fact with its evidence on one line: `not ready after 600 s: 2/3 ready`. */
export function failureDetail({
  detail,
  what,
  facts = [],
}: Pick<Failure, "detail" | "what" | "facts">): string {
  return detail ?? [what, ...facts.map(({ value }) => value)].join(": ");
}

/** Converts a failure to a problem. The evidence is shown separately. */
export function toProblem(failure: Failure): Problem {
  const { name, code, what, why, facts, fix, otherwise, inputs } = failure;
  const subjects = [name];
  return {
    ...{ code, subjects, where: [], what: `${name}: ${what}`, why, facts, fix, otherwise, inputs },
  };
}

/** Summarizes a run. Every object of the plan has a result, even if it wasn't attempted. */
export function summarizeRun(run: ApplyRun): ApplyResult {
  const { plan, cancellation, ledger } = run;
  const order = [...plan.changes, ...plan.deletions];
  const results: readonly ObjectResult[] = [
    ...plan.changes.map((c) => ledger.getResult(c.key) ?? notAttempted(run, c.key, c.action)),
    ...plan.deletions.map(({ key }) => ledger.getResult(key) ?? notAttempted(run, key)),
    ...plan.kept.map(({ key, detail }): ObjectResult => ({ key, outcome: "kept", detail })),
  ];
  const checks = (plan.checks ?? []).map((check) => ({ key: checkKey(plan.namespace, check) }));
  const complete = ledger.isComplete([...order, ...checks].map(({ key }) => key));
  const hooks = new Set(hooksOf(plan).map(({ key }) => key));
  const failures = [...(plan.awaited ?? []), ...order, ...checks]
    .flatMap(({ key }) => ledger.getFailure(key) ?? [])
    .map((failure) => (hooks.has(failure.key) ? withHookFix(failure) : failure));
  const succeeded = complete && failures.length === 0;
  const reason = cancellation.reason();
  const passedChecks = checks.flatMap(({ key }) => ledger.passedChecks.get(key) ?? []);
  return {
    succeeded,
    results,
    failures,
    // A run that was canceled after its last step is still complete.
    stopped: complete || reason === "failure" ? undefined : reason,
    stillServing: succeeded ? [] : describeRemainingState(run),
    ...(passedChecks.length === 0 ? {} : { passedChecks }),
    ...(ledger.rollouts.size === 0 ? {} : { rollouts: ledger.rollouts }),
    notices: run.warningRecorder.notices(),
  };
}

/** Adds the flag that leaves out hooks, because a hook might never succeed. */
function withHookFix(failure: Failure): Failure {
  return { ...failure, otherwise: [...(failure.otherwise ?? []), otherNoHooksFix] };
}

/**
 * Returns the result of an object that the run didn't reach.
 * An unchanged object needs no write: only its readiness wasn't checked.
 */
function notAttempted(run: ApplyRun, key: string, action?: ChangeAction): ObjectResult {
  const failedNames = run.ledger.failedNames();
  const byFailure = run.cancellation.reason() === "failure" && failedNames.length > 0;
  const why = byFailure
    ? `${failedNames.join(", ")} failed`
    : describeCancellation(run.cancellation.reason());
  return action === "unchanged"
    ? { key, outcome: "unchanged", detail: `not checked: ${why}` }
    : { key, outcome: "not attempted", detail: why };
}

function describeRemainingState(run: ApplyRun): readonly string[] {
  const { ledger } = run;
  const { changes, deletions } = run.plan;
  const wasAttempted = ({ key }: Change | Deletion) => ledger.getResult(key) !== undefined;
  const untouched = changes.filter((c) => liveChangeActions.has(c.action) && !wasAttempted(c));
  const missing = changes.filter((c) => c.action === "create" && !wasAttempted(c));
  const unfinished = changes.filter((c) => ledger.isUnfinished(c.key));
  const isUnchanged = ({ key }: Change) => ledger.getResult(key)?.outcome === "unchanged";
  const notDeleted = deletions.filter((d) => !wasAttempted(d));
  return [
    ...changes.flatMap((change) => describeReplicas(run, change)),
    ...listNames(
      "changed, but not confirmed as ready",
      unfinished.filter((c) => !isUnchanged(c)).map((c) => nameOf(c.id)),
    ),
    ...listNames(
      "unchanged, and not ready",
      unfinished.filter(isUnchanged).map((c) => nameOf(c.id)),
    ),
    ...listNames(
      "not created",
      missing.map((c) => nameOf(c.id)),
    ),
    ...listNames(
      "not updated, same as before",
      untouched.map((c) => nameOf(c.id)),
    ),
    ...listNames(
      "not deleted",
      notDeleted.map((d) => nameOf(d.id)),
    ),
  ];
}

/** Describes how many replicas of an unready workload are available, old and new together. */
function describeReplicas({ ledger }: ApplyRun, change: Change): readonly string[] {
  const unready = ledger.getFailure(change.key) !== undefined || ledger.isUnfinished(change.key);
  const object = ledger.liveObjects.get(change.key);
  const replicas = numberAt(object, "spec", "replicas");
  if (!unready || object === undefined || replicas === undefined) return [];
  const available = numberAt(object, "status", "availableReplicas") ?? 0;
  const all = numberAt(object, "status", "replicas") ?? 0;
  const old = Math.max(0, all - (numberAt(object, "status", "updatedReplicas") ?? 0));
  const before = old === 0 ? "none of the previous version" : `${old} of the previous version`;
  const serves = available === 0 ? ", not serving" : `, ${before}`;
  return [`${nameOf(change.id)}: ${available}/${replicas} available${serves}`];
}

const liveChangeActions: ReadonlySet<ChangeAction> = new Set(["update", "replace"]);

/** A longer list of names doesn't help a reader. */
const maxNames = 10;

function listNames(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${summarizeList(names, maxNames)}`];
}
