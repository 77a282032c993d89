import {
  checkId,
  checkKey,
  type HttpCheck,
  type PrometheusCheck,
} from "../../model/deployment-checks.ts";
import { fail } from "../failure/fail.ts";
import type { ApplyRun } from "../run.ts";
import { observeHttp } from "./http-check.ts";
import type { CheckObservation, CheckPass } from "./probe-check.ts";
import { observePrometheus } from "./prometheus-check.ts";

/** The maximum time for one answer, in ms. */
const answerTimeoutMs = 30_000;

/** The minimum, so that the last request before the timeout isn't cut without evidence. */
const minAnswerTimeoutMs = 1000;

/**
 * Repeats a check until all answers during its required time were as expected. Returns undefined if
 * it doesn't pass in time, or if the run ends before that.
 */
export async function pollCheck(
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
