import type { PodShape } from "../scheduling/pod-shape.ts";
import type { SimulatedCluster, SimulatedPod } from "../scheduling/simulated-cluster.ts";

/** A Pod of the workload that is rolled out. */
export interface WorkloadPod extends SimulatedPod {
  /** True if the Pod runs but isn't ready, and nothing shows that it will become ready. */
  readonly isBroken: boolean;
  /**
   * The annotation controller.kubernetes.io/pod-deletion-cost; 0 if it isn't set.
   * Among equal Pods, the one with the lowest cost is removed first.
   */
  readonly cost?: number;
}

/**
 * An assumption about which of several equal Pods a ReplicaSet removes first.
 * With good luck, a new Pod fits in the place of the removed Pod.
 */
interface RemovalLuck {
  readonly isGood: boolean;
  /** The shape of the new Pods. */
  readonly shape: PodShape;
}

/** The Pods of one version: those of a ReplicaSet, or of a stand-in for one. */
export interface PodGroup {
  readonly shape: PodShape;
  readonly owner: string;
  desired: number;
  readonly pods: WorkloadPod[];
  /** The size of the workload when its controller last scaled this group. */
  readonly scaledSize?: { readonly replicas: number; readonly most: number } | undefined;
  /** Without an assumption, the first Pod of the list is removed. */
  luck?: RemovalLuck | undefined;
}

export function newGroup(shape: PodShape, owner: string): PodGroup {
  return { shape, owner, desired: 0, pods: [] };
}

export function isAvailable(pod: WorkloadPod): boolean {
  return pod.node !== undefined && !pod.isBroken;
}

export function countAvailable(groups: readonly PodGroup[]): number {
  return groups.reduce((sum, { pods }) => sum + pods.filter(isAvailable).length, 0);
}

export function countDesired(groups: readonly PodGroup[]): number {
  return groups.reduce((sum, { desired }) => sum + desired, 0);
}

/**
 * Sets the desired number of Pods, creates missing Pods and removes surplus ones.
 * Reports whether anything changed.
 */
export function resize(group: PodGroup, desired: number, cluster: SimulatedCluster): boolean {
  const isChanged = group.desired !== desired;
  group.desired = desired;
  return fill(group, cluster) || isChanged;
}

export function fill(group: PodGroup, cluster: SimulatedCluster): boolean {
  const { pods, shape, owner, desired } = group;
  const missing = desired - pods.length;
  for (let i = 0; i < missing; i++) pods.push({ shape, owner, node: undefined, isBroken: false });
  if (missing < 0) removeSurplus(group, -missing, cluster);
  return missing !== 0;
}

interface Ranked {
  readonly pod: WorkloadPod;
  readonly rank: readonly number[];
}

/**
 * Removes surplus Pods.
 * A ReplicaSet ranks its Pods once and then removes all surplus Pods (`getPodsToDelete` of its
 * controller).
 */
function removeSurplus(group: PodGroup, count: number, cluster: SimulatedCluster): void {
  let ranked = group.pods
    .map((pod): Ranked => ({ pod, rank: removalRank(pod, group, cluster) }))
    .toSorted((a, b) => compareRanks(a.rank, b.rank));
  for (let i = 0; i < count; i++) {
    const first = chooseRemoved(ranked, group, cluster);
    if (first === undefined) return;
    ranked = ranked.filter(({ pod }) => pod !== first);
    removePod(group, first, cluster);
  }
}

function removePod({ pods }: PodGroup, pod: WorkloadPod, cluster: SimulatedCluster): void {
  cluster.remove(pod);
  pods.splice(pods.indexOf(pod), 1);
}

function chooseRemoved(
  [first, ...others]: readonly Ranked[],
  { luck }: PodGroup,
  cluster: SimulatedCluster,
): WorkloadPod | undefined {
  if (first === undefined || luck === undefined) return first?.pod;
  const equal = [first, ...others].filter(({ rank }) => compareRanks(rank, first.rank) === 0);
  return (equal.find(({ pod }) => freesPlace(pod, luck, cluster) === luck.isGood) ?? first).pod;
}

/** Reports whether a new Pod would fit in the place of this Pod. */
function freesPlace(pod: WorkloadPod, { shape }: RemovalLuck, cluster: SimulatedCluster): boolean {
  const { node } = pod;
  if (node === undefined) return false;
  cluster.remove(pod);
  const fits = cluster.obstacle(shape, node) === undefined;
  cluster.place(pod, node);
  return fits;
}

/**
 * Returns the rank of a Pod for removal; a ReplicaSet removes the lowest rank first.
 * The order is: Pods without a node, Pods that aren't ready, lowest deletion cost, node with the
 * most Pods of the workload.
 * Ties depend on rounded times and uids, so the simulation treats them as random.
 */
function removalRank(
  pod: WorkloadPod,
  { owner }: PodGroup,
  cluster: SimulatedCluster,
): readonly number[] {
  const { node, isBroken, cost = 0 } = pod;
  if (node === undefined) return [0];
  const alike = [...cluster.nodePods(node)].filter((other) => other.owner === owner).length;
  return [isBroken ? 1 : 2, cost, -alike];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((value, index) => value !== b[index]);
  return differing < 0 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0);
}

/** Resolves a number or a percentage such as `25%`. */
export function resolveShare(
  value: unknown,
  total: number,
  round: (share: number) => number,
): number {
  if (typeof value === "number") return value;
  const [, percent] = /^(\d+)%$/.exec(typeof value === "string" ? value : "") ?? [];
  return percent === undefined ? 0 : round((Number(percent) * total) / 100);
}
