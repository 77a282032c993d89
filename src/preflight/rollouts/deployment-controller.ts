import { at, type JsonObject, textAt } from "../../model/json.ts";
import type { SimulatedCluster } from "../scheduling/simulated-cluster.ts";
import {
  countAvailable,
  countDesired,
  fill,
  type PodGroup,
  resize,
  resolveShare,
} from "./pod-group.ts";
import type { SimulatedController } from "./simulation.ts";

/** The versions of a workload that has ReplicaSets. */
export interface DeploymentVersions {
  /** The version of the new template; without Pods if it is new. */
  readonly next: PodGroup;
  /** The versions of earlier templates, oldest first. */
  readonly previous: readonly PodGroup[];
}

export interface RolloutBounds {
  readonly replicas: number;
  readonly surge: number;
  readonly unavailable: number;
}

/** Returns how many Pods more and fewer than `replicas` are allowed, rounded as Kubernetes does. */
export function rolloutBounds(
  strategy: JsonObject,
  replicas: number,
  fallback: string,
): RolloutBounds {
  const surge = resolveShare(strategy.maxSurge ?? fallback, replicas, Math.ceil);
  const unavailable = resolveShare(strategy.maxUnavailable ?? fallback, replicas, Math.floor);
  // If both are 0, no rollout could ever progress.
  return { replicas, surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/**
 * Simulates the Deployment controller
 * (kubernetes.io/docs/concepts/workloads/controllers/deployment).
 */
export function deploymentController(
  spec: JsonObject,
  replicas: number,
  versions: DeploymentVersions,
): SimulatedController {
  const recreates = textAt(spec, "strategy", "type") === "Recreate";
  const rolling = at(spec, "strategy", "rollingUpdate");
  const bounds = rolloutBounds((rolling ?? {}) as JsonObject, replicas, "25%");
  const { next, previous } = versions;
  const all = [...previous, next];
  let isScaled = false;
  return {
    pods: () => all.flatMap(({ pods }) => pods),
    reconcile(cluster) {
      if (!isScaled) {
        isScaled = true;
        if (scaleActive(versions, bounds, cluster)) return true;
      }
      const filled = all.map((group) => fill(group, cluster)).some(Boolean);
      const changed = recreates
        ? recreate(versions, bounds, cluster)
        : roll(versions, bounds, cluster);
      return changed || filled;
    },
    isComplete: () =>
      next.desired === replicas &&
      countAvailable([next]) >= replicas &&
      countDesired(previous) === 0,
  };
}

/** Applies a new number of replicas to the running versions before the rollout starts. */
function scaleActive(
  { next, previous }: DeploymentVersions,
  { replicas, surge }: RolloutBounds,
  cluster: SimulatedCluster,
): boolean {
  const active = [...previous, next].filter(({ desired }) => desired > 0);
  const [only] = active;
  if (only === undefined) return false;
  if (active.length === 1) return resize(only, replicas, cluster);
  const isScaled = active.some(({ scaledSize }) => (scaledSize?.replicas ?? replicas) !== replicas);
  return isScaled && scaleInProportion(active, replicas === 0 ? 0 : replicas + surge, cluster);
}

/**
 * Distributes the new size in proportion, the largest version first.
 * Among equal versions, the newer is first when scaling up, and the older when scaling down. The
 * first one gets the remainder.
 */
function scaleInProportion(
  active: readonly PodGroup[],
  allowed: number,
  cluster: SimulatedCluster,
): boolean {
  const change = allowed - countDesired(active);
  const byAge = change > 0 ? active.toReversed() : active;
  const sorted = byAge.toSorted((a, b) => b.desired - a.desired);
  const toward = change > 0 ? Math.min : Math.max;
  let left = change;
  const sizes = sorted.map(({ desired, scaledSize }) => {
    const share = Math.round((desired * allowed) / (scaledSize?.most ?? countDesired(active)));
    const own = left === 0 ? 0 : toward(share - desired, left);
    left -= own;
    return desired + own;
  });
  return sorted
    .map((group, index) =>
      resize(group, Math.max(0, (sizes[index] ?? 0) + (index === 0 ? left : 0)), cluster),
    )
    .some(Boolean);
}

function recreate(
  { next, previous }: DeploymentVersions,
  { replicas }: RolloutBounds,
  cluster: SimulatedCluster,
): boolean {
  if (countDesired(previous) > 0) {
    for (const group of previous) resize(group, 0, cluster);
    return true;
  }
  return resize(next, replicas, cluster);
}

function roll(
  versions: DeploymentVersions,
  bounds: RolloutBounds,
  cluster: SimulatedCluster,
): boolean {
  return scaleUp(versions, bounds, cluster) || scaleDown(versions, bounds, cluster);
}

function scaleUp(
  { next, previous }: DeploymentVersions,
  { replicas, surge }: RolloutBounds,
  cluster: SimulatedCluster,
): boolean {
  if (next.desired >= replicas) return resize(next, replicas, cluster);
  const room = replicas + surge - countDesired([...previous, next]);
  const more = Math.min(room, replicas - next.desired);
  return more > 0 && resize(next, next.desired + more, cluster);
}

/**
 * Scales down previous versions.
 * Unavailable Pods are removed first, because their removal doesn't reduce availability.
 */
function scaleDown(
  { next, previous }: DeploymentVersions,
  { replicas, unavailable }: RolloutBounds,
  cluster: SimulatedCluster,
): boolean {
  const least = replicas - unavailable;
  const all = [...previous, next];
  const newUnavailable = next.desired - countAvailable([next]);
  const budget = countDesired(all) - least - newUnavailable;
  if (countDesired(previous) === 0 || budget <= 0) return false;
  const cleaned = scaleDownOldest(
    previous,
    budget,
    cluster,
    (group) => group.desired - countAvailable([group]),
  );
  const spare = countAvailable(all) - least;
  const taken = spare > 0 ? scaleDownOldest(previous, spare, cluster, ({ desired }) => desired) : 0;
  return cleaned + taken > 0;
}

/**
 * Removes Pods from the oldest version on, at most `maxRemoved` from each.
 * Returns how many it removed.
 */
function scaleDownOldest(
  groups: readonly PodGroup[],
  budget: number,
  cluster: SimulatedCluster,
  maxRemoved: (group: PodGroup) => number,
): number {
  let left = budget;
  for (const group of groups) {
    const count = Math.min(left, maxRemoved(group), group.desired);
    if (count <= 0) continue;
    resize(group, group.desired - count, cluster);
    left -= count;
  }
  return budget - left;
}
