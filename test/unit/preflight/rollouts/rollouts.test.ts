import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Change, Edge } from "../../../../src/model/plan/plan.ts";
import type { ClusterFact, ClusterFacts } from "../../../../src/preflight/cluster-facts.ts";
import { apart, byHash, type WorkloadOptions } from "../../../support/rollout-pieces.ts";
import {
  around,
  creationOf,
  findingLines,
  findingsOf,
  known,
  owned,
  plannedOf,
  stored,
  updateOf,
} from "../rollout-plan.ts";

/**
 * Tests findings about rollouts, including those that can't be simulated. `test/sweeps/grid`
 * compares them with real rollouts.
 */
const unknown: ClusterFact<readonly KubeObject[]> = { known: false, why: "forbidden" };
const usesClaim = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] };
const bound = known([
  {
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim" },
    metadata: { name: "data", namespace: "shop" },
    spec: { volumeName: "disk-1" },
  },
]);

describe("a Deployment with anti-affinity and as many replicas as nodes:", () => {
  const before = { apart: [apart()], surge: 1, unavailable: 0 };
  const update = updateOf(before, { ...before, version: 2 });

  it("the preview shows the numbers and a simulated fix", () => {
    expect(findingLines([update], around(before))).toEqual([
      "error rollout-deadlock Deployment shop/web: its rollout can't complete",
      "  New Pods wait until old ones stop, and old Pods stop only after new ones are available. It has 3 replicas, at most 1 more (maxSurge) and 0 fewer (maxUnavailable). None of the 3 nodes can take one more Pod: 3 excluded by its anti-affinity (kubernetes.io/hostname)",
      "  Set maxUnavailable to 1, so that one old Pod stops before a new one starts",
      "    spec:\n      strategy:\n        rollingUpdate:\n          maxUnavailable: 1",
    ]);
  });

  it("a node autoscaler makes the finding a warning", () => {
    const [head, why] = findingLines([update], { ...around(before), autoscaler: "Karpenter" });
    expect(head).toMatch(/^warning rollout-deadlock /);
    expect(why).toMatch(/\. Karpenter might add nodes$/);
  });

  it("matchLabelKeys that the server drops are reported", () => {
    const keyed = { ...before, apart: [apart(byHash)], version: 2 };
    const dropped = { ...update, desired: stored(keyed) };
    expect(findingLines([dropped], around(before))[1]).toContain(
      "The API server drops matchLabelKeys, which it supports since Kubernetes 1.31",
    );
  });

  it.each(["nodes", "pods", "replicaSets", "namespaces"] as const)(
    "unreadable %s are reported",
    (name) => {
      const facts = { ...around(before), [name]: { known: false, why: "forbidden" } };
      const [head, why, fix] = findingLines([update], facts);
      expect(fix).toMatch(/^ {2}Allow this identity to list nodes/);
      expect(head).toBe(
        "note rollout-unknown Deployment shop/web: qvs can't predict whether its rollout completes",
      );
      expect(why).toMatch(/^ {2}qvs can't list \w+: forbidden$/);
    },
  );

  it.each<[string, JsonObject, Partial<ClusterFacts>, string]>([
    ["claims", usesClaim, { claims: unknown }, "PersistentVolumeClaims"],
    ["volumes of its claims", usesClaim, { claims: bound, volumes: unknown }, "PersistentVolumes"],
    [
      "the class of its priority",
      { priorityClassName: "fast" },
      { priorityClasses: unknown },
      "PriorityClasses",
    ],
  ])("unreadable %s are reported with the permission to add", (_, ownPod, facts, kind) => {
    const update = updateOf(before, { ...before, version: 2, pod: ownPod });
    expect(findingLines([update], { ...around(before), ...facts })).toEqual([
      "note rollout-unknown Deployment shop/web: qvs can't predict whether its rollout completes",
      `  qvs can't list ${kind}: forbidden`,
      `  Allow this identity to list ${kind}`,
    ]);
  });

  it.each<[string, JsonObject, Partial<ClusterFacts>]>([
    ["claims that it doesn't use", {}, { claims: unknown, volumes: unknown }],
    ["volumes of other PersistentVolumeClaims", usesClaim, { volumes: unknown }],
    ["classes that it doesn't name", {}, { priorityClasses: unknown }],
    [
      "classes, of a built-in one",
      { priorityClassName: "system-node-critical" },
      { priorityClasses: unknown },
    ],
  ])("unreadable %s make no difference", (_, ownPod, facts) => {
    const update = updateOf(before, { ...before, version: 2, pod: ownPod });
    expect(findingLines([update], { ...around(before), ...facts })[0]).toMatch(
      / (rollout-deadlock|preempts) /,
    );
  });

  it.each([
    [{ schedulerName: "bin-packer" }, "Another scheduler places its Pods: bin-packer"],
    [{ schedulingGates: [{ name: "example.com/wait" }] }, "Its Pods wait for scheduling gates"],
    [{ resourceClaims: [{ name: "gpu" }] }, "Its Pods claim devices (resourceClaims)"],
  ])("with %o in the Pod, qvs predicts nothing", (pod, why) => {
    const after = { ...before, version: 2, pod };
    expect(findingLines([updateOf(before, after)], around(before))[1]).toBe(`  ${why}`);
  });
});

describe("new Pods that fit only in the places of some old ones:", () => {
  const pace = { surge: 0, unavailable: 1 };
  const before = { ...pace, cpu: "25" };
  const onlyOn = (...names: readonly string[]) => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchFields: [{ key: "metadata.name", operator: "In", values: names }] },
          ],
        },
      },
    },
  });
  const update = updateOf(before, { ...pace, version: 2, cpu: "10", pod: onlyOn("b") });
  const costing = (costs: Readonly<Record<string, string>>): ClusterFacts => {
    const facts = around(before);
    const pods = facts.pods.known ? facts.pods.value : [];
    return {
      ...facts,
      pods: known(
        pods.map((pod) => {
          const cost = costs[String((pod.spec as JsonObject).nodeName)];
          const annotations = { "controller.kubernetes.io/pod-deletion-cost": cost ?? "0" };
          return { ...pod, metadata: { ...pod.metadata, annotations } };
        }),
      ),
    };
  };

  it("the preview reports that chance decides, and a fix that doesn't depend on the order", () => {
    expect(findingLines([update], around(before))).toEqual([
      "warning rollout-deadlock Deployment shop/web: its rollout might never complete",
      "  New Pods fit only in the places of some old ones, and chance decides which old ones stop first. It has 3 replicas, at most 0 more (maxSurge) and 1 fewer (maxUnavailable). The only suitable node (of 3) can't take one more Pod: 1 without enough cpu",
      "  Set the strategy to Recreate, without rollingUpdate: it stops all old Pods before the new ones start",
      "    spec:\n      strategy:\n        type: Recreate",
    ]);
  });

  it("the rollout completes if the Pod in the way has the lowest deletion cost", () => {
    expect(findingLines([update], costing({ b: "-1" }))).toEqual([]);
  });

  it("the rollout can't complete if the Pod in the way has the highest deletion cost", () => {
    expect(findingLines([update], costing({ b: "1" }))[0]).toMatch(/^error rollout-deadlock /);
  });

  it("the rollout completes if every freed place fits a new Pod", () => {
    const anywhere = updateOf(before, {
      ...pace,
      version: 2,
      cpu: "20",
      pod: onlyOn("a", "b", "c"),
    });
    expect(findingLines([anywhere], around(before))).toEqual([]);
  });
});

