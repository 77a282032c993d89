import { managedByLabel, managedByValue } from "../model/annotations.ts";
import { apiProblem } from "../model/api-failure.ts";
import type { Deployment } from "../model/deployment.ts";
import { UserError, userError } from "../model/errors.ts";
import type { World } from "../ports/world.ts";
import { recordedDeployments } from "../releases/queries/recorded-deployments.ts";
import { releaseRevisionLabel } from "../releases/release-names.ts";
import { chooseRecorded, listDeployments, type Selection } from "./list-deployments.ts";

export interface RecordedSelection extends Selection {
  /** Every deployment with releases in the cluster, or in the namespace that is named. */
  readonly all: boolean;
}

/** The deployments that a command works on which compiles nothing: what is recorded in the cluster is enough. */
export async function chooseAllRecorded(
  world: World,
  selection: RecordedSelection,
): Promise<readonly Deployment[]> {
  const { deployment, namespace, context, all } = selection;
  if (all) return listRecorded(world, selection);
  if (deployment !== undefined)
    return [await chooseRecorded(world.source.tree, world.repositoryName, selection)];
  const listed = await listDeployments(world.source.tree, world.repositoryName, world.folder);
  if (!listed.ok) throw new UserError(listed.problems);
  if (listed.value.length === 0) throw nothingHere();
  return listed.value.map((each) => ({
    ...each,
    context: context ?? each.context,
    namespace: namespace ?? each.namespace,
  }));
}

async function listRecorded(
  world: World,
  { deployment, namespace, context }: RecordedSelection,
): Promise<readonly Deployment[]> {
  if (deployment !== undefined) throw bothGiven();
  const nowhere = { config: "", params: [], environment: undefined, dependsOn: [], context };
  const { cluster } = await world.target({ ...nowhere, name: "", namespace: namespace ?? "" });
  const selector = `${managedByLabel}=${managedByValue},${releaseRevisionLabel}`;
  const listed = await cluster.listMetadata("v1", "Secret", namespace, selector);
  if (!listed.ok) throw new UserError([apiProblem(cluster, "list the releases", listed.failure)]);
  return recordedDeployments(listed.value.items).map(({ name, namespace }) => ({
    ...nowhere,
    ...{ namespace, name },
  }));
}

function bothGiven(): UserError {
  return userError(
    "conflicting-flags",
    "--all means every deployment, and --deployment names one",
    "Leave out one of them",
  );
}

function nothingHere(): UserError {
  return userError(
    "config-not-found",
    "There is no deployment here",
    "Name one with --deployment and --namespace, or take all of the cluster with --all",
  );
}
