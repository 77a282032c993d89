import { fieldOf } from "../../model/json.ts";
import { type DomainCounts, exhaustedDriver, spreadObstacle } from "./constraints.ts";
import type { AffinityTerm, HostPort, PodShape, SpreadRule } from "./pod-shape.ts";
import {
  isAllowedNode,
  matchesNodeRules,
  type SchedulingNode,
  untoleratedTaint,
} from "./scheduling-node.ts";
import { createVolumeAssignments } from "./volume-assignments.ts";

/** A Pod in the simulation, with its owner and its node. */
export interface SimulatedPod {
  readonly shape: PodShape;
  /**
   * The key of the object that controls it in the end, or another name if the plan doesn't contain
   * that.
   */
  readonly owner: string;
  /** The node; undefined while the Pod is pending. */
  node: SchedulingNode | undefined;
}

/** The reason why a node can't take a Pod. */
export type Obstacle =
  | {
      readonly type:
        | "not chosen"
        | "tainted"
        | "affinity"
        | "spread"
        | "claim"
        | "volume"
        | "host port";
    }
  | { readonly type: "room"; readonly resource: string }
  | { readonly type: "attachments"; readonly driver: string }
  /** The term belongs to the new Pod itself, or to a Pod that runs on the node. */
  | {
      readonly type: "anti-affinity";
      readonly of: "new" | "running";
      readonly topologyKey: string;
    };

/**
 * The nodes of the simulation and the Pods on them.
 * It changes when Pods are placed and removed.
 */
export interface SimulatedCluster {
  readonly nodes: readonly SchedulingNode[];
  /** Returns all Pods on a node. */
  nodePods(node: SchedulingNode): ReadonlySet<SimulatedPod>;
  place(pod: SimulatedPod, node: SchedulingNode): void;
  remove(pod: SimulatedPod): void;
  /**
   * Starts a trial, and returns a function that ends it after all its Pods are removed.
   * That function forgets the volumes that belong to these Pods only.
   */
  startVolumeTrial(): () => void;
  /** Returns the obstacle; undefined if the node can take the Pod now. */
  obstacle(shape: PodShape, node: SchedulingNode): Obstacle | undefined;
  /**
   * Returns the free share of the scarcest resource after the Pod is placed there, from 0 to 1.
   */
  freeShare(shape: PodShape, node: SchedulingNode): number;
}

