import type { PlanningRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { HealthRule } from "../model/health-rule.ts";
import { distinct, type Problem } from "../model/problems/problem.ts";
import type { Manifest } from "../model/sources/compilation.ts";
import { denialTest, missingKindPermissions } from "../planning/checks/check-permissions.ts";
import {
  findMissingPermissions,
  type MissingPermissions,
} from "../planning/checks/missing-permissions.ts";
import { permissionProblems } from "../planning/permissions/find-denied-permissions.ts";
import type { Permission, PermissionCommand } from "../planning/permissions/permission.ts";
import type { PlannedDeployment } from "../planning/planned-deployment.ts";
import type { Cluster } from "../ports/kubernetes.ts";

interface PreLockCheck {
  readonly cluster: Cluster;
  readonly deployment: Deployment;
  readonly command: PermissionCommand;
  readonly request: Pick<PlanningRequest, "limits">;
  readonly health?: readonly HealthRule[] | undefined;
}

/** The permissions that a run lacks, as far as qvs can check them without its plan. */
interface PermissionGaps {
  readonly missing: readonly MissingPermissions[];
  readonly kinds: { readonly isCertain: boolean; readonly missing: readonly Permission[] };
}

/** Checks the permissions to the lock, the records and the kinds of these manifests. */
export async function findPermissionGaps(
  check: PreLockCheck,
  manifests: readonly Manifest[],
): Promise<PermissionGaps> {
  const { cluster, deployment, command } = check;
  const [missing, kinds] = await Promise.all([
    findMissingPermissions(cluster, deployment, command),
    missingKindPermissions(check, manifests),
  ]);
  return { missing, kinds };
}

export function hasPermissionGaps({ missing, kinds }: PermissionGaps): boolean {
  return missing.length > 0 || kinds.isCertain;
}

/**
 * Returns all missing permissions, with the other errors that block the plan. `planned` is
 * undefined if no plan could be made.
 */
export function permissionBlockers(
  { missing, kinds }: PermissionGaps,
  { deployment, command }: PreLockCheck,
  planned: PlannedDeployment | undefined,
): readonly Problem[] {
  // If qvs can't read the releases, that permission is already among the missing ones.
  const isRead = planned?.executable === false && planned.recorded !== undefined;
  const others = isRead ? planned.blockers : [];
  // A plan contains exactly the permissions that it needs.
  const missingForKinds = planned?.plan === undefined ? kinds.missing : [];
  const isReported = denialTest(missingForKinds);
  return distinct([
    ...missing.map(({ problem }) => problem),
    ...permissionProblems(missingForKinds, command, deployment.name),
    ...others.filter((other) => !isReported(other)),
  ]);
}
