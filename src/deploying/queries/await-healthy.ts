import { awaitReady } from "../../apply/readiness/await-ready.ts";
import { createWatches } from "../../apply/readiness/watches.ts";
import { createHealthLookup } from "../../health/evaluator.ts";
import type { DeployedObject, DeploymentState } from "../../model/deployment-state.ts";
import type { KubeObject } from "../../model/object.ts";
import type { World } from "../../ports/world.ts";
import { createScrubber } from "../../redaction/scrub.ts";
import type { LocatedDeployment } from "./locate-deployment.ts";

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
