import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  numberAt,
  textAt,
} from "../../model/json.ts";
import type { SimulatedCluster } from "../scheduling/simulated-cluster.ts";
import { type RolloutBounds, rolloutBounds } from "./deployment-controller.ts";
import { countAvailable, countDesired, fill, type PodGroup, resize } from "./pod-group.ts";
import type { SimulatedController } from "./simulation.ts";

export interface RolloutVersions {
  /** The version of the new template. */
  readonly next: PodGroup;
  /** The last promoted version; undefined if there is none or if it is `next`. */
  readonly stable: PodGroup | undefined;
  /** Versions between `stable` and `next` that are being scaled down. */
  readonly others: readonly PodGroup[];
}

/**
 * Simulates a canary Rollout step by step (argo-rollouts.readthedocs.io/en/stable/features/canary).
 * The simulation assumes that pauses, analyses and experiments succeed, so that it also checks the
 * steps after them.
 */
export function canaryController(
  spec: JsonObject,
  replicas: number,
  versions: RolloutVersions,
  firstStep: number,
): SimulatedController {
  const canary = (at(spec, "strategy", "canary") ?? {}) as JsonObject;
  const bounds = rolloutBounds(canary, replicas, "25%");
  const full = fullWeight(canary);
  const routing = isObject(canary.trafficRouting)
    ? routedCounts(canary, replicas, full)
    : undefined;
  const steps = listAt(canary, "steps").slice(firstStep);
  const reached = listAt(canary, "steps")
    .slice(0, firstStep)
    .findLast((step) => numberAt(step, "setWeight") !== undefined);
  const { next, others } = versions;
  let { stable } = versions;
  let scale: Json | undefined;
  let weight =
    steps.length === 0 || stable === undefined ? full : (numberAt(reached, "setWeight") ?? 0);
  /**
   * The traffic weight of the canaries.
   * It changes only after all canaries of a step are available.
   */
  let traffic = numberAt(reached, "setWeight") ?? 0;

  function target(): CanaryCounts {
    if (stable === undefined) return { canary: replicas, stable: 0 };
    if (routing !== undefined) return routing(weight, scale, traffic);
    return countsForWeight(replicas, weight, bounds.surge);
  }

  function advance(goal: CanaryCounts): boolean {
    const isReached =
      hasEnoughAvailable(canary, next, goal.canary) &&
      (stable === undefined || stable.desired === goal.stable || routing !== undefined);
    if (!isReached) return false;
    const served = countAvailable([next]) > 0 ? weight : 0;
    if (routing !== undefined && traffic !== served) {
      if (!canServeRemaining(stable, served)) return false;
      traffic = served;
      return true;
    }
    const step = steps.shift();
    if (step === undefined && weight === full) return promote();
    if (step === undefined) {
      weight = full;
      scale = undefined;
      return true;
    }
    weight = numberAt(step, "setWeight") ?? weight;
    const scaling = at(step, "setCanaryScale");
    if (scaling !== undefined)
      scale = at(scaling, "matchTrafficWeight") === true ? undefined : scaling;
    return true;
  }

  /** Reports whether the available stable Pods can serve the remaining traffic. */
  function canServeRemaining(group: PodGroup | undefined, served: number): boolean {
    const least = Math.floor((replicas * (full - served)) / full);
    return group === undefined || countAvailable([group]) >= Math.min(least, group.desired);
  }

  /**
   * Makes the new version the stable one.
   * The previous stable version is scaled down, after a delay if a router splits the traffic.
   */
  function promote(): boolean {
    if (stable === undefined) return false;
    retired.push(stable);
    stable = undefined;
    return true;
  }

  const retired: PodGroup[] = [...others];
  const groups = () => [...retired, ...(stable === undefined ? [] : [stable]), next];
  return {
    pods: () => groups().flatMap(({ pods }) => pods),
    reconcile(cluster) {
      const filled = groups()
        .map((group) => fill(group, cluster))
        .some(Boolean);
      const goal = target();
      const changed =
        routing === undefined
          ? moveTowardGoal({ next, stable, others: retired }, goal, bounds, cluster)
          : scaleBoth({ next, stable, others: retired }, goal, cluster);
      return changed || filled || advance(goal);
    },
    isComplete: () =>
      stable === undefined &&
      next.desired === replicas &&
      countAvailable([next]) >= replicas &&
      countDesired(retired) === 0,
  };
}

/**
 * Reports whether all canaries are available, or as many as `replicaProgressThreshold` requires.
 */
function hasEnoughAvailable(canary: JsonObject, next: PodGroup, goal: number): boolean {
  const value = numberAt(canary, "replicaProgressThreshold", "value") ?? -1;
  const available = countAvailable([next]);
  if (value < 0) return available === goal && next.desired === goal;
  const isShare = textAt(canary, "replicaProgressThreshold", "type") === "Percentage";
  return isShare ? available * 100 >= value * goal : available >= value;
}

/** Returns the weight that stands for all traffic. A router can use another total than 100. */
function fullWeight(canary: JsonObject): number {
  return numberAt(canary, "trafficRouting", "maxTrafficWeight") ?? 100;
}

/**
 * Returns the rule for the numbers of Pods with traffic routing.
 * The stable version keeps all its Pods, unless `dynamicStableScale` is set. Then it has Pods for
 * its current or next weight, whichever is larger.
 */