export function createSimulatedCluster(nodes: readonly SchedulingNode[]): SimulatedCluster {
  const pods = new Map(nodes.map((node) => [node, new Set<SimulatedPod>()]));
  const used = new Map(nodes.map((node) => [node, new Map<string, number>()]));
  const terms = countTerms(pods);
  const volumes = createVolumeAssignments();
  const spreadCounts = new Map<SpreadRule, DomainCounts>();
  const chosen = memoizeByNode((shape: PodShape, node) => isAllowedNode(shape, node));
  const selected = memoizeByNode((shape: PodShape, node) => matchesNodeRules(shape, node));
  const tainted = memoizeByNode(
    (shape: PodShape, node) => untoleratedTaint(shape, node) !== undefined,
  );
  const nodePods = (node: SchedulingNode) => pods.get(node) ?? new Set<SimulatedPod>();

  function count(pod: SimulatedPod, node: SchedulingNode, by: 1 | -1): void {
    const amounts = used.get(node);
    for (const [name, amount] of pod.shape.requests) {
      amounts?.set(name, (amounts.get(name) ?? 0) + by * amount);
    }
    terms.count(pod.shape, node, by);
    spreadCounts.clear();
  }

  function remember(rule: SpreadRule, make: () => DomainCounts): DomainCounts {
    const counts = spreadCounts.get(rule) ?? make();
    spreadCounts.set(rule, counts);
    return counts;
  }

  function missingResource({ requests }: PodShape, node: SchedulingNode): string | undefined {
    const taken = used.get(node);
    for (const [name, amount] of requests) {
      if (amount === 0) continue;
      // Sums of fractions aren't exact.
      const free = (node.allocatable.get(name) ?? 0) - (taken?.get(name) ?? 0);
      if (amount > free * (1 + 1e-9) + 1e-9) return name;
    }
    return undefined;
  }

  function obstacle(shape: PodShape, node: SchedulingNode): Obstacle | undefined {
    if (!chosen(shape, node)) return { type: "not chosen" };
    if (tainted(shape, node)) return { type: "tainted" };
    const resource = missingResource(shape, node);
    if (resource !== undefined) return { type: "room", resource };
    if (hasPortConflict(shape.hostPorts, nodePods(node))) return { type: "host port" };
    // A Pod that names its node bypasses the scheduler, and a kubelet doesn't check the following
    // rules.
    if (shape.nodeName !== undefined) return undefined;
    if (isExclusiveClaimInUse(shape, pods)) return { type: "claim" };
    if (!volumes.hasFor(shape, node)) return { type: "volume" };
    const driver = exhaustedDriver(shape, node, nodePods(node));
    if (driver !== undefined) return { type: "attachments", driver };
    return (
      terms.obstacle(shape, node) ??
      spreadObstacle(shape, node, {
        nodes,
        nodePods,
        remember,
        isSelected: selected,
        isTainted: tainted,
      })
    );
  }

  return {
    nodes,
    nodePods,
    place(pod, node) {
      pod.node = node;
      pods.get(node)?.add(pod);
      volumes.assign(pod, node);
      count(pod, node, 1);
    },
    remove(pod) {
      if (pod.node === undefined) return;
      pods.get(pod.node)?.delete(pod);
      volumes.release(pod);
      count(pod, pod.node, -1);
      pod.node = undefined;
    },
    startVolumeTrial: volumes.rememberSpent,
    obstacle,
    freeShare({ requests }, node) {
      const taken = used.get(node);
      const shares = [...requests].map(([name, amount]) => {
        const all = node.allocatable.get(name) ?? 0;
        return all === 0 ? 1 : (all - (taken?.get(name) ?? 0) - amount) / all;
      });
      return Math.min(1, ...shares);
    },
  };
}

type PodsByNode = ReadonlyMap<SchedulingNode, ReadonlySet<SimulatedPod>>;

function hasPortConflict(ports: readonly HostPort[], pods: ReadonlySet<SimulatedPod>): boolean {
  if (ports.length === 0) return false;
  const taken = [...pods].flatMap(({ shape }) => shape.hostPorts);
  return ports.some((port) => taken.some((other) => isSamePort(port, other)));
}

/**
 * Reports whether two host ports conflict.
 * A port without an address is used on all addresses; `::` has no special meaning to the scheduler.
 */
function isSamePort(a: HostPort, b: HostPort): boolean {
  const everywhere = "0.0.0.0";
  return (
    a.port === b.port &&
    a.protocol === b.protocol &&
    (a.ip === b.ip || a.ip === everywhere || b.ip === everywhere)
  );
}

function isExclusiveClaimInUse(
  { exclusiveClaims, namespace }: PodShape,
  pods: PodsByNode,
): boolean {
  if (exclusiveClaims.length === 0) return false;
  const running = [...pods.values()].flatMap((each) => [...each]);
  return running.some(
    ({ shape }) =>
      shape.namespace === namespace &&
      shape.exclusiveClaims.some((claim) => exclusiveClaims.includes(claim)),
  );
}

/** The Pods that a term selects and the Pods that have the term, counted in each domain. */
interface TermCount {
  readonly selected: Map<string, number>;
  readonly held: Map<string, number>;
}

