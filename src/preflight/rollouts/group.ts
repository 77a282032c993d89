import type { Board, SimulatedPod } from "../scheduling/board.ts";
import type { PodShape } from "../scheduling/pod-shape.ts";

/** A Pod of the workload that is rolled out. */
export interface WorkloadPod extends SimulatedPod {
  /** It runs but is not ready, and nothing tells that it will be. */
  readonly isBroken: boolean;
}

/** Pods of one version: a ReplicaSet, or what stands for one. */
export interface Group {
  readonly shape: PodShape;
  readonly owner: string;
  desired: number;
  readonly pods: WorkloadPod[];
  /** For which size of its workload a controller has last scaled it. */
  readonly scaledFor?: { readonly replicas: number; readonly most: number } | undefined;
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

/** A ReplicaSet removes what runs nowhere first, then what is not ready, then from the node where most of its Pods are. */
export function fill(group: Group, board: Board): boolean {
  const { pods, shape, owner, desired } = group;
  const missing = desired - pods.length;
  for (let i = 0; i < missing; i++) pods.push({ shape, owner, node: undefined, isBroken: false });
  for (let i = 0; i < -missing; i++) {
    const [first] = pods.toSorted((a, b) => rank(a, group, board) - rank(b, group, board));
    if (first !== undefined) removePod(group, first, board);
  }
  return missing !== 0;
}

function removePod({ pods }: Group, pod: WorkloadPod, board: Board): void {
  board.remove(pod);
  pods.splice(pods.indexOf(pod), 1);
}

function rank(pod: WorkloadPod, { owner }: Group, board: Board): number {
  if (pod.node === undefined) return -2_000_000;
  if (pod.isBroken) return -1_000_000;
  return -[...board.podsOn(pod.node)].filter((other) => other.owner === owner).length;
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
