import { checkJob } from "../../model/check-job.ts";
import { explainApiFailure, isMissingPermission } from "../../model/cluster/api-failure.ts";
import {
  type CheckTarget,
  checkId,
  type DeploymentCheck,
  type JobCheck,
  proxyName,
} from "../../model/deployment-checks.ts";
import { nameOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { showableRejection } from "../../redaction/showable-rejection.ts";
import { isReadByUser, type PlanningContext } from "../planning-context.ts";
import type { CheckResult } from "./check-result.ts";

/**
 * Sends dry runs of the Jobs of checks, and lists the checks for a user who reads the plan. It
 * sends no request of a check: anyone who can open a pull request can write its address.
 */
export async function checkDeploymentChecks(
  context: PlanningContext,
  plan: Plan,
): Promise<CheckResult> {
  const { checks = [] } = plan;
  const jobs = checks.filter((check) => check.type === "job");
  const problems = await Promise.all(jobs.map((check) => dryRunJob(context, plan, check)));
  const isRelevant = isReadByUser(context) && checks.length > 0;
  return {
    blockers: problems.filter((problem) => problem !== undefined),
    notices: isRelevant ? [listChecks(checks)] : [],
  };
}

async function dryRunJob(
  { cluster }: PlanningContext,
  plan: Plan,
  check: JobCheck,
): Promise<Problem | undefined> {
  const job = checkJob(plan, check, "0".repeat(64));
  const answer = await cluster.create(job, { dryRun: true });
  if (answer.ok) return undefined;
  const { failure } = answer;
  // The permissions are checked for all requests at once, and the plan can create the namespace.
  if (isMissingPermission(failure) || failure.reason === "not-found") return undefined;
  const shown = showableRejection(failure, job);
  const { code, means, fix } = explainApiFailure(shown);
  return {
    code,
    where: [],
    what: `${nameOf(checkId(plan.namespace, check))}: the Job isn't valid: ${means}`,
    facts: [{ label: "answer", value: shown.message }],
    fix,
  };
}

function listChecks(checks: readonly DeploymentCheck[]): Problem {
  const count = checks.length === 1 ? "1 check runs" : `${checks.length} checks run`;
  return {
    code: "planned-checks",
    where: [],
    what: `${count} before qvs deletes anything`,
    facts: checks.map((check) => ({ label: check.name, value: describeCheck(check) })),
    fix: "No action is needed. A check that fails keeps all old objects",
  };
}

/** Describes a check on one line: `Service web:80/health answers with 200`. */
function describeCheck(check: DeploymentCheck): string {
  const within = `within ${check.timeoutMs / 1000} s`;
  if (check.type === "job") return `a Job succeeds ${within}`;
  const hold = check.holdMs === 0 ? within : `for ${check.holdMs / 1000} s, ${within}`;
  const from = describeTarget(check.target);
  if (check.type === "prometheus") {
    const { query, min, max } = check;
    const least = min === undefined ? [] : [`at least ${min}`];
    const most = max === undefined ? [] : [`at most ${max}`];
    return `${query} is ${[...least, ...most].join(" and ")} ${hold}, by ${from}`;
  }
  const status = check.status.length === 0 ? "200 to 299" : check.status.join(" or ");
  return `${from} answers with ${status} ${hold}`;
}

function describeTarget(target: CheckTarget): string {
  return target.type === "service"
    ? `Service ${proxyName(target)}${target.path}`
    : new URL(target.url).origin;
}
