import {
  type ApiFailure,
  apiProblem,
  isMissingPermission,
} from "../../model/cluster/api/api-failure.ts";
import { type LockStatus, leaseOf, readLockState } from "../../model/cluster/deployment-lock.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { ReleaseHistory } from "../../model/deployments/release-history.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Cluster, LockObstacle } from "../../ports/kubernetes.ts";
import { emptyRecord } from "../../releases/encode.ts";
import type { PermissionCommand } from "../permissions/permission.ts";
import type { PlanningContext } from "../planning-context.ts";
import {
  blockOrNotice,
  type CheckResult,
  combineChecks,
  releaseNamespaceChange,
} from "./check-result.ts";
import { findMissingPermissions } from "./missing-permissions.ts";

/** Checks by dry run whether qvs could take the deployment lock once no other run holds it. */
export type TryLock = () => Promise<LockObstacle | undefined>;

const noProblems: CheckResult = combineChecks([]);

/**
 * Finds reasons why a deployment can't take its lock or record its release, which it does before
 * its first change.
 * Under the lock, it checks nothing: qvs writes the record next. `command` is the command whose
 * permissions are checked; a correction records no release.
 */
export async function checkLockAndRecord(
  context: PlanningContext,
  plan: Plan,
  revision: number,
  command: PermissionCommand,
): Promise<CheckResult> {
  const { cluster, deployment, dryRunLock } = context;
  if (dryRunLock === undefined || isNamespacePending(context, plan)) return noProblems;
  const [missing, lock] = await Promise.all([
    findMissingPermissions(cluster, deployment, command),
    dryRunLock(),
  ]);
  // If the namespace doesn't exist, one message is enough.
  if (lock?.failure.reason === "not-found")
    return blockOrNotice(context, lock.failure, lock.problem);
  const refused = command === "reconcile" ? undefined : await tryRecord(context, revision);
  const doing = `record release ${revision}`;
  return combineChecks([
    ...missing.map(({ failure, problem }) => blockOrNotice(context, failure, problem)),
    lock !== undefined && !isMissingPermission(lock.failure)
      ? blockOrNotice(context, lock.failure, lock.problem)
      : noProblems,
    refused !== undefined && !isMissingPermission(refused)
      ? blockOrNotice(context, refused, apiProblem(cluster, doing, refused))
      : noProblems,
  ]);
}

/**
 * Reports whether this deployment or an earlier one creates the namespace, so that qvs can't
 * dry-run anything in it yet.
 */
function isNamespacePending({ deployment, upstream }: PlanningContext, plan: Plan): boolean {
  const before = [...(upstream?.changes.values() ?? [])];
  return [plan.changes, before].some(
    (changes) => releaseNamespaceChange({ changes }, deployment) !== undefined,
  );
}

async function tryRecord(
  { cluster, deployment }: PlanningContext,
  revision: number,
): Promise<ApiFailure | undefined> {
  const recorded = await cluster.create(emptyRecord(deployment, revision), { dryRun: true });
  return recorded.ok ? undefined : recorded.failure;
}

/**
 * Reads the lock behind a pending newest release: its run is still active, or was killed.
 * Returns "unknown" if the newest release has ended, because no caller needs the lock then.
 */
export async function readReleaseLock(
  { newest }: ReleaseHistory,
  cluster: Cluster,
  deployment: Pick<Deployment, "name" | "namespace">,
  now: Date,
): Promise<LockStatus> {
  if (newest?.status !== "pending") return "unknown";
  const read = await cluster.read(leaseOf(deployment));
  return read.ok ? (readLockState(read.value, now) ?? "free") : "unknown";
}
