import pMap from "p-map";
import { deploymentLabel, managedByLabel, managedByValue } from "../../model/annotations.ts";
import { apiProblem } from "../../model/cluster/api/api-failure.ts";
import { lockName, readLockState } from "../../model/cluster/deployment-lock.ts";
import type {
  DeployedObject,
  DeploymentState,
  InventoryObject,
  LiveState,
  LockState,
} from "../../model/deployments/deployment-state.ts";
import { emptyHistory, type ReleaseHistory } from "../../model/deployments/release-history.ts";
import { idOf, type KubeObject, label } from "../../model/object.ts";
import { failed, type Problem, type Result } from "../../model/problems/problem.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { TargetCluster, World } from "../../ports/world.ts";
import { createScrubber } from "../../redaction/scrub.ts";
import { decodeReleases } from "../../releases/decode.ts";
import { secretStrings } from "../../releases/queries/hidden-strings.ts";
import { recordedInstances } from "../../releases/queries/instances.ts";
import {
  type RecordedDeployment,
  summarizeReleases,
} from "../../releases/queries/recorded-deployments.ts";
import { type DeploymentIdentity, describeOtherDeployment } from "../../ssa/protection.ts";
import { concurrency } from "./list-recorded.ts";
import { isHealthy, readInstanceStates } from "./read-instance-states.ts";

/** A deployment with its releases since the newest successful one, newest first. */
interface DeploymentWithReleases extends RecordedDeployment {
  readonly history: Result<ReleaseHistory>;
}

/**
 * Reads only the records that determine the current release of each deployment. That is usually one
 * Secret, however long the history is.
 */
function readCurrentReleases(
  cluster: Cluster,
  deployments: readonly RecordedDeployment[],
  world: { readonly decompress: (bytes: Uint8Array) => string },
): Promise<readonly DeploymentWithReleases[]> {
  return pMap(
    deployments,
    async (deployment) => ({
      ...deployment,
      history: await readHistory(cluster, deployment, world.decompress),
    }),
    { concurrency },
  );
}

async function readHistory(
  cluster: Cluster,
  { name, namespace, secrets }: RecordedDeployment,
  decompress: (bytes: Uint8Array) => string,
): Promise<Result<ReleaseHistory>> {
  const problems: Problem[] = [];
  const found: KubeObject[] = [];
  for (const secret of secrets) {
    const address = { apiVersion: "v1", kind: "Secret", namespace, name: secret };
    const answer = await cluster.read(address);
    if (!answer.ok) problems.push(apiProblem(cluster, `read release ${secret}`, answer.failure));
    else if (answer.value !== undefined) found.push(answer.value);
  }
  return problems.length > 0 ? failed(problems) : decodeReleases(name, found, decompress);
}

/** The options for reading deployments. */
interface DeploymentReadOptions {
  /** Selects the recorded objects to read. Without it, all objects and the locks are read. */
  readonly only: ((all: readonly InventoryObject[]) => readonly InventoryObject[]) | undefined;
}

/** Reads the current state of each of these deployments. */
export async function readDeployments(
  world: World,
  { cluster }: TargetCluster,
  deployments: readonly RecordedDeployment[],
  { only }: DeploymentReadOptions = { only: undefined },
): Promise<readonly DeploymentState[]> {
  const now = world.clock.now();
  const namespaces = new Set(deployments.map(({ namespace }) => namespace));
  const [running, locks] = await Promise.all([
    readCurrentReleases(cluster, deployments, world),
    readLocks(cluster, only === undefined ? [...namespaces] : [], now),
  ]);
  const recorded = filterInstances(
    running.map((deployment) => ({
      deployment,
      instances: recordedInstances(readableHistory(deployment)),
    })),
    only,
  );
  const states = await readInstanceStates(
    cluster,
    recorded.flatMap(({ instances }) => instances),
    now,
  );
  return recorded.map(({ deployment, instances }) => {
    const { name, namespace, revisions, history } = deployment;
    const lock = locks.get(`${namespace}/${name}`);
    const secrets = createScrubber(readableHistory(deployment).releases.flatMap(secretStrings));
    return {
      ...{ name, namespace, lock },
      releases: summarizeReleases(readableHistory(deployment), lock?.isAlive),
      recorded: revisions.length,
      instances: instances.map((instance): DeployedObject => {
        const state = ownedState(states.get(instance.key), { deployment: name, namespace });
        const why = secrets.hide(state.why);
        return { ...instance, ...state, why, isHealthy: isHealthy(instance, state) };
      }),
      problems: history.ok ? [] : history.problems,
    };
  });
}

interface DeploymentInstances {
  readonly deployment: DeploymentWithReleases;
  readonly instances: readonly InventoryObject[];
}

function filterInstances(
  recorded: readonly DeploymentInstances[],
  only: DeploymentReadOptions["only"],
): readonly DeploymentInstances[] {
  if (only === undefined) return recorded;
  const chosen = new Set(only(recorded.flatMap(({ instances }) => instances)));
  return recorded.map((each) => ({
    ...each,
    instances: each.instances.filter((instance) => chosen.has(instance)),
  }));
}

const unknown = { state: "unknown", why: "", live: undefined } as const;

/**
 * Returns the state for this deployment. An object that another deployment adopted or created under
 * the same name counts as missing.
 */
function ownedState(state: LiveState = unknown, owner: DeploymentIdentity): LiveState {
  const other = state.live === undefined ? undefined : describeOtherDeployment(state.live, owner);
  if (other === undefined) return state;
  return { state: "missing", why: `the object with its name belongs to ${other}`, live: undefined };
}

function readableHistory({ history }: DeploymentWithReleases): ReleaseHistory {
  return history.ok ? history.value : emptyHistory;
}

/** The locks by `namespace/name` of the deployment. */
type Locks = ReadonlyMap<string, LockState>;

/**
 * Reads the held locks in these namespaces, with one LIST if that is allowed. Returns none if RBAC
 * denies access to Leases.
 */
export async function readLocks(
  cluster: Cluster,
  namespaces: readonly string[],
  now: Date,
): Promise<Locks> {
  if (namespaces.length > 1) {
    const all = await listLocks(cluster, undefined, now);
    if (all !== undefined) return new Map(all);
  }
  const each = await pMap(namespaces, (namespace) => listLocks(cluster, namespace, now), {
    concurrency,
  });
  return new Map(each.flatMap((locks) => locks ?? []));
}

async function listLocks(
  cluster: Cluster,
  namespace: string | undefined,
  now: Date,
): Promise<readonly (readonly [string, LockState])[] | undefined> {
  const selector = `${managedByLabel}=${managedByValue},${deploymentLabel}`;
  const answer = await cluster.list("coordination.k8s.io/v1", "Lease", namespace, selector);
  if (!answer.ok) return undefined;
  return answer.value.items.flatMap((lease) => {
    const deployment = label(lease, deploymentLabel) ?? "";
    const state = readLockState(lease, now);
    if (state === undefined || idOf(lease).name !== lockName(deployment)) return [];
    return [[`${idOf(lease).namespace}/${deployment}`, state] as const];
  });
}
