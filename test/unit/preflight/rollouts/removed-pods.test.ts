import { expect, test } from "vitest";
import {
  newGroup,
  resize,
  type WorkloadPod,
} from "../../../../src/preflight/rollouts/pod-group.ts";
import type { PodShape } from "../../../../src/preflight/scheduling/pod-shape.ts";
import type { SchedulingNode } from "../../../../src/preflight/scheduling/scheduling-node.ts";
import type { SimulatedCluster } from "../../../../src/preflight/scheduling/simulated-cluster.ts";

/** Returns the Pods that remain. Each Pod is the letter of its node. */
function remainingPods(pods: string, desired: number): string {
  const nodes = new Map([...new Set(pods)].map((name) => [name, { name } as SchedulingNode]));
  const shape = {} as PodShape;
  const group = newGroup(shape, "web");
  const on = [...pods].map((name): WorkloadPod => {
    return { shape, owner: "web", node: nodes.get(name), isBroken: false };
  });
  group.pods.push(...on);
  const remaining = new Set(on);
  const simulated = {
    nodePods: (node) => new Set([...remaining].filter((pod) => pod.node === node)),
    remove: (pod) => void remaining.delete(pod as WorkloadPod),
  } as Partial<SimulatedCluster> as SimulatedCluster;
  resize(group, desired, simulated);
  return group.pods.map(({ node }) => node?.name).join("");
}

test.each([
  ["aaabb", 2, "bb"],
  ["aabbc", 4, "abbc"],
  ["aabbc", 2, "bc"],
  ["abc", 3, "abc"],
  ["abc", 0, ""],
])(
  "from Pods on the nodes %s, a ReplicaSet of %i keeps %s: it counts the Pods of each node once",
  (pods, desired, expected) => {
    expect(remainingPods(pods, desired)).toBe(expected);
  },
);
