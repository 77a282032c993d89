import type { SchedulingNode } from "./scheduling-node.ts";

/** A volume that a driver attaches to the node of each Pod that uses it. */
export interface AttachedVolume {
  /** The name of the driver in CSINodes. */
  readonly driver: string;
  /** The claim, which Pods on one node share; undefined for the volume of a single Pod. */
  readonly key: string | undefined;
}

interface VolumeUser {
  readonly shape: { readonly attached: readonly AttachedVolume[] };
}

/**
 * Returns the driver that can't attach the volumes of one more Pod to this node; undefined if all
 * can.
 * A driver reports its own limit
 * (kubernetes.io/docs/concepts/storage/storage-limits/#dynamic-volume-limits).
 */
export function exhaustedDriver(
  { attached }: VolumeUser["shape"],
  { attachable }: SchedulingNode,
  pods: Iterable<VolumeUser>,
): string | undefined {
  const limited = attached.filter(({ driver }) => attachable.has(driver));
  if (limited.length === 0) return undefined;
  const present = [...pods].flatMap(({ shape }) => shape.attached);
  return limited.find(({ driver }) => {
    const before = countVolumes(present, driver);
    const after = countVolumes([...present, ...attached], driver);
    return after > before && after > (attachable.get(driver) ?? 0);
  })?.driver;
}

function countVolumes(volumes: readonly AttachedVolume[], driver: string): number {
  const own = volumes.filter((each) => each.driver === driver);
  const shared = own.flatMap(({ key }) => key ?? []);
  return own.length - shared.length + new Set(shared).size;
}