function routedCounts(canary: JsonObject, replicas: number, full: number) {
  const isDynamic = canary.dynamicStableScale === true;
  const least = Math.min(numberAt(canary, "minPodsPerReplicaSet") ?? 0, replicas);
  const atLeast = (count: number) => (count === 0 ? 0 : Math.max(count, least));
  const podCount = (weight: number) => atLeast(podsForWeight(replicas, weight, full));
  return (weight: number, scale: Json | undefined, traffic: number): CanaryCounts => {
    const scaled = numberAt(scale, "replicas");
    const wanted = scaled === undefined ? (numberAt(scale, "weight") ?? weight) : 0;
    return {
      canary: scaled ?? podCount(wanted),
      stable: isDynamic ? podCount(full - Math.min(wanted, traffic)) : replicas,
    };
  };
}

function scaleBoth(
  { next, stable, others }: RolloutVersions,
  goal: CanaryCounts,
  cluster: SimulatedCluster,
): boolean {
  const changed = [
    stable !== undefined && resize(stable, goal.stable, cluster),
    resize(next, goal.canary, cluster),
    ...others.map((group) => resize(group, 0, cluster)),
  ];
  return changed.some(Boolean);
}

/**
 * Moves the numbers of Pods toward the goal.
 * Without traffic routing the number of Pods is the weight, so maxSurge and maxUnavailable limit
 * each change.
 */
function moveTowardGoal(
  { next, stable, others }: RolloutVersions,
  goal: CanaryCounts,
  { replicas, surge, unavailable }: RolloutBounds,
  cluster: SimulatedCluster,
): boolean {
  const all = [...others, ...(stable === undefined ? [] : [stable]), next];
  let room = replicas + surge - countDesired(all);
  const grow = (group: PodGroup, goalCount: number): boolean => {
    const more = Math.min(room, goalCount - group.desired);
    if (more <= 0) return false;
    room -= more;
    return resize(group, group.desired + more, cluster);
  };
  const grown = [stable !== undefined && grow(stable, goal.stable), grow(next, goal.canary)];
  if (grown.some(Boolean)) return true;
  const least = replicas - unavailable;
  if (countDesired(others) > 0)
    return scaleOthersDown(others, countAvailable(all) - least, cluster);
  const isGrowing = goal.canary >= next.desired;
  const counted = isGrowing
    ? Math.min(countAvailable([next]), next.desired) + (stable?.desired ?? 0)
    : next.desired + (stable === undefined ? 0 : countAvailable([stable]));
  const spare = counted - least;
  if (spare <= 0) return false;
  const drained = isGrowing ? stable : next;
  if (drained === undefined) return false;
  const lowest = isGrowing ? goal.stable : goal.canary;
  if (drained.desired <= lowest) return false;
  return resize(drained, Math.max(lowest, drained.desired - spare), cluster);
}

/** Scales down the other versions. Unavailable Pods don't count against the limit. */
function scaleOthersDown(
  others: readonly PodGroup[],
  spare: number,
  cluster: SimulatedCluster,
): boolean {
  let left = spare;
  let changed = false;
  for (const group of others) {
    const broken = group.desired - countAvailable([group]);
    const healthy = Math.min(Math.max(left, 0), group.desired - broken);
    if (broken + healthy === 0) continue;
    changed = resize(group, group.desired - broken - healthy, cluster) || changed;
    left -= healthy;
  }
  return changed;
}

/** The numbers of Pods of the new version and of the stable version. */
interface CanaryCounts {
  readonly canary: number;
  readonly stable: number;
}

/**
 * Returns the numbers of Pods that come closest to a weight from 0 to 100.
 * Argo Rollouts uses this rule if no router splits the traffic. With a surge, the total can be one
 * Pod above `replicas`.
 * For weights from 1 to 99, each version keeps at least one Pod.
 */
function countsForWeight(replicas: number, weight: number, surge: number): CanaryCounts {
  if (replicas === 0) return { canary: 0, stable: 0 };
  const exact = (replicas * weight) / 100;
  const [below, above] = [Math.floor(exact), Math.ceil(exact)];
  const isEnd = weight === 0 || weight === 100;
  const mayBeNone = isEnd || (replicas === 1 && surge === 0);
  const isBelowAllowed = below > 0 || mayBeNone;
  const options = [
    ...(above < replicas || mayBeNone ? [{ canary: above, total: replicas }] : []),
    ...(isBelowAllowed && !isHalf(exact) ? [{ canary: below, total: replicas }] : []),
    ...(surge > 0 ? [{ canary: above, total: replicas + 1 }] : []),
    ...(surge > 0 && isBelowAllowed && !isHalf(((replicas + 1) * weight) / 100)
      ? [{ canary: below, total: replicas + 1 }]
      : []),
  ];
  const distance = ({ canary, total }: (typeof options)[number]) =>
    Math.abs((canary * 100) / total - weight);
  // If several options are equally close, the first one wins.
  const [best = { canary: 0, total: replicas }] = options.toSorted(
    (a, b) => distance(a) - distance(b),
  );
  return { canary: best.canary, stable: best.total - best.canary };
}

function isHalf(value: number): boolean {
  return value % 1 === 0.5;
}

/**
 * Returns the number of Pods of one version if a router splits the traffic.
 * It is the version's share of the replicas, rounded up.
 */
function podsForWeight(replicas: number, weight: number, full: number): number {
  return Math.ceil((weight * replicas) / full);
}
