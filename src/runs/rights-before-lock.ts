import type { Manifest } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import { distinct, type Problem } from "../model/problems/problem.ts";
import { isRefusalOf, missingKindRights } from "../planning/checks/check-rights.ts";
import { type MissingRights, missingRights } from "../planning/checks/missing-rights.ts";
import type { PlannedDeployment } from "../planning/planned-deployment.ts";
import type { Right, RightsCommand } from "../planning/rights/right.ts";
import { rightsProblems } from "../planning/rights/rights-problem.ts";
import type { Cluster } from "../ports/kubernetes.ts";

interface Asked {
  readonly cluster: Cluster;
  readonly deployment: Deployment;
  readonly command: RightsCommand;
  readonly concurrency: number;
}

/** The permissions that a run lacks, as far as qvs can check them without its plan. */
interface LackedRights {
  readonly missing: readonly MissingRights[];
  readonly kinds: { readonly isCertain: boolean; readonly missing: readonly Right[] };
}

/** Checks the permissions to the lock, the records and the kinds of these manifests. */
export async function rightsBeforeLock(
  asked: Asked,
  manifests: readonly Manifest[],
): Promise<LackedRights> {
  const { cluster, deployment, command } = asked;
  const [missing, kinds] = await Promise.all([
    missingRights(cluster, deployment, command),
    missingKindRights(asked, manifests),
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
  const isTold = isRefusalOf(ofKinds);
  return distinct([
    ...missing.map(({ problem }) => problem),
    ...rightsProblems(ofKinds, command, deployment.name),
    ...others.filter((other) => !isTold(other)),
  ]);
}
