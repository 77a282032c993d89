import type { Deployment } from "../../model/deployment.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { World } from "../../ports/world.ts";
import { listDeployments, type Selection } from "../../sources/list-deployments.ts";
import { listRecorded } from "./list-recorded.ts";
import { deploymentAt, locateDeployment } from "./locate-deployment.ts";

export interface RecordedSelection extends Selection {
  /**
   * The namespaces whose recorded deployments are selected; undefined to select by name or list.
   */
  readonly allIn: readonly string[] | "everywhere" | undefined;
}

export interface Selected {
  readonly deployments: readonly Deployment[];
  /** The notices about parts of the cluster that qvs couldn't read. */
  readonly notices: readonly Problem[];
}

/**
 * Selects the deployments for a command without compilation: the named one, all recorded ones, or
 * all in the repository's list.
 */
export async function selectRecorded(
  world: World,
  selection: RecordedSelection,
): Promise<Selected> {
  const { deployment, namespace, context, allIn } = selection;
  if (allIn !== undefined) return selectAll(world, selection, allIn);
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
  { deployment, context }: RecordedSelection,
  allIn: readonly string[] | "everywhere",
): Promise<Selected> {
  if (deployment !== undefined) throw bothGiven();
  const { cluster } = await world.target(deploymentAt("", "", context));
  const places = allIn === "everywhere" ? [undefined] : [...new Set(allIn)];
  const listed = await Promise.all(places.map((place) => listRecorded(cluster, place)));
  const found = listed.flatMap(({ deployments }) => deployments);
  return {
    deployments: found.map((each) => deploymentAt(each.name, each.namespace, context)),
    notices: listed.flatMap(({ notices }) => notices),
  };
}

function bothGiven(): UserError {
  return userError(
    "conflicting-flags",
    "--all-namespaces and --namespaces mean every deployment, and --deployment names one",
    "Leave out one of them",
  );
}
