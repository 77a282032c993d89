import { isFailedJob, isFinishedJob, isJob } from "../model/cluster/jobs.ts";
import type { Limits } from "../model/deployments/deploy-request.ts";
import { checkKey } from "../model/deployments/deployment-checks.ts";
import { nameFromKey, uidOf } from "../model/object.ts";
import type { Deletion } from "../model/plan/deletion.ts";
import {
  type AwaitedObject,
  type Change,
  type Edge,
  hooksOf,
  isLastHook,
  type Plan,
  withoutChanges,
} from "../model/plan/plan.ts";
import { type Stage, stages } from "../model/sources/compilation.ts";
import { deleteOldJobs, passCheck, runDeploymentChecks } from "./checks/run-checks.ts";
import { applyDeletion, keepObject } from "./deletion/apply-deletion.ts";
import { fail } from "./failure/fail.ts";
import { awaitOutsideObject } from "./readiness/await-object.ts";
import { type ApplyContext, type ApplyRun, startRun } from "./run.ts";
import { type ApplyResult, summarizeRun } from "./summarize-run.ts";
import { applyChange } from "./upsert/apply-change.ts";

/** A task that runs after other tasks. */
interface GraphStep {
  readonly key: string;
  readonly after: readonly Edge[];
}

/**
 * Runs every step as soon as all steps that it depends on are done.
 * If a step's run returns false, that step and every step after it count as not done. Edges to keys
 * outside the steps are already satisfied.
 */
export async function runGraph<S extends GraphStep>(
  steps: readonly S[],
  run: (step: S) => Promise<boolean>,
): Promise<void> {
  assertOrder(steps);
  const done = new Map<string, Promise<boolean>>();
  for (const step of steps) {
    const before = step.after.map((edge) => done.get(edge.on) ?? true);
    const start = async () => (await Promise.all(before)).every(Boolean) && run(step);
    done.set(step.key, start());
  }
  await Promise.all(done.values());
}

/**
 * Throws if an edge points forward, which is a bug in the planner.
 * A plan lists no step before its dependencies.
 */
function assertOrder(steps: readonly GraphStep[]): void {
  const position = new Map(steps.map((step, index) => [step.key, index]));
  for (const [index, step] of steps.entries()) {
    const misplaced = step.after.find((edge) => (position.get(edge.on) ?? -1) >= index);
    if (misplaced !== undefined)
      throw new Error(`The plan lists ${step.key} before ${misplaced.on}`);
  }
}

/**
 * Executes a plan in its order and does nothing else (docs/concepts/order.md#dependencies).
 * It writes objects stage by stage. When every object is ready, the checks run that no object waits
 * for. If all of them pass, deletions follow in reverse order.
 */
export async function applyPlan(
  plan: Plan,
  world: ApplyContext,
  limits: Limits,
): Promise<ApplyResult> {
  const run = startRun(plan, world, limits);
  try {
    const [first, last] = splitByDeletions(plan.changes);
    for (const stage of stages) await upsertStage(run, stage, first);
    if (isReady(run, first) && haveCompleted(run, first) && (await runDeploymentChecks(run)))
      await deleteUndeclared(run);
    if (isReady(run, [...first, ...plan.deletions]) && canRunLastHooks(run)) {
      for (const stage of stages) await upsertStage(run, stage, last);
      if (isReady(run, last)) haveCompleted(run, last);
    }
    if (isEverythingDone(run)) await deleteOldJobs(run);
  } finally {
    run.watches.close();
  }
  const result = summarizeRun(run);
  const hookDeletions = result.succeeded ? planHookDeletions(run) : undefined;
  return hookDeletions === undefined ? result : { ...result, hookDeletions };
}

/** Separates the hooks that run after the deletions. */
function splitByDeletions(
  changes: readonly Change[],
): readonly [first: readonly Change[], last: readonly Change[]] {
  return [changes.filter((change) => !isLastHook(change)), changes.filter(isLastHook)];
}

async function upsertStage(run: ApplyRun, stage: Stage, all: readonly Change[]): Promise<void> {
  const changes = all.filter((change) => change.stage === stage);
  if (changes.length === 0 || run.cancellation.signal.aborted) return;
  run.world.progress.report({ type: "stage-started", stage });
  const steps = [
    ...outsideDependencies(run, changes).map((one) => ({
      ...one,
      start: () => awaitOutsideObject(run, one),
    })),
    ...changes.flatMap((change) => [
      ...gateSteps(run, change),
      { ...change, start: () => applyChange(run, change) },
    ]),
  ];
  await runGraph(steps, (step) => step.start());
}

/**
 * Returns the checks that run before the change, and before no earlier one. The objects that such a
 * check needs precede the change too.
 */
function gateSteps(run: ApplyRun, { key: first }: Change) {
  const { checks = [], gates = [] } = run.plan;
  return gates
    .filter(({ before }) => before[0] === first)
    .flatMap(({ key, name, after }) => {
      const check = checks.find((each) => each.name === name);
      return check === undefined ? [] : [{ key, after, start: () => passCheck(run, check) }];
    });
}

