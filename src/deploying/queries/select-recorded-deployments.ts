import type { Deployment } from "../../model/deployment.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { World } from "../../ports/world.ts";
import { type DeploymentSelection, listDeployments } from "../../sources/list-deployments.ts";
import { listRecorded } from "./list-recorded.ts";
import { locateDeployment, minimalDeployment } from "./locate-deployment.ts";

export interface RecordedSelection extends DeploymentSelection {
  /**
   * The namespaces whose recorded deployments are selected; undefined to select by name or list.
   */
  readonly namespaces: readonly string[] | "everywhere" | undefined;
}

export interface RecordedSelectionResult {
  readonly deployments: readonly Deployment[];
  /** The notices about parts of the cluster that qvs couldn't read. */
  readonly notices: readonly Problem[];
}

/**
 * Selects the deployments for a command without compilation: the named one, all recorded ones, or
 * all in the repository's list.
 */
export async function selectRecordedDeployments(
  world: World,
  selection: RecordedSelection,
): Promise<RecordedSelectionResult> {
  const { deployment, namespace, context, namespaces } = selection;
  if (namespaces !== undefined) return selectAll(world, selection, namespaces);
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
  namespaces: readonly string[] | "everywhere",
): Promise<RecordedSelectionResult> {
  if (deployment !== undefined) throw conflictingFlags();
  const { cluster } = await world.target(minimalDeployment("", "", context));
  const searched = namespaces === "everywhere" ? [undefined] : [...new Set(namespaces)];
  const listed = await Promise.all(searched.map((place) => listRecorded(cluster, place)));
  const found = listed.flatMap(({ deployments }) => deployments);
  return {
    deployments: found.map((each) => minimalDeployment(each.name, each.namespace, context)),
    notices: listed.flatMap(({ notices }) => notices),
  };
}

function conflictingFlags(): UserError {
  return new UserError([
    {
      code: "conflicting-flags",
      where: [],
      what: "--deployment can't be combined with --all-namespaces or --namespaces",
      why: "--deployment names one deployment, and the other flags select all of a namespace",
      fix: "Remove --deployment",
      otherwise: ["remove the other flags"],
    },
  ]);
}