it("a rollout that completes has no finding", () => {
  const free = { surge: 1, unavailable: 0 };
  expect(findingLines([updateOf(free, { ...free, version: 2 })], around(free))).toEqual([]);
});

it("a workload without Pods to replace has no finding", () => {
  const facts = { ...around({}), nodes: unknown };
  expect(findingLines([updateOf({}, { version: 2, replicas: 0 })], facts)).toEqual([]);
  expect(findingLines([updateOf({}, { version: 2, spec: { paused: true } })], facts)).toEqual([]);
});

it("the preview counts the Pods that fit on the nodes", () => {
  const change = creationOf({ replicas: 5, apart: [apart()] });
  expect(findingLines([change], around())).toEqual([
    "error never-fits Deployment shop/web: only 3 of its 5 Pods fit on the nodes",
    "  None of the 3 nodes can take one more Pod: 3 excluded by its anti-affinity (kubernetes.io/hostname)",
    "  Set fewer replicas, relax the rules that separate its Pods, or add nodes",
    "    spec:\n      replicas: 3",
  ]);
});

it.each([
  ["too many", { replicas: 5, apart: [apart()] }, "spec.replicas"],
  ["too large", { cpu: "64" }, "spec.template.spec.containers.0.resources.requests.cpu"],
  [
    "for other nodes",
    { pod: { nodeSelector: { disk: "none" } } },
    "spec.template.spec.nodeSelector",
  ],
])("the causing field is named for Pods that are %s", (_, options, expected) => {
  expect(findingsOf([creationOf(options)], around()).map(({ path }) => path?.join("."))).toEqual([
    expected,
  ]);
});

