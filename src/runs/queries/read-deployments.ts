import type {
  DeploymentState,
  Instance,
  InstanceState,
  RecordedInstance,
} from "../../model/queries.ts";
import type { Release } from "../../model/release.ts";
import type { Target, World } from "../../ports/world.ts";
import { hiddenTexts } from "../../redaction/hide-texts.ts";
import { secretTexts } from "../../releases/queries/hidden-texts.ts";
import { instancesOf } from "../../releases/queries/instances.ts";
import type { RecordedDeployment } from "../../releases/queries/recorded-deployments.ts";
import { summariseReleases } from "../../releases/queries/summarise-release.ts";
import { type Owner, otherOwner } from "../../ssa/protection.ts";
import { isHealthy, judgeObjects } from "./judge-objects.ts";
import { readLocks } from "./read-locks.ts";
import { type RunningDeployment, readRunning } from "./read-running.ts";

/** What of them is asked of the cluster. */
export interface Reading {
  /** Of all objects that are recorded those to look at. Without it all of them, and who holds which lock. */
  readonly only: ((all: readonly RecordedInstance[]) => readonly RecordedInstance[]) | undefined;
}

/** What runs of each of these deployments, and how it is. */
export async function readDeployments(
  world: World,
  { cluster }: Target,
  deployments: readonly RecordedDeployment[],
  { only }: Reading = { only: undefined },
): Promise<readonly DeploymentState[]> {
  const now = world.clock.now();
  const namespaces = new Set(deployments.map(({ namespace }) => namespace));
  const [running, locks] = await Promise.all([
    readRunning(cluster, deployments, world),
    readLocks(cluster, only === undefined ? [...namespaces] : [], now),
  ]);
  const recorded = choose(
    running.map((deployment) => ({ deployment, instances: instancesOf(releasesOf(deployment)) })),
    only,
  );
  const states = await judgeObjects(
    cluster,
    recorded.flatMap(({ instances }) => instances),
    now,
  );
  return recorded.map(({ deployment, instances }) => {
    const { name, namespace, revisions, releases } = deployment;
    const lock = locks.get(`${namespace}/${name}`);
    const secrets = hiddenTexts(releasesOf(deployment).flatMap(secretTexts));
    return {
      ...{ name, namespace, lock },
      releases: summariseReleases(releasesOf(deployment), lock?.isAlive),
      recorded: revisions.length,
      instances: instances.map((instance): Instance => {
        const state = stateFor(states.get(instance.key), { deployment: name, namespace });
        const why = secrets.hide(state.why);
        return { ...instance, ...state, why, isHealthy: isHealthy(instance, state) };
      }),
      problems: releases.ok ? [] : releases.problems,
    };
  });
}

interface Recorded {
  readonly deployment: RunningDeployment;
  readonly instances: readonly RecordedInstance[];
}

function choose(recorded: readonly Recorded[], only: Reading["only"]): readonly Recorded[] {
  if (only === undefined) return recorded;
  const chosen = new Set(only(recorded.flatMap(({ instances }) => instances)));
  return recorded.map((each) => ({
    ...each,
    instances: each.instances.filter((instance) => chosen.has(instance)),
  }));
}

const unknown = { state: "unknown", why: "", live: undefined } as const;

/** What another deployment has taken over, or made under the name, is not the one that this deployment has recorded. */
function stateFor(state: InstanceState = unknown, owner: Owner): InstanceState {
  const other = state.live === undefined ? undefined : otherOwner(state.live, owner);
  if (other === undefined) return state;
  return { state: "missing", why: `what is there belongs to ${other}`, live: undefined };
}

function releasesOf({ releases }: RunningDeployment): readonly Release[] {
  return releases.ok ? releases.value : [];
}
