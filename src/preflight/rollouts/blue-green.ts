import { at, type JsonObject, numberAt } from "../../model/json.ts";
import type { RolloutVersions } from "./canary.ts";
import { availableIn, desiredIn, fill, resize } from "./group.ts";
import type { Controller } from "./simulate.ts";

/**
 * What Argo Rollouts does with two colours (argo-rollouts.readthedocs.io/en/stable/features/bluegreen): the new one comes up whole before
 * the traffic is switched, whether somebody promotes it or not, and the old one leaves after a delay. A colour of before that is still up
 * stays meanwhile: with a delay of 0, too, as tried.
 */
export function blueGreenController(
  spec: JsonObject,
  replicas: number,
  { next, stable, others }: RolloutVersions,
): Controller {
  const strategy = at(spec, "strategy", "blueGreen");
  const preview = numberAt(strategy, "previewReplicaCount");
  const groups = [...others, ...(stable === undefined ? [] : [stable]), next];
  let isPreviewed = preview === undefined || stable === undefined;
  let isSwitched = stable === undefined;
  return {
    pods: () => groups.flatMap(({ pods }) => pods),
    reconcile(board) {
      const filled = groups.map((group) => fill(group, board)).some(Boolean);
      const kept = isSwitched ? 0 : replicas;
      const changed = [
        stable !== undefined && resize(stable, kept, board),
        resize(next, isPreviewed ? replicas : (preview ?? replicas), board),
        isSwitched && others.map((group) => resize(group, 0, board)).some(Boolean),
      ].some(Boolean);
      if (changed || filled) return true;
      const isUp = availableIn([next]) >= next.desired;
      if (!isUp || isSwitched) return false;
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