/**
 * Returns the objects outside this deployment that these changes wait for.
 * They are steps without dependencies.
 */
function outsideDependencies(
  run: ApplyRun,
  changes: readonly Change[],
): readonly (AwaitedObject & { readonly after: readonly [] })[] {
  const dependencies = new Set(changes.flatMap((change) => change.after.map((edge) => edge.on)));
  const awaited = run.plan.awaited ?? [];
  return awaited.filter(({ key }) => dependencies.has(key)).map((one) => ({ ...one, after: [] }));
}

function isReady(run: ApplyRun, steps: readonly { readonly key: string }[]): boolean {
  const all = run.ledger.isComplete(steps.map(({ key }) => key));
  return all && !run.cancellation.signal.aborted;
}

function isEverythingDone(run: ApplyRun): boolean {
  const { plan, ledger } = run;
  const checks = (plan.checks ?? []).map((check) => checkKey(plan.namespace, check));
  const objects = [...plan.changes, ...plan.deletions].map(({ key }) => key);
  return ledger.isComplete([...objects, ...checks]) && ledger.failedNames().length === 0;
}

async function deleteUndeclared(run: ApplyRun): Promise<void> {
  for (const { key, detail } of run.plan.kept) {
    run.world.progress.report({ type: "kept", key, why: detail });
  }
  if (run.ledger.paused.length > 0) return postponeDeletions(run);
  for (const stage of stages.toReversed()) {
    const deletions = run.plan.deletions.filter((deletion) => deletion.stage === stage);
    await runGraph(deletions, (deletion) => applyDeletion(run, deletion));
  }
}

/**
 * Keeps every object that the plan deletes.
 * The old Pods of a paused rollout still read the old ConfigMaps, and a custom object that isn't
 * ready can still use them. The next run after the promotion deletes them.
 */
function postponeDeletions(run: ApplyRun): void {
  const { paused } = run.ledger;
  const names = paused.map(({ name }) => name).join(", ");
  const why = paused.every(({ isRollout }) => isRollout)
    ? `for now: ${names} is held back, and its old Pods might still use it`
    : `for now: ${names} is suspended, and might still use it`;
  for (const { key } of run.plan.deletions) keepObject(run, key, why);
}

/**
 * Reports whether the Jobs of these hooks have completed. A suspended Job counts as done in a
 * deployment, but nothing must be deleted before a hook has done its work.
 */
export function haveCompleted(run: ApplyRun, changes: readonly Change[]): boolean {
  const open = hooksOf({ changes }).find((change) => {
    const live = run.ledger.liveObjects.get(change.key) ?? change.live;
    const isDone = live !== undefined && isFinishedJob(live) && !isFailedJob(live);
    return isJob(change.id) && !isDone;
  });
  if (open === undefined) return true;
  return fail(run, open, {
    code: "not-ready",
    what: "it hasn't completed",
    why: "It is suspended, or qvs doesn't wait for it",
    fix: "Resume it, then run the deletion again",
  });
}

/**
 * Reports whether the hooks after the deletions can run: every object of the plan is deleted. A
 * kept object fails the run, so that the release stays and the next deletion runs these hooks.
 */
export function canRunLastHooks(run: ApplyRun): boolean {
  const { plan, ledger } = run;
  const hook = plan.changes.find(isLastHook);
  if (hook === undefined) return false;
  const left = plan.deletions.find(({ key }) => ledger.getResult(key)?.outcome !== "deleted");
  if (left === undefined) return true;
  return fail(run, hook, {
    code: "dependency-failed",
    what: `it didn't run, because ${nameFromKey(left.key)} is kept`,
    fix: "Run the deletion again when nothing uses that object",
  });
}

/**
 * Returns the plan that deletes the hooks of a finished deletion, the last ones first. It runs
 * after the record of the deletion: another attempt then doesn't run a hook that no longer exists.
 */
export function planHookDeletions({ plan, ledger }: ApplyRun): Plan | undefined {
  // Another client created an object of the same name after the plan was made. It isn't qvs's own.
  const isOwn = ({ key }: Change) => ledger.getResult(key)?.met !== true;
  const hooks = hooksOf(plan).filter(isOwn).toReversed();
  const deletions = hooks.flatMap((change, index): readonly Deletion[] => {
    const { key, id } = change;
    const live = ledger.liveObjects.get(key) ?? change.live;
    const before = hooks[index - 1];
    const after = before === undefined ? [] : [{ on: before.key, reason: "it ran earlier" }];
    return live === undefined
      ? []
      : [{ key, id, stage: "app", apiVersion: live.apiVersion, uid: uidOf(live), live, after }];
  });
  return deletions.length === 0 ? undefined : { ...withoutChanges(plan), deletions };
}
