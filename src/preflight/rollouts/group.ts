import type { Board, SimulatedPod } from "../scheduling/board.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";

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
interface Luck {
  readonly isGood: boolean;
  /** The shape of the new Pods. */
  readonly shape: PodShape;
}

/** The Pods of one version: those of a ReplicaSet, or of a stand-in for one. */
export interface Group {
  readonly shape: PodShape;
  readonly owner: string;
  desired: number;
  readonly pods: WorkloadPod[];
  /** The size of the workload when its controller last scaled this group. */
  readonly scaledFor?: { readonly replicas: number; readonly most: number } | undefined;
  /** Without an assumption, the first Pod of the list is removed. */
  luck?: Luck | undefined;
}

export function newGroup(shape: PodShape, owner: string): Group {
  return { shape, owner, desired: 0, pods: [] };
}

export function isAvailable(pod: WorkloadPod): boolean {
  return pod.node !== undefined && !pod.isBroken;
}

export function availableIn(groups: readonly Group[]): number {
  return groups.reduce((sum, { pods }) => sum + pods.filter(isAvailable).length, 0);
}

export function desiredIn(groups: readonly Group[]): number {
  return groups.reduce((sum, { desired }) => sum + desired, 0);
}

/**
 * Sets the desired number of Pods, creates missing Pods and removes surplus ones.
 * Reports whether anything changed.
 */
export function resize(group: Group, desired: number, board: Board): boolean {
  const isChanged = group.desired !== desired;
  group.desired = desired;
  return fill(group, board) || isChanged;
}

export function fill(group: Group, board: Board): boolean {
  const { pods, shape, owner, desired } = group;
  const missing = desired - pods.length;
  for (let i = 0; i < missing; i++) pods.push({ shape, owner, node: undefined, isBroken: false });
  if (missing < 0) removeSurplus(group, -missing, board);
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
function removeSurplus(group: Group, count: number, board: Board): void {
  let ranked = group.pods
    .map((pod): Ranked => ({ pod, rank: rankOf(pod, group, board) }))
    .toSorted((a, b) => compareRanks(a.rank, b.rank));
  for (let i = 0; i < count; i++) {
    const first = firstToLeave(ranked, group, board);
    if (first === undefined) return;
    ranked = ranked.filter(({ pod }) => pod !== first);
    removePod(group, first, board);
  }
}

function removePod({ pods }: Group, pod: WorkloadPod, board: Board): void {
  board.remove(pod);
  pods.splice(pods.indexOf(pod), 1);
}

function firstToLeave(
  [first, ...others]: readonly Ranked[],
  { luck }: Group,
  board: Board,
): WorkloadPod | undefined {
  if (first === undefined || luck === undefined) return first?.pod;
  const equal = [first, ...others].filter(({ rank }) => compareRanks(rank, first.rank) === 0);
  return (equal.find(({ pod }) => isUseful(pod, luck, board) === luck.isGood) ?? first).pod;
}

/** Reports whether a new Pod would fit in the place of this Pod. */
function isUseful(pod: WorkloadPod, { shape }: Luck, board: Board): boolean {
  const { node } = pod;
  if (node === undefined) return false;
  board.remove(pod);
  const fits = board.obstacle(shape, node) === undefined;
  board.place(pod, node);
  return fits;
}

/**
 * Returns the rank of a Pod for removal; a ReplicaSet removes the lowest rank first.
 * The order is: Pods without a node, Pods that aren't ready, lowest deletion cost, node with the
 * most Pods of the workload.
 * Ties depend on rounded times and uids, so the simulation treats them as random.
 */
function rankOf(pod: WorkloadPod, { owner }: Group, board: Board): readonly number[] {
  const { node, isBroken, cost = 0 } = pod;
  if (node === undefined) return [0];
  const alike = [...board.podsOn(node)].filter((other) => other.owner === owner).length;
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
