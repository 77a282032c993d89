import {
  checkId,
  checkJobSelector,
  checkKey,
  type DeploymentCheck,
  type HttpCheck,
  type PrometheusCheck,
} from "../../model/deployments/deployment-checks.ts";
import { addressOf, idOf, uidOf } from "../../model/object.ts";
import { fail } from "../failure/fail.ts";
import type { ApplyRun } from "../run.ts";
import { type CheckObservation, type CheckPass, observeHttp } from "./http-check.ts";
import { runJobCheck } from "./job-check.ts";
import { observePrometheus } from "./prometheus-check.ts";

/**
 * Runs all checks of the plan that no object waits for, at the same time
 * (docs/reference/checks.md). Returns true if all of them pass; only then the run can delete
 * objects. The first failure ends the others.
 */
export async function runDeploymentChecks(run: ApplyRun): Promise<boolean> {
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

/** The maximum time for one answer, in ms. */
const answerTimeoutMs = 30_000;

/** The minimum, so that the last request before the timeout isn't cut without evidence. */
const minAnswerTimeoutMs = 1000;

/**
 * Repeats a check until all answers during its required time were as expected. Returns undefined if
 * it doesn't pass in time, or if the run ends before that.
 */
async function pollCheck(
  run: ApplyRun,
  check: HttpCheck | PrometheusCheck,
): Promise<CheckPass | undefined> {
  const { clock, progress } = run.world;
  const { signal } = run.cancellation;
  const key = checkKey(run.plan.namespace, check);
  const began = clock.elapsed();
  let passingSince: number | undefined;
  let attempts = 0;
  while (!signal.aborted) {
    const sent = clock.elapsed();
    const left = Math.ceil(check.timeoutMs - (sent - began));
    const answerTime = Math.max(minAnswerTimeoutMs, Math.min(answerTimeoutMs, left));
    const observed = await observe(run, check, answerTime);
    attempts += 1;
    if (signal.aborted) return undefined;
    passingSince = observed.unmet === undefined ? (passingSince ?? sent) : undefined;
    const now = clock.elapsed();
    const isOver = now - began >= check.timeoutMs;
    if (passingSince !== undefined && now - passingSince >= check.holdMs)
      return { attempts, evidence: observed.facts };
    if (isOver) return failCheck(run, check, observed);
    const why = observed.unmet ?? `passes, must pass for ${check.holdMs / 1000} s`;
    progress.report({ type: "waiting", key, why, isTrouble: observed.unmet !== undefined });
    const pause = Math.min(check.intervalMs, began + check.timeoutMs - now);
    // An aborted pause isn't a failure: the loop ends.
    await clock.sleep(pause, signal).catch(() => {});
  }
  return undefined;
}

function observe(
  run: ApplyRun,
  check: HttpCheck | PrometheusCheck,
  timeoutMs: number,
): Promise<CheckObservation> {
  switch (check.type) {
    case "http":
      return observeHttp(run, check, timeoutMs);
    case "prometheus":
      return observePrometheus(run, check, timeoutMs);
  }
}

function failCheck(
  run: ApplyRun,
  check: HttpCheck | PrometheusCheck,
  { unmet = `it didn't pass for ${check.holdMs / 1000} s`, facts }: CheckObservation,
): undefined {
  const id = checkId(run.plan.namespace, check);
  fail(
    run,
    { key: checkKey(run.plan.namespace, check), id },
    {
      code: "check-failed",
      what: `not passed after ${check.timeoutMs / 1000} s`,
      facts: [{ label: "reason", value: unmet }, ...facts],
      fix: "Correct the cause that the answer shows, then run again",
      otherwise: ["raise timeout of the check if it only needs more time"],
    },
  );
}
