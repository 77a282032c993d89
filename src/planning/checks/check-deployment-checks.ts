import {
  type ApiResult,
  explainApiFailure,
  isMissingPermission,
} from "../../model/cluster/api/api-failure.ts";
import {
  type CheckTarget,
  checkId,
  checkJob,
  type DeploymentCheck,
  type JobCheck,
  proxyName,
} from "../../model/deployments/deployment-checks.ts";
import { idOf, type KubeObject, keyOf, nameFromKey, nameOf } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { showableRejection } from "../../redaction/showable-rejection.ts";
import { dryRunPod } from "../dry-run-pods.ts";
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
  const results = await Promise.all(jobs.map((check) => dryRunJob(context, plan, check)));
  const isRelevant = isReadByUser(context) && checks.length > 0;
  return {
    blockers: results.flatMap(({ blockers }) => blockers),
    notices: [
      ...(isRelevant ? listChecks(plan) : []),
      ...results.flatMap(({ notices }) => notices),
    ],
  };
}

async function dryRunJob(
  context: PlanningContext,
  plan: Plan,
  check: JobCheck,
): Promise<CheckResult> {
  const { cluster } = context;
  const job = checkJob(plan, check, "0".repeat(64));
  const id = checkId(plan.namespace, check);
  const answer = await cluster.create(job, { dryRun: true });
  const rejected = rejection(answer, job, `${nameOf(id)}: the API server rejects its Job`);
  if (rejected !== undefined) return { blockers: [rejected], notices: [] };
  if (!answer.ok || !isReadByUser(context)) return { blockers: [], notices: [] };
  const pod = await dryRunPod(cluster, creation(job, answer.value));
  const what = `${nameOf(id)}: the API server would reject the Pods of its Job`;
  const notice = pod && rejection(pod, job, what);
  return { blockers: [], notices: notice === undefined ? [] : [notice] };
}

/** Returns the Job as a change, because dry runs of Pods are made from changes. */
function creation(job: KubeObject, predicted: KubeObject): Change {
  const id = idOf(job);
  return {
    ...{ key: keyOf(id), id, stage: "app", resource: "", action: "create", steps: [] },
    ...{ desired: job, live: undefined, predicted, certainty: { by: "server" }, after: [] },
  };
}

/**
 * Returns the rejection of a dry run. Missing permissions are found for all requests at once, and
 * the plan can create the namespace.
 */
function rejection(
  answer: ApiResult<KubeObject>,
  job: KubeObject,
  what: string,
): Problem | undefined {
  if (answer.ok || isMissingPermission(answer.failure)) return undefined;
  if (answer.failure.reason === "not-found") return undefined;
  const shown = showableRejection(answer.failure, job);
  const { code, means, fix } = explainApiFailure(shown);
  const facts = [{ label: "answer", value: shown.message }];
  const ownFix = code === "invalid-object" ? "Correct the Job of the check in the config" : fix;
  return { code, where: [], what, why: means, facts, fix: ownFix };
}

/** Lists the checks that run before objects, and those that run before the deletions. */
function listChecks({ checks = [], gates = [] }: Plan): readonly Problem[] {
  const waiting = new Map(gates.map(({ name, before }) => [name, before]));
  const early = checks.filter(({ name }) => waiting.has(name));
  const last = checks.filter(({ name }) => !waiting.has(name));
  const before = (name: string) =>
    summarizeList((waiting.get(name) ?? []).map(nameFromKey), namedObjects);
  return [
    ...planned(early, "objects that depend on it", {
      valueOf: (check) => `runs before ${before(check.name)}: ${describeCheck(check)}`,
      onFailure: "If a check fails, qvs doesn't apply these objects, and deletes nothing",
    }),
    ...planned(last, "qvs deletes anything", {
      valueOf: describeCheck,
      onFailure: "A check that fails keeps all old objects",
    }),
  ];
}

/** The maximum number of names of objects that wait for a check. The plan lists all of them. */
const namedObjects = 3;

function planned(
  checks: readonly DeploymentCheck[],
  moment: string,
  show: { readonly valueOf: (check: DeploymentCheck) => string; readonly onFailure: string },
): readonly Problem[] {
  if (checks.length === 0) return [];
  const count = checks.length === 1 ? "1 check runs" : `${checks.length} checks run`;
  return [
    {
      code: "planned-checks",
      where: [],
      what: `${count} before ${moment}`,
      facts: checks.map((check) => ({ label: check.name, value: show.valueOf(check) })),
      fix: `No action is needed. ${show.onFailure}`,
    },
  ];
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
