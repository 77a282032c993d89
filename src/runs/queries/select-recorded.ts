import type { Deployment } from "../../model/deployment.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { World } from "../../ports/world.ts";
import { listDeployments, type Selection } from "../../sources/list-deployments.ts";
import { listRecorded } from "./list-recorded.ts";
import { deploymentAt, locateDeployment } from "./locate-deployment.ts";

export interface RecordedSelection extends Selection {
  /** Every deployment with releases in the cluster, or in the namespace that is named. */
  readonly all: boolean;
}

export interface Selected {
  readonly deployments: readonly Deployment[];
  /** What of the cluster could not be asked. */
  readonly notices: readonly Problem[];
}

/** The deployments that a command works on which compiles nothing: one that is named, all with records, or all that are listed here. */
export async function selectRecorded(
  world: World,
  selection: RecordedSelection,
): Promise<Selected> {
  const { deployment, namespace, context, all } = selection;
  if (all) return selectAll(world, selection);
  const listed = await listDeployments(world.source.tree, world.repositoryName, world.folder);
  if (deployment !== undefined || (listed.ok && listed.value.length === 0)) {
    const located = await locateDeployment(world, selection);
    return { deployments: [located.deployment], notices: [] };
  }
  if (!listed.ok) throw new UserError(listed.problems);
  const deployments = listed.value.map((each) => ({
    ...each,
    context: context ?? each.context,
    namespace: namespace ?? each.namespace,
  }));
  return { deployments, notices: [] };
}

async function selectAll(
  world: World,
  { deployment, namespace, context }: RecordedSelection,
): Promise<Selected> {
  if (deployment !== undefined) throw bothGiven();
  const { cluster } = await world.target(deploymentAt("", namespace ?? "", context));
  const { deployments, notices } = await listRecorded(cluster, namespace);
  const found = deployments.map((each) => deploymentAt(each.name, each.namespace, context));
  return { deployments: found, notices };
}

function bothGiven(): UserError {
  return userError(
    "conflicting-flags",
    "--all means every deployment, and --deployment names one",
    "Leave out one of them",
  );
}