it("the preview counts evicted Pods of lower priority", () => {
  const before = { surge: 1, unavailable: 0, cpu: "20" };
  const pod = { priority: 1000, preemptionPolicy: "PreemptLowerPriority" };
  const [head, why] = findingLines(
    [updateOf(before, { ...before, version: 2, pod })],
    around(before),
  );
  expect(head).toMatch(
    /^warning preempts Deployment shop\/web: .* evict \d running Pods of lower priority$/,
  );
  expect(why).toBe(
    "  The nodes have no place for both. Only its own old Pods are evicted, and they stop before the new ones are available",
  );
});

it("a rollout that takes longer than the timeout is reported", () => {
  const slow = { surge: 1, unavailable: 0, spec: { minReadySeconds: 300 } };
  const [head, why] = findingLines([updateOf({}, { ...slow, version: 2 })], around({}));
  expect(head).toMatch(/^warning rollout-slow .* takes longer than the timeout of 600 s$/);
  expect(why).toBe(
    "  It takes at least 900 s: 3 batches of new Pods start one after another, and each must be ready for 300 s (minReadySeconds)",
  );
});

it.each([
  [900_000, ""],
  [899_000, "takes longer than the timeout of 899 s"],
  [60_000, "takes longer than the timeout of 60 s"],
])("a rollout of 900 s with a time limit of %d ms is reported as: %s", (timeoutMs, expected) => {
  const slow = { surge: 1, unavailable: 0, spec: { minReadySeconds: 300 } };
  const [head = ""] = findingLines([updateOf({}, { ...slow, version: 2 })], around({}), timeoutMs);
  expect(head.replace(/^.*: its rollout /, "")).toBe(expected);
});

it.each([
  ["timeout", "900s", ""],
  ["timeout", "60s", "takes longer than the timeout of 60 s"],
  ["wait", "false", ""],
])("with %s: %s, a rollout of 900 s is reported as: %s", (name, value, expected) => {
  const slow = { surge: 1, unavailable: 0, spec: { minReadySeconds: 300 } };
  const update = updateOf({}, { ...slow, version: 2 });
  const annotations = { [`vs.axis-dev.io/${name}`]: value };
  const desired = { ...update.desired, metadata: { ...update.desired.metadata, annotations } };
  const [head = ""] = findingLines([{ ...update, desired }], around({})).filter(
    (line) => !line.startsWith("note not-awaited"),
  );
  expect(head.replace(/^.*: its rollout /, "")).toBe(expected);
});

it("a rollout that waits for a blocked rollout has no finding", () => {
  const web = creationOf({ replicas: 5, apart: [apart()] });
  const labels = { app: "api" };
  const api = creationOf({ name: "api", labels, replicas: 9, apart: [apart({}, labels)] });
  const behind = { ...api, after: [{ on: web.key, reason: "dependsOn" }] satisfies Edge[] };
  expect(findingLines([behind, web], around()).filter((line) => /^\w/.test(line))).toEqual([
    "error never-fits Deployment shop/web: only 3 of its 5 Pods fit on the nodes",
  ]);
});

const otherPods = (...labels: readonly JsonObject[]) => ({
  pods: known(
    labels.map((own) => ({
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { ...owned(`other-${JSON.stringify(own)}`, "", "other"), labels: own },
      spec: { nodeName: "a", containers: [] },
    })),
  ),
});
describe("rare fields of templates decide too:", () => {
  const spaces = known([{ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }]);
  const codesOf = (options: WorkloadOptions, minor?: number) => {
    const before = { apart: [apart()], surge: 1, unavailable: 0, ...options };
    const server = minor === undefined ? undefined : { major: 1, minor };
    const facts = { ...around(before), namespaces: spaces, server };
    return findingsOf([updateOf(before, { ...before, version: 2 })], facts).map(({ code }) => code);
  };
  const inSpaces = (operator: string, values?: readonly string[]) => {
    const key = "kubernetes.io/metadata.name";
    return {
      apart: [apart({ namespaceSelector: { matchExpressions: [{ key, operator, values }] } })],
    };
  };

  it("a Pod with nodeName bypasses the scheduler", () => {
    // Admission writes these fields into running Pods.
    const priority = { priority: 0, preemptionPolicy: "PreemptLowerPriority" };
    expect(codesOf({ pod: { ...priority, nodeName: "a" } })).toEqual([]);
  });

  it.each([
    ["In", ["shop"], "rollout-deadlock"],
    ["In", ["other"], ""],
    // Schedulers evaluate it for new Pods as if their namespaces had no labels.
    ["NotIn", ["shop"], "rollout-deadlock"],
    ["DoesNotExist", undefined, "rollout-deadlock"],
  ])("an affinity term selects namespaces by name: %s %s", (operator, values, expected) => {
    expect(codesOf(inSpaces(operator, values)).join()).toBe(expected);
  });

  it.each([
    [32, ""],
    [33, ""],
    [34, "rollout-deadlock"],
    [36, "rollout-deadlock"],
    [37, ""],
  ])("a term that excludes the own namespace is read by Kubernetes 1.%s", (minor, expected) => {
    expect(codesOf(inSpaces("NotIn", ["shop"]), minor).join()).toBe(expected);
    expect(codesOf(inSpaces("In", ["shop"]), minor).join()).toBe("rollout-deadlock");
  });
});

