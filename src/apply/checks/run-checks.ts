import { checkKey, type DeploymentCheck } from "../../model/deployment-checks.ts";
import type { ApplyRun } from "../run.ts";
import { runJobCheck } from "./job-check.ts";
import { pollCheck } from "./poll-check.ts";

/**
 * Runs all checks of the plan at the same time (docs/reference/checks.md). Returns true if all of
 * them pass; only then the run can delete objects. The first failure ends the others.
 */
export async function runChecks(run: ApplyRun): Promise<boolean> {
  const { checks = [], namespace } = run.plan;
  if (checks.length === 0) return true;
  const passed = await Promise.all(
    checks.map(async (check) => {
      const key = checkKey(namespace, check);
      run.world.progress.report({ type: "waiting", key, why: "started" });
      const hasPassed = await runCheck(run, check);
      if (hasPassed) {
        run.ledger.markPassed(key);
        run.world.progress.report({ type: "ready", key, notice: undefined });
      }
      return hasPassed;
    }),
  );
  return passed.every(Boolean);
}

function runCheck(run: ApplyRun, check: DeploymentCheck): Promise<boolean> {
  switch (check.type) {
    case "http":
    case "prometheus":
      return pollCheck(run, check);
    case "job":
      return runJobCheck(run, check);
  }
}
