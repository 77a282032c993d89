import { expect, test } from "vitest";
import {
  type OrdinalPod,
  statefulSetController,
} from "../../../../src/preflight/rollouts/stateful-set-controller.ts";
import type { SimulatedCluster } from "../../../../src/preflight/scheduling/simulated-cluster.ts";

/** Returns the ordinals of three old Pods that the controller removes first. */
function removed(broken: readonly number[], policy: string, minor: number): readonly number[] {
  const ordinals: number[] = [];
  const remove = (pod: OrdinalPod) => ordinals.push(pod.ordinal);
  const live = [0, 1, 2].map((ordinal) => {
    const pod = { ordinal, isNew: false, isBroken: broken.includes(ordinal), owner: "db" };
    return { ...pod, shape: {}, node: { name: "a" } } as unknown as OrdinalPod;
  });
  const spec = {
    podManagementPolicy: policy,
    updateStrategy: { rollingUpdate: { maxUnavailable: 1 } },
  };
  const shapeOf = () => ({}) as OrdinalPod["shape"];
  const server = { major: 1, minor };
  const pods = { live, owner: "db", shapeOf, server };
  statefulSetController(spec, 3, pods).reconcile({ remove } as unknown as SimulatedCluster);
  return ordinals;
}

test.each([
  ["no Pod is unavailable", "Parallel", 36, [], [2]],
  ["no Pod is unavailable", "Parallel", 37, [], [2]],
  ["all Pods are unavailable", "Parallel", 36, [0, 1, 2], []],
  ["all Pods are unavailable", "Parallel", 37, [0, 1, 2], [2, 1, 0]],
  ["the first Pod is unavailable", "Parallel", 36, [0], []],
  ["the first Pod is unavailable", "Parallel", 37, [0], [0]],
  ["the first Pod is unavailable", "OrderedReady", 37, [0], []],
])(
  "if %s, a StatefulSet with %s on Kubernetes 1.%s replaces only the expected Pods",
  (_, policy, minor, broken, expected) => {
    expect(removed(broken, policy, minor)).toEqual(expected);
  },
);
