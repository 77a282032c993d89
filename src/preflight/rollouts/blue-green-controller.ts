import { at, type Json, type JsonObject, numberAt } from "../../model/json.ts";
import type { RolloutVersions } from "./canary-controller.ts";
import { countAvailable, countDesired, fill, resize } from "./pod-group.ts";
import type { SimulatedController } from "./simulation.ts";

/**
 * Simulates a blue-green Rollout (argo-rollouts.readthedocs.io/en/stable/features/bluegreen).
 * The simulation assumes a promotion. Argo Rollouts switches the traffic when all Pods of the new
 * version are available.
 * It then scales down the old version after a delay. Earlier versions that still run are scaled
 * down in the same way.
 * An earlier version stays if its delay is longer than any deployment waits. Tested: with a delay
 * of 0 it stays forever.
 */
export function blueGreenController(
  spec: JsonObject,
  replicas: number,
  { next, stable, others }: RolloutVersions,
): SimulatedController {
  const strategy = at(spec, "strategy", "blueGreen");
  const preview = numberAt(strategy, "previewReplicaCount");
  const scaledDown = others.slice(0, Math.max(0, others.length - keptVersions(strategy)));
  const groups = [...others, ...(stable === undefined ? [] : [stable]), next];
  let isPreviewed = preview === undefined || stable === undefined;
  let isSwitched = stable === undefined;
  return {
    pods: () => groups.flatMap(({ pods }) => pods),
    reconcile(cluster) {
      const filled = groups.map((group) => fill(group, cluster)).some(Boolean);
      const changed = [
        stable !== undefined && resize(stable, isSwitched ? 0 : replicas, cluster),
        resize(next, isPreviewed ? replicas : (preview ?? replicas), cluster),
        isSwitched && others.map((group) => resize(group, 0, cluster)).some(Boolean),
      ].some(Boolean);
      if (changed || filled) return true;
      const isUp = countAvailable([next]) >= next.desired;
      if (!isUp) return scaledDown.map((group) => resize(group, 0, cluster)).some(Boolean);
      if (isSwitched) return false;
      if (isPreviewed) isSwitched = true;
      else isPreviewed = true;
      return true;
    },
    isComplete: () =>
      isSwitched &&
      next.desired === replicas &&
      countAvailable([next]) >= replicas &&
      countDesired(groups.filter((group) => group !== next)) === 0,
  };
}

/** Returns how many of the newest earlier versions keep their Pods. */
function keptVersions(strategy: Json | undefined): number {
  const delay = numberAt(strategy, "scaleDownDelaySeconds") ?? 30;
  const most = numberAt(strategy, "scaleDownDelayRevisionLimit") ?? Number.POSITIVE_INFINITY;
  return delay === 0 || delay >= maxWaitSeconds ? most : 0;
}

/**
 * A Rollout without progress for this time has failed (progressDeadlineSeconds).
 * A deployment doesn't wait longer either.
 */
const maxWaitSeconds = 600;
