import type { DeployRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { Drift } from "../model/deployments/drift.ts";
import { nameOf } from "../model/object.ts";
import type { Plan } from "../model/plan/plan.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import { attribute } from "../plan/attribution/attribute.ts";
import { driftedObjects } from "../plan/drift/drifted-objects.ts";
import { withRolesAdvice } from "../planning/permissions/find-denied-permissions.ts";
import { planDeployment } from "../planning/plan-deployment.ts";
import type { PlannedDeployment } from "../planning/planned-deployment.ts";
import type { TargetCluster, World } from "../ports/world.ts";
import { contextBeforeLock } from "./create-planning-context.ts";
import { loadCurrentRelease } from "./load-release.ts";

/**
 * Compares a deployment in the cluster with its current release: the plan of a correction is the
 * drift.
 * It takes no lock and sends only dry runs.
 */
export async function findDrift(
  world: World,
  opening: TargetCluster | Promise<TargetCluster>,
  deployment: Deployment,
  request: DeployRequest,
  command: "drift" | "reconcile",
): Promise<Drift> {
  const { name, namespace } = deployment;
  const about = { deployment: name, namespace, at: world.clock.now().toISOString() };
  try {
    const target = await opening;
    const desired = await loadCurrentRelease(world, target, deployment);
    const { source, revision } = desired.corrects;
    const context = await contextBeforeLock(world, target, deployment, request);
    // The lock's dry runs are left out. They are about a correction, and there might be nothing to
    // correct.
    const planned = await planDeployment({ ...context, source, dryRunLock: undefined }, desired);
    const declared = desired.manifests.length;
    return { ...about, release: revision, ...toDrift(planned, declared) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const problems = error.problems.map((problem) => withRolesAdvice(problem, command, name));
    return { ...about, release: undefined, ...unknown, blockers: problems };
  }
}

const unknown = {
  status: "unknown",
  declared: 0,
  objects: [],
  notices: [],
  findings: [],
} as const;

/**
 * Returns notices about objects that a correction would keep because their use is unknown. They
 * aren't drift that qvs can correct.
 */
function unknownUseNotices({ kept }: Plan): readonly Problem[] {
  return kept
    .filter(({ why }) => why === "use unknown")
    .map(({ id, detail }) => ({
      code: "missing-permission",
      subjects: [nameOf(id)],
      what: `${nameOf(id)} is no longer declared, but kept: ${detail}`,
      fix: "Grant this permission to the identities that run qvs drift and qvs reconcile",
      where: [],
    }));
}

/**
 * Converts the plan into drift. A freeze hides no drift: without drift there is nothing to block.
 */
function toDrift(
  planned: PlannedDeployment,
  declared: number,
): Pick<Drift, "status" | "declared" | "objects" | "blockers" | "notices" | "findings"> {
  const blockers = planned.executable ? [] : planned.blockers;
  const { plan, recorded, findings } = planned;
  if (plan === undefined || recorded === undefined) return { ...unknown, blockers };
  const objects = driftedObjects(plan, attribute(plan, { history: recorded }));
  const notices = [...plan.notices, ...unknownUseNotices(plan)];
  if (objects.length > 0)
    return { status: "drifted", declared, objects, blockers, notices, findings };
  const otherBlockers = blockers.filter(({ code }) => code !== "deployments-frozen");
  if (otherBlockers.length > 0) return { ...unknown, declared, blockers: otherBlockers, notices };
  return { status: "clean", declared, objects, blockers: [], notices, findings };
}
