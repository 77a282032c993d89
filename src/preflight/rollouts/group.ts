import type { Board, SimulatedPod } from "../scheduling/board.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";

/** A Pod of the workload that is rolled out. */
export interface WorkloadPod extends SimulatedPod {
  /** It runs but is not ready, and nothing tells that it will be. */
  readonly isBroken: boolean;
  /** Of equal Pods the one with the lowest leaves first (controller.kubernetes.io/pod-deletion-cost); 0 where nothing is said. */
  readonly cost?: number;
}

/** Which of several Pods leaves that a ReplicaSet takes for equal: one whose place new Pods may take, or one whose place they can't. */
interface Luck {
  readonly isGood: boolean;
  /** Of the new Pods. */
  readonly shape: PodShape;
}

/** Pods of one version: a ReplicaSet, or what stands for one. */
export interface Group {
  readonly shape: PodShape;
  readonly owner: string;
  desired: number;
  readonly pods: WorkloadPod[];
  /** For which size of its workload a controller has last scaled it. */
  readonly scaledFor?: { readonly replicas: number; readonly most: number } | undefined;
  /** Where nothing is assumed the first of the list leaves. */
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

/** Sets how many Pods there are to be, creates those that are missing and removes what is too many. Whether anything changed. */
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

/** A ReplicaSet ranks its Pods once, and then removes all that are too many (`getPodsToDelete` of its controller). */
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

/** Whether a new Pod could be where this one is. */
function isUseful(pod: WorkloadPod, { shape }: Luck, board: Board): boolean {
  const { node } = pod;
  if (node === undefined) return false;
  board.remove(pod);
  const fits = board.obstacle(shape, node) === undefined;
  board.place(pod, node);
  return fits;
}

/**
 * A ReplicaSet removes what runs nowhere first, then what is not ready, then what costs least, then from the node where most Pods of its
 * workload are. Which is next depends on times that it rounds, and on uids: that is chance.
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

/** A number, or a share of all as in `25%`. */
export function resolveShare(
  value: unknown,
  total: number,
  round: (share: number) => number,
): number {
  if (typeof value === "number") return value;
  const [, percent] = /^(\d+)%$/.exec(typeof value === "string" ? value : "") ?? [];
  return percent === undefined ? 0 : round((Number(percent) * total) / 100);
}
