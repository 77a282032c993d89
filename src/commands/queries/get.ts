import { listRecorded } from "../../deploying/queries/list-recorded.ts";
import {
  locateDeployment,
  minimalDeployment,
  notRecordedError,
} from "../../deploying/queries/locate-deployment.ts";
import { readDeployments } from "../../deploying/queries/read-deployments.ts";
import {
  type InstanceFilter,
  type KeptInstances,
  readKeptInstances,
  selectDeployments,
  selectInstances,
  selectRecordedInstances,
} from "../../deploying/queries/select-instances.ts";
import type { DeploymentState, InventoryObject } from "../../model/deployments/deployment-state.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { TargetCluster, World } from "../../ports/world.ts";
import type { RecordedDeployment } from "../../releases/queries/recorded-deployments.ts";
import { drift } from "../drift.ts";

/** A query about the deployments of a namespace or cluster. */
export interface DeploymentsQuery extends InstanceFilter {
  readonly context: string | undefined;
  /**
   * The namespace; undefined for that of the named deployment, or else of the kubeconfig's context.
   */
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly deployment: string | undefined;
}

/** The selected deployments, with their selected objects. */
export interface DeploymentsAnswer {
  readonly deployments: readonly DeploymentState[];
  /** The namespace that was searched; undefined for all. */
  readonly namespace: string | undefined;
  readonly notices: readonly Problem[];
}

/**
 * Lists the deployments of a namespace or the cluster from their records and live objects. Needs
 * neither a repository nor a config.
 */
export async function getDeployments(
  world: World,
  question: DeploymentsQuery,
): Promise<DeploymentsAnswer> {
  return readStates(world, await listSelected(world, question), question);
}

async function readStates(
  world: World,
  { target, recorded, namespace, notices }: QueriedDeployments,
  question: DeploymentsQuery,
): Promise<DeploymentsAnswer> {
  const states = await readDeployments(world, target, recorded);
  return { namespace, notices, deployments: selectDeployments(states, question) };
}

/** Lists the selected objects by deployment. It requests only their kinds from the cluster. */
export async function getObjects(
  world: World,
  question: DeploymentsQuery,
): Promise<DeploymentsAnswer> {
  return readObjects(world, await listSelected(world, question), question);
}

async function readObjects(
  world: World,
  { target, recorded, namespace, notices }: QueriedDeployments,
  question: DeploymentsQuery,
): Promise<DeploymentsAnswer> {
  const only = (all: readonly InventoryObject[]) => selectRecordedInstances(all, question);
  const states = await readDeployments(world, target, recorded, { only });
  const unread = states.flatMap(({ problems }) => problems);
  return {
    ...{ namespace, notices: [...notices, ...unread] },
    deployments: selectInstances(states, question),
  };
}

interface QueryPlace {
  readonly target: TargetCluster;
  readonly context: string | undefined;
  /** The namespace; undefined for all. */
  readonly namespace: string | undefined;
}

interface QueriedDeployments extends QueryPlace, Pick<DeploymentsAnswer, "notices"> {
  readonly recorded: readonly RecordedDeployment[];
}

async function listSelected(world: World, question: DeploymentsQuery): Promise<QueriedDeployments> {
  const place = await resolvePlace(world, question);
  const { target, namespace } = place;
  const { deployments, notices } = await listRecorded(target.cluster, namespace);
  const recorded = deployments.filter(
    ({ name }) => question.deployment === undefined || name === question.deployment,
  );
  if (question.deployment !== undefined && recorded.length === 0) {
    const name = question.deployment;
    throw await notRecordedError(target, { name, namespace: namespace ?? "" });
  }
  return { ...place, recorded, notices };
}

/** Returns the namespace to search. A named deployment is located as in every other command. */
async function resolvePlace(world: World, question: DeploymentsQuery): Promise<QueryPlace> {
  const { deployment: name, namespace, allNamespaces, context } = question;
  if (name !== undefined && !allNamespaces) {
    const selection = { deployment: name, namespace, context, config: undefined, params: [] };
    const { deployment, target } = await locateDeployment(world, selection);
    return { target, context: deployment.context, namespace: deployment.namespace };
  }
  const target = await world.target(minimalDeployment("", "", context));
  const where = allNamespaces ? undefined : (namespace ?? target.namespace ?? "default");
  return { target, context, namespace: where };
}

/**
 * Lists the deployments like `getDeployments`, and compares each with its current release. The
 * comparison makes a plan for each.
 */
export async function getDeploymentsWithDrift(
  world: World,
  question: DeploymentsQuery,
): Promise<DeploymentsAnswer> {
  const selected = await listSelected(world, question);
  const answer = await readStates(world, selected, question);
  const found = await drift(
    world,
    answer.deployments.map(({ name, namespace }) =>
      minimalDeployment(name, namespace, selected.context),
    ),
  );
  const deployments = answer.deployments.map((each, index) => ({ ...each, drift: found[index] }));
  return { ...answer, deployments };
}

/** The selected objects, with details of the kept ones. */
export interface InstancesAnswer extends DeploymentsAnswer {
  readonly kept: KeptInstances;
}

/** Lists the selected objects of all deployments, with details of the kept ones. */
export async function getInstances(
  world: World,
  question: DeploymentsQuery,
): Promise<InstancesAnswer> {
  const selected = await listSelected(world, question);
  const answer = await readObjects(world, selected, question);
  return { ...answer, kept: await readKeptInstances(selected.target.cluster, answer.deployments) };
}
