import { at, type Json, type JsonObject, numberAt } from "../../model/json.ts";
import type { RolloutVersions } from "./canary.ts";
import { availableIn, desiredIn, fill, resize } from "./group.ts";
import type { Controller } from "./simulate.ts";

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
): Controller {
  const strategy = at(spec, "strategy", "blueGreen");
  const preview = numberAt(strategy, "previewReplicaCount");
  const leaving = others.slice(0, Math.max(0, others.length - kept(strategy)));
  const groups = [...others, ...(stable === undefined ? [] : [stable]), next];
  let isPreviewed = preview === undefined || stable === undefined;
  let isSwitched = stable === undefined;
  return {
    pods: () => groups.flatMap(({ pods }) => pods),
    reconcile(board) {
      const filled = groups.map((group) => fill(group, board)).some(Boolean);
      const changed = [
        stable !== undefined && resize(stable, isSwitched ? 0 : replicas, board),
        resize(next, isPreviewed ? replicas : (preview ?? replicas), board),
        isSwitched && others.map((group) => resize(group, 0, board)).some(Boolean),
      ].some(Boolean);
      if (changed || filled) return true;
      const isUp = availableIn([next]) >= next.desired;
      if (!isUp) return leaving.map((group) => resize(group, 0, board)).some(Boolean);
      if (isSwitched) return false;
      if (isPreviewed) isSwitched = true;
      else isPreviewed = true;
      return true;
    },
    isComplete: () =>
      isSwitched &&
      next.desired === replicas &&
      availableIn([next]) >= replicas &&
      desiredIn(groups.filter((group) => group !== next)) === 0,
  };
}

/** Returns how many of the newest earlier versions keep their Pods. */
function kept(strategy: Json | undefined): number {
  const delay = numberAt(strategy, "scaleDownDelaySeconds") ?? 30;
  const most = numberAt(strategy, "scaleDownDelayRevisionLimit") ?? Number.POSITIVE_INFINITY;
  return delay === 0 || delay >= patienceSeconds ? most : 0;
}

/**
 * A Rollout without progress for this time has failed (progressDeadlineSeconds).
 * A deployment doesn't wait longer either.
 */
const patienceSeconds = 600;
