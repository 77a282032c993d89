import { checkJobSelector, checkKey, type DeploymentCheck } from "../../model/deployment-checks.ts";
import { addressOf, idOf, uidOf } from "../../model/object.ts";
import type { ApplyRun } from "../run.ts";
import { runJobCheck } from "./job-check.ts";
import { pollCheck } from "./poll-check.ts";
import type { CheckPass } from "./probe-check.ts";

/**
 * Runs all checks of the plan that no object waits for, at the same time
 * (docs/reference/checks.md). Returns true if all of them pass; only then the run can delete
 * objects. The first failure ends the others.
 */
export async function runChecks(run: ApplyRun): Promise<boolean> {
  const { checks = [], gates = [] } = run.plan;
  const earlier = new Set(gates.map(({ name }) => name));
  const last = checks.filter(({ name }) => !earlier.has(name));
  const passed = await Promise.all(last.map((check) => passCheck(run, check)));
  return passed.every(Boolean);
}

/** Runs one check. Returns false if it fails, or if the run ends before. */
export async function passCheck(run: ApplyRun, check: DeploymentCheck): Promise<boolean> {
  if (run.cancellation.signal.aborted) return false;
  const key = checkKey(run.plan.namespace, check);
  run.world.progress.report({ type: "waiting", key, why: "started" });
  const passed = await runCheck(run, check);
  if (passed === undefined) return false;
  const { attempts, evidence } = passed;
  const at = run.world.clock.now().toISOString();
  run.ledger.markPassed(key, { name: check.name, type: check.type, at, attempts, evidence });
  run.world.progress.report({ type: "ready", key, notice: undefined });
  return true;
}

function runCheck(run: ApplyRun, check: DeploymentCheck): Promise<CheckPass | undefined> {
  switch (check.type) {
    case "http":
    case "prometheus":
      return pollCheck(run, check);
    case "job":
      return runJobCheck(run, check);
  }
}

/**
 * Deletes the Jobs of checks that earlier runs left, after a successful run. Jobs that this run
 * used stay, so that a run without changes doesn't run them again. A Job that can't be deleted
 * stays too: it has ended, and the next run tries again.
 */
export async function deleteOldJobs(run: ApplyRun): Promise<void> {
  const { plan, world, limit } = run;
  if (plan.hasCheckJobs !== true) return;
  const selector = checkJobSelector(plan.deployment);
  const listed = await world.cluster.list("batch/v1", "Job", plan.namespace, selector);
  if (!listed.ok) return;
  const old = listed.value.items.filter((job) => !run.ledger.checkJobs.has(idOf(job).name));
  await Promise.all(
    old.map((job) => limit(() => world.cluster.delete(addressOf(job), uidOf(job)))),
  );
}
