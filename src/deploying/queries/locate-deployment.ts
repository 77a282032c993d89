import type { Deployment } from "../../model/deployments/deployment.ts";
import { catchProblems, UserError, userError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { suggestClosest, summarizeList } from "../../model/text/suggest.ts";
import type { TargetCluster, World } from "../../ports/world.ts";
import type { RecordedDeployment } from "../../releases/queries/recorded-deployments.ts";
import {
  chooseDeployment,
  type DeploymentSelection,
  deploymentsFile,
  listDeployments,
} from "../../sources/list-deployments.ts";
import { listRecorded } from "./list-recorded.ts";

/** A deployment for a query, and its cluster. */
export interface LocatedDeployment {
  readonly deployment: Deployment;
  readonly target: TargetCluster;
}

const maxListed = 20;

/**
 * Locates the deployment for a query.
 * A name and a namespace are enough. Otherwise the repository's list provides the namespace. If it
 * doesn't list the deployment, qvs searches the records in all accessible namespaces.
 */
export async function locateDeployment(
  world: World,
  selection: DeploymentSelection,
): Promise<LocatedDeployment> {
  const { deployment: name, namespace, context } = selection;
  const here = await repositoryDeployments(world, name !== undefined && namespace !== undefined);
  const isListed = here.some((each) => each.name === name);
  if (isListed || (name === undefined && here.length > 0 && namespace === undefined)) {
    const deployment = await chooseDeployment(world.source.tree, world.repositoryName, selection);
    return { deployment, target: await world.target(deployment) };
  }
  const anywhere = minimalDeployment("", "", context);
  const target = await world.target(anywhere);
  if (name !== undefined && namespace !== undefined) {
    return { deployment: minimalDeployment(name, namespace, context), target };
  }
  const { deployments } = await listRecorded(target.cluster, namespace);
  const found = deployments.filter((each) => name === undefined || each.name === name);
  const [only, ...others] = found;
  if (only === undefined) throw noSuchDeployment(name, namespace, deployments);
  if (others.length > 0) throw ambiguous(name, found);
  return { deployment: minimalDeployment(only.name, only.namespace, context), target };
}

/**
 * Returns the deployments of this repository.
 * For a full name, only a list could add something: the context. A directory that isn't a
 * repository isn't searched, because it can be a whole disk.
 */
async function repositoryDeployments(
  world: World,
  isNamed: boolean,
): Promise<readonly Deployment[]> {
  const { tree } = world.source;
  const has = async (path: string) => (await tree.read(path)) !== undefined;
  const isSearched = async () =>
    !isNamed && (world.repository !== undefined || (await has(".valuestream/qvs.yaml")));
  if (!(await has(deploymentsFile)) && !(await isSearched())) return [];
  const all = await listDeployments(tree, world.repositoryName);
  return all.ok ? all.value : [];
}

/** Returns a deployment that is known only from its records. */
export function minimalDeployment(
  name: string,
  namespace: string,
  context: string | undefined,
): Deployment {
  const nowhere = { config: "", params: [], environment: undefined, dependsOn: [] };
  return { ...nowhere, name, namespace, context };
}

/**
 * Returns the error for a deployment without records. It lists the recorded deployments in all
 * accessible namespaces.
 */
export async function notRecordedError(
  { cluster }: TargetCluster,
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
): Promise<UserError> {
  const everywhere = await catchProblems(() => listRecorded(cluster, undefined));
  const known = everywhere.ok ? everywhere.value : await listRecorded(cluster, namespace);
  return noSuchDeployment(name, namespace, known.deployments);
}

function noSuchDeployment(
  name: string | undefined,
  namespace: string | undefined,
  all: readonly RecordedDeployment[],
): UserError {
  const where = (namespace ?? "") === "" ? "any namespace" : `namespace ${namespace}`;
  const names = [...new Set(all.map((each) => each.name))];
  const what =
    name === undefined
      ? `No deployment is recorded in ${where}`
      : `"${name}" has no recorded release in ${where}`;
  const fixes =
    all.length === 0 ? nothingRecorded : suggestClosest(name ?? "", names, chooseOne(all));
  return new UserError([{ code: "unknown-deployment", where: [], what, ...fixes }]);
}

const nothingRecorded = {
  fix: "Deploy first: qvs deploy",
  otherwise: ["choose the cluster with --context, and the namespace with --namespace"],
};

function chooseOne(all: readonly RecordedDeployment[]): string {
  return `Choose one with --deployment and --namespace: ${summarizeList(all.map(deploymentPlace), maxListed)}`;
}

function ambiguous(name: string | undefined, found: readonly RecordedDeployment[]): UserError {
  const what =
    name === undefined
      ? "More than one deployment is recorded"
      : `"${name}" is recorded in more than one namespace`;
  return userError("ambiguous-selection", what, chooseOne(found));
}

function deploymentPlace({ name, namespace }: RecordedDeployment): string {
  return `${name} in ${namespace}`;
}

interface RecordedSelection extends DeploymentSelection {
  /**
   * The namespaces whose recorded deployments are selected; undefined to select by name or list.
   */
  readonly namespaces: readonly string[] | "everywhere" | undefined;
}

interface RecordedSelectionResult {
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
