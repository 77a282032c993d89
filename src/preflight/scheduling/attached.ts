import type { SchedulingNode } from "./node.ts";

/** A volume that a driver attaches to the node of each Pod that uses it. */
export interface AttachedVolume {
  /** As CSINodes call it. */
  readonly driver: string;
  /** Pods of one node that name the same claim share it; undefined of one that each Pod has for itself. */
  readonly key: string | undefined;
}

interface Holder {
  readonly shape: { readonly attached: readonly AttachedVolume[] };
}

/**
 * The driver that can attach no more volumes to this node for one more Pod; undefined where there is none. A driver says itself how many
 * it can (kubernetes.io/docs/concepts/storage/storage-limits/#dynamic-volume-limits).
 */
export function exhaustedDriver(
  { attached }: Holder["shape"],
  { attachable }: SchedulingNode,
  pods: Iterable<Holder>,
): string | undefined {
  const limited = attached.filter(({ driver }) => attachable.has(driver));
  if (limited.length === 0) return undefined;
  const present = [...pods].flatMap(({ shape }) => shape.attached);
  return limited.find(({ driver }) => {
    const before = countOf(present, driver);
    const after = countOf([...present, ...attached], driver);
    return after > before && after > (attachable.get(driver) ?? 0);
  })?.driver;
}

function countOf(volumes: readonly AttachedVolume[], driver: string): number {
  const own = volumes.filter((each) => each.driver === driver);
  const shared = own.flatMap(({ key }) => key ?? []);
  return own.length - shared.length + new Set(shared).size;
}