/** Counts Pods by term, and caches each count so that further questions are fast. */
function countTerms(pods: PodsByNode) {
  const counts = new Map<AffinityTerm, TermCount>();
  const shapes = new Set<PodShape>();
  for (const set of pods.values()) for (const { shape } of set) shapes.add(shape);
  const opposingTerms = new Map<PodShape, readonly AffinityTerm[]>();

  function termCount(term: AffinityTerm): TermCount {
    const known = counts.get(term);
    if (known !== undefined) return known;
    const count: TermCount = { selected: new Map(), held: new Map() };
    for (const [node, set] of pods) {
      for (const { shape } of set) countPod(term, count, shape, node, 1);
    }
    counts.set(term, count);
    return count;
  }

  /** Returns the terms of running Pods that select a Pod of this shape. */
  function opposing(shape: PodShape): readonly AffinityTerm[] {
    const known = opposingTerms.get(shape);
    if (known !== undefined) return known;
    const found = [...shapes].flatMap(({ repelled }) =>
      repelled.filter((term) => term.selects(shape)),
    );
    opposingTerms.set(shape, found);
    return found;
  }

  function blocks(
    count: ReadonlyMap<string, number>,
    term: AffinityTerm,
    node: SchedulingNode,
  ): boolean {
    const domain = fieldOf(node.labels, term.topologyKey);
    return domain !== undefined && (count.get(domain) ?? 0) > 0;
  }

  function lacksAffinityPod(shape: PodShape, node: SchedulingNode): boolean {
    if (shape.attracted.length === 0) return false;
    if (
      shape.attracted.some(({ topologyKey }) => fieldOf(node.labels, topologyKey) === undefined)
    ) {
      return true;
    }
    if (shape.attracted.every((term) => blocks(termCount(term).selected, term, node))) return false;
    // The first Pod of a group that attracts itself has no restriction.
    const isFirst = shape.attracted.every((term) => termCount(term).selected.size === 0);
    return !(isFirst && shape.attracted.every((term) => term.selects(shape)));
  }

  return {
    count(shape: PodShape, node: SchedulingNode, by: 1 | -1) {
      if (!shapes.has(shape)) {
        shapes.add(shape);
        opposingTerms.clear();
      }
      for (const [term, count] of counts) countPod(term, count, shape, node, by);
    },
    obstacle(shape: PodShape, node: SchedulingNode): Obstacle | undefined {
      const own = shape.repelled.find((term) => blocks(termCount(term).selected, term, node));
      if (own !== undefined) {
        return { type: "anti-affinity", of: "new", topologyKey: own.topologyKey };
      }
      const other = opposing(shape).find((term) => blocks(termCount(term).held, term, node));
      if (other !== undefined) {
        return { type: "anti-affinity", of: "running", topologyKey: other.topologyKey };
      }
      return lacksAffinityPod(shape, node) ? { type: "affinity" } : undefined;
    },
  };
}

function countPod(
  term: AffinityTerm,
  { selected, held }: TermCount,
  shape: PodShape,
  node: SchedulingNode,
  by: 1 | -1,
): void {
  const domain = fieldOf(node.labels, term.topologyKey);
  if (domain === undefined) return;
  if ((term.selectsWhenNew ?? term.selects)(shape)) adjustCount(selected, domain, by);
  if (shape.repelled.includes(term)) adjustCount(held, domain, by);
}

function adjustCount(counts: Map<string, number>, domain: string, by: 1 | -1): void {
  const next = (counts.get(domain) ?? 0) + by;
  if (next === 0) counts.delete(domain);
  else counts.set(domain, next);
}

function memoizeByNode(
  ask: (shape: PodShape, node: SchedulingNode) => boolean,
): (shape: PodShape, node: SchedulingNode) => boolean {
  const answers = new Map<PodShape, Map<SchedulingNode, boolean>>();
  return (shape, node) => {
    const ofShape = answers.get(shape) ?? new Map<SchedulingNode, boolean>();
    answers.set(shape, ofShape);
    const known = ofShape.get(node);
    if (known !== undefined) return known;
    const answer = ask(shape, node);
    ofShape.set(node, answer);
    return answer;
  };
}