describe("two Deployments of one plan:", () => {
  const before = { cpu: "20", surge: 1, unavailable: 0 };
  const shrinks = updateOf(before, { ...before, replicas: 1, version: 2 });
  const api = { name: "api", labels: { app: "api" }, cpu: "20" };
  const codesOf = (changes: readonly Change[]) =>
    findingsOf(changes, around(before)).map(({ code, object }) => `${code} ${object.name}`);

  it("a shrinking Deployment can lose the place of its next Pod to a growing one", () => {
    expect(findingLines([shrinks, creationOf({ ...api, replicas: 2 })], around(before))).toEqual([
      "warning rollout-deadlock Deployment shop/web: its rollout can be blocked by other rollouts of this deployment",
      "  These rollouts run at the same time, and others can take the places that its Pods need. It has 1 replica, at most 1 more (maxSurge) and 0 fewer (maxUnavailable). None of the 3 nodes can take one more Pod: 3 without enough cpu",
      "  Add the annotation vs.axis-dev.io/dependsOn to one of them, deploy them one after another, or add nodes",
    ]);
  });

  it("a Deployment that waits for the other one takes no place from it", () => {
    const after = [{ on: shrinks.key, reason: "dependsOn" }] satisfies Edge[];
    const waits = { ...creationOf({ ...api, replicas: 2 }), after };
    expect(codesOf([shrinks, waits])).toEqual([]);
  });

  it("both rollouts complete if each has a place", () => {
    expect(codesOf([shrinks, creationOf({ ...api, replicas: 1 })])).toEqual([]);
  });
});

const both = { together: [apart({}, { app: "db" }), apart({}, { tier: "cache" })] };
const port = (hostIP: string) => ({
  ...{ surge: 1, unavailable: 0 },
  container: { ports: [{ containerPort: 80, hostPort: 80, hostIP }] },
});
const onOne = { replicas: 2, apart: [apart()], pod: { nodeName: "a" } };
const urgent = { surge: 1, unavailable: 0, cpu: "20", version: 2 };
const classOf = (value: number) =>
  plannedOf({ apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", value });
const claimOf = (accessMode: string) =>
  plannedOf({
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim" },
    spec: { accessModes: [accessMode], volumeName: "disk-1" },
  });
const claiming = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "own" } }] };

it.each<[string, readonly Change[], Partial<ClusterFacts>, string]>([
  [
    "two Pods satisfy two affinity terms",
    [creationOf(both)],
    otherPods({ app: "db" }, { tier: "cache" }),
    "never-fits",
  ],
  [
    "one Pod satisfies two affinity terms",
    [creationOf(both)],
    otherPods({ app: "db", tier: "cache" }),
    "",
  ],
  ["separated Pods with a node name bypass the scheduler", [creationOf(onOne)], {}, ""],
  [
    "a host port of :: conflicts with one of an IPv4 address",
    [updateOf(port("::"), { ...port("10.0.0.1"), version: 2 })],
    around(port("::")),
    "",
  ],
  [
    "a host port of all addresses is next to one of an IPv4 address",
    [updateOf(port("0.0.0.0"), { ...port("10.0.0.1"), version: 2 })],
    around(port("0.0.0.0")),
    "rollout-deadlock",
  ],
  [
    "a class of the same plan lets it preempt",
    [classOf(1000), updateOf(urgent, { ...urgent, pod: { priorityClassName: "own" } })],
    around(urgent),
    "preempts",
  ],
  [
    "a class of the same plan doesn't",
    [classOf(0), updateOf(urgent, { ...urgent, pod: { priorityClassName: "own" } })],
    around(urgent),
    "rollout-deadlock",
  ],
  [
    "a claim of the same plan is for one Pod only",
    [claimOf("ReadWriteOncePod"), creationOf({ replicas: 2, pod: claiming })],
    {},
    "never-fits",
  ],
  [
    "a claim of the same plan is for one node",
    [claimOf("ReadWriteOnce"), creationOf({ replicas: 2, pod: claiming })],
    {},
    "",
  ],
])("if %s", (_, changes, facts, expected) => {
  const found = findingsOf(changes, { ...around(), ...facts });
  expect(found.map(({ code }) => code).join(", ")).toBe(expected);
});
