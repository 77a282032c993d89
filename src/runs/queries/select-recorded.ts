import type { Deployment } from "../../model/deployment.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { World } from "../../ports/world.ts";
import { listDeployments, type Selection } from "../../sources/list-deployments.ts";
import { listRecorded } from "./list-recorded.ts";
import { deploymentAt, locateDeployment } from "./locate-deployment.ts";

export interface RecordedSelection extends Selection {
  /** Every deployment with releases in these namespaces; undefined where not all are meant. */
  readonly allIn: readonly string[] | "everywhere" | undefined;
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
