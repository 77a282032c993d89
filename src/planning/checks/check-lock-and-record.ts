import {
  type ApiFailure,
  apiProblem,
  isMissingPermission,
} from "../../model/cluster/api-failure.ts";
import type { Plan } from "../../model/plan.ts";
import type { LockObstacle } from "../../ports/kubernetes.ts";
import { emptyRecord } from "../../releases/encode.ts";
import type { PlanningContext } from "../planning-context.ts";
import type { RightsCommand } from "../rights/right.ts";
import { type Checked, judged, releaseNamespaceChange, together } from "./checked.ts";
import { missingRights } from "./missing-rights.ts";

/** Checks by dry run whether qvs could take the deployment lock once no other run holds it. */
export type TryLock = () => Promise<LockObstacle | undefined>;

const free: Checked = together([]);

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
  command: RightsCommand,
): Promise<Checked> {
  const { cluster, deployment, dryRunLock } = context;
  if (dryRunLock === undefined || isNamespaceToCome(context, plan)) return free;
  const [missing, lock] = await Promise.all([
    missingRights(cluster, deployment, command),
    dryRunLock(),
  ]);
  // If the namespace doesn't exist, one message is enough.
  if (lock?.failure.reason === "not-found") return judged(context, lock.failure, lock.problem);
  const refused = command === "reconcile" ? undefined : await refusalOfRecord(context, revision);
  const doing = `record release ${revision}`;
  return together([
    ...missing.map(({ failure, problem }) => judged(context, failure, problem)),
    lock !== undefined && !isMissingPermission(lock.failure)
      ? judged(context, lock.failure, lock.problem)
      : free,
    refused !== undefined && !isMissingPermission(refused)
      ? judged(context, refused, apiProblem(cluster, doing, refused))
      : free,
  ]);
}

/**
 * Reports whether this deployment or an earlier one creates the namespace, so that qvs can't
 * dry-run anything in it yet.
 */
function isNamespaceToCome({ deployment, earlier }: PlanningContext, plan: Plan): boolean {
  const before = [...(earlier?.changes.values() ?? [])];
  return [plan.changes, before].some(
    (changes) => releaseNamespaceChange({ changes }, deployment) !== undefined,
  );
}

async function refusalOfRecord(
  { cluster, deployment }: PlanningContext,
  revision: number,
): Promise<ApiFailure | undefined> {
  const recorded = await cluster.create(emptyRecord(deployment, revision), { dryRun: true });
  return recorded.ok ? undefined : recorded.failure;
}
