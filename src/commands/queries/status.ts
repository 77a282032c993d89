import { awaitReady } from "../../apply/readiness/await-ready.ts";
import { createWatches } from "../../apply/readiness/watches.ts";
import { listRecorded } from "../../deploying/queries/list-recorded.ts";
import {
  type LocatedDeployment,
  notRecordedError,
} from "../../deploying/queries/locate-deployment.ts";
import { readDeployments } from "../../deploying/queries/read-deployments.ts";
import { createHealthLookup } from "../../health/evaluator.ts";
import {
  type DeployedObject,
  type DeploymentState,
  isHealthyDeployment,
} from "../../model/deployments/deployment-state.ts";
import type { KubeObject } from "../../model/object.ts";
import type { World } from "../../ports/world.ts";
import { createScrubber } from "../../redaction/scrub.ts";
import { secretStrings } from "../../releases/queries/hidden-strings.ts";
import { readReleases } from "../../releases/store.ts";

/**
 * Returns the state of one deployment with each object. Throws a UserError if the deployment isn't
 * recorded.
 */
export async function readStatus(
  world: World,
  { target, deployment }: LocatedDeployment,
): Promise<DeploymentState> {
  const { name, namespace } = deployment;
  const { deployments } = await listRecorded(target.cluster, namespace);
  const recorded = deployments.filter((each) => each.name === name);
  const [state] = await readDeployments(world, target, recorded);
  if (state === undefined) throw await notRecordedError(target, deployment);
  return state;
}

/** Returns the state when every object is ready that can become ready, or after `timeoutMs`. */
export async function watchStatus(
  world: World,
  located: LocatedDeployment,
  timeoutMs: number,
): Promise<DeploymentState> {
  const state = await readStatus(world, located);
  if (isHealthyDeployment(state)) return state;
  const releases = await readReleases(located.target.cluster, located.deployment, world);
  const hides = releases.ok ? releases.value.releases.flatMap(secretStrings) : [];
  await awaitHealthy(world, located, state, { timeoutMs, hides });
  return readStatus(world, located);
}

/**
 * Waits until every existing object is ready, and shows the progress like a deployment.
 * It doesn't wait for missing objects or for permanent failures. Throws an AbortError if it is
 * interrupted, because the state is then unknown. `hides` contains secrets that no message must
 * contain.
 */
export async function awaitHealthy(
  world: World,
  { target: { cluster }, deployment }: LocatedDeployment,
  { instances }: DeploymentState,
  { timeoutMs, hides }: { readonly timeoutMs: number; readonly hides: readonly string[] },
): Promise<void> {
  const progress = world.progress(deployment);
  const watches = createWatches(cluster);
  const findHealth = createHealthLookup();
  progress.report({ type: "preparing", step: "watching" });
  const { clock, signal } = world;
  const { hide: shown } = createScrubber(hides);
  const settle = async ({
    key,
    live,
    suspends,
    healthRules,
  }: DeployedObject & { live: KubeObject }) => {
    const health = findHealth(healthRules);
    const result = await awaitReady(live, {
      ...{ cluster, clock, watches, health, signal, timeoutMs },
      affected: false,
      suspends,
      onWaiting: (why, isTrouble) =>
        progress.report({ type: "waiting", key, why: shown(why), isTrouble }),
    });
    const isReady = result.state === "ready" || result.state === "suspended";
    if (isReady) progress.report({ type: "ready", key, notice: undefined });
    else if (result.state !== "stopped")
      progress.report({ type: "failed", key, why: shown(result.why) });
  };
  try {
    await Promise.all(instances.filter(isAwaited).map(settle));
  } finally {
    watches.close();
  }
  signal.throwIfAborted();
}

function isAwaited(instance: DeployedObject): instance is DeployedObject & { live: KubeObject } {
  return !instance.isHealthy && instance.live !== undefined;
}
