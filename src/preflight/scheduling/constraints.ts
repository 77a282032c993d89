import { fieldOf } from "../../model/json.ts";
import type { PodShape, SpreadRule } from "./pod-shape.ts";
import type { SchedulingNode } from "./scheduling-node.ts";
import type { Obstacle, SimulatedPod } from "./simulated-cluster.ts";

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

interface SpreadContext {
  readonly nodes: readonly SchedulingNode[];
  readonly nodePods: (node: SchedulingNode) => ReadonlySet<SimulatedPod>;
  readonly isSelected: (shape: PodShape, node: SchedulingNode) => boolean;
  readonly isTainted: (shape: PodShape, node: SchedulingNode) => boolean;
  /**
   * Returns the cached counts of a rule, and makes them again only after Pods were placed or
   * removed.
   * Each rule belongs to one shape.
   */
  readonly remember: (rule: SpreadRule, count: () => DomainCounts) => DomainCounts;
}

export type DomainCounts = ReadonlyMap<string, number>;

/**
 * Returns an obstacle if spread constraints forbid the node.
 * Its domain would have too many more Pods than the emptiest one, or the node has no domain.
 */
export function spreadObstacle(
  shape: PodShape,
  node: SchedulingNode,
  context: SpreadContext,
): Obstacle | undefined {
  if (shape.spread.length === 0) return undefined;
  const isForbidden = shape.spread.some((rule) => {
    const domain = fieldOf(node.labels, rule.topologyKey);
    if (domain === undefined) return true;
    const counts = context.remember(rule, () => podsByDomain(shape, rule, context));
    const least = counts.size < rule.minDomains ? 0 : Math.min(...counts.values());
    const own = rule.selects(shape) ? 1 : 0;
    return (counts.get(domain) ?? 0) + own - least > rule.maxSkew;
  });
  return isForbidden ? { type: "spread" } : undefined;
}

/**
 * Counts the selected Pods in each domain.
 * Only nodes with the keys of all constraints count, and by default only nodes that the Pod's node
 * rules allow.
 */
function podsByDomain(
  shape: PodShape,
  rule: SpreadRule,
  { nodes, nodePods, isSelected, isTainted }: SpreadContext,
): DomainCounts {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    if (shape.spread.some(({ topologyKey }) => fieldOf(node.labels, topologyKey) === undefined))
      continue;
    if (rule.honorsAffinity && !isSelected(shape, node)) continue;
    if (rule.honorsTaints && isTainted(shape, node)) continue;
    const domain = fieldOf(node.labels, rule.topologyKey) ?? "";
    const selected = [...nodePods(node)].filter((pod) => rule.selects(pod.shape)).length;
    counts.set(domain, (counts.get(domain) ?? 0) + selected);
  }
  return counts;
}
