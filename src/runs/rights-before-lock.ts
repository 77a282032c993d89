import type { Manifest } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import { distinct, type Problem } from "../model/problems/problem.ts";
import { denialTest, missingKindPermissions } from "../planning/checks/check-permissions.ts";
import {
  findMissingPermissions,
  type MissingPermissions,
} from "../planning/checks/missing-permissions.ts";
import type { Permission, PermissionCommand } from "../planning/permissions/permission.ts";
import { permissionProblems } from "../planning/permissions/permission-problems.ts";
import type { PlannedDeployment } from "../planning/planned-deployment.ts";
import type { Cluster } from "../ports/kubernetes.ts";

interface Asked {
  readonly cluster: Cluster;
  readonly deployment: Deployment;
  readonly command: PermissionCommand;
  readonly concurrency: number;
}

/** The permissions that a run lacks, as far as qvs can check them without its plan. */
interface LackedRights {
  readonly missing: readonly MissingPermissions[];
  readonly kinds: { readonly isCertain: boolean; readonly missing: readonly Permission[] };
}

/** Checks the permissions to the lock, the records and the kinds of these manifests. */
export async function rightsBeforeLock(
  asked: Asked,
  manifests: readonly Manifest[],
): Promise<LackedRights> {
  const { cluster, deployment, command } = asked;
  const [missing, kinds] = await Promise.all([
    findMissingPermissions(cluster, deployment, command),
    missingKindPermissions(asked, manifests),
  ]);
  return { missing, kinds };
}

export function isLacking({ missing, kinds }: LackedRights): boolean {
  return missing.length > 0 || kinds.isCertain;
}

/**
 * Returns all missing permissions, with the other errors that block the plan. `planned` is
 * undefined if no plan could be made.
 */
export function problemsOfRights(
  { missing, kinds }: LackedRights,
  { deployment, command }: Asked,
  planned: PlannedDeployment | undefined,
): readonly Problem[] {
  // If qvs can't read the releases, that permission is already among the missing ones.
  const isRead = planned?.executable === false && planned.recorded !== undefined;
  const others = isRead ? planned.blockers : [];
  // A plan contains exactly the permissions that it needs.
  const ofKinds = planned?.plan === undefined ? kinds.missing : [];
  const isTold = denialTest(ofKinds);
  return distinct([
    ...missing.map(({ problem }) => problem),
    ...permissionProblems(ofKinds, command, deployment.name),
    ...others.filter((other) => !isTold(other)),
  ]);
}
