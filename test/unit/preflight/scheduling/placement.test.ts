import { expect, it } from "vitest";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Change } from "../../../../src/model/plan/plan.ts";
import {
  apart,
  daemonSet,
  deployment,
  type Fields,
  rollout,
  statefulSet,
  type WorkloadOptions,
} from "../../../support/rollout-pieces.ts";
import {
  around,
  changeOf,
  creationOf,
  findingLines,
  findingsOf,
  known,
  node,
  updateOf,
} from "../rollout-plan.ts";

/**
 * Tests the rules of placement besides the Pods themselves, on both sides of each boundary.
 * `test/sweeps/grid` compares them with real schedulers.
 */
const pace = { surge: 1, unavailable: 0 };
const unknown = { known: false, why: "forbidden" } as const;
const claiming = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] };
const claimSpec = {
  ...{ accessModes: ["ReadWriteOnce"], storageClassName: "local" },
  resources: { requests: { storage: "1Gi" } },
};

const waits = { storageClasses: [storageClass("kubernetes.io/no-provisioner")], claims: [claim()] };

it.each<[string, readonly Change[], Facts, string]>([
  ["a LimitRange of the same plan asks for more than a node has", limited("33"), {}, "never-fits"],
  ["a LimitRange of the same plan asks for less", limited("10"), {}, ""],
  [
    "a LimitRange of the same plan sets missing values of the template",
    [limitRange("33"), updateOf(pace, { ...pace, version: 2, cpu: "1" })],
    {},
    "",
  ],
  [
    "a LimitRange of the same plan is of another namespace",
    [{ ...limitRange("33", "other") }, updateOf(pace, { ...pace, version: 2 })],
    {},
    "",
  ],
  ["a RuntimeClass of the same plan takes all of a node", withRuntime("32"), {}, "never-fits"],
  ["a RuntimeClass of the same plan takes little", withRuntime("1"), {}, ""],
  [
    "a Pod has been resized in place",
    anotherPod("17"),
    { pods: [runningPod("16", "10")] },
    "never-fits",
  ],
  [
    "a Pod has been resized slightly in place",
    anotherPod("16"),
    { pods: [runningPod("16", "10")] },
    "",
  ],
  [
    "a Pod isn't resized to less yet",
    anotherPod("17"),
    { pods: [runningPod("10", "16")] },
    "never-fits",
  ],
  [
    "a Pod can't be resized, so it keeps its resources",
    anotherPod("17"),
    { pods: [runningPod("20", "15", "Infeasible")] },
    "",
  ],
  ["a Pod is being deleted", anotherPod("17"), { pods: [leaving()] }, ""],
  [
    "a Pod is being deleted, but has a finalizer",
    anotherPod("17"),
    { pods: [leaving("a.io/b")] },
    "never-fits",
  ],
  [
    "a Pod of a Job is being deleted",
    anotherPod("17"),
    { pods: [leaving("batch.kubernetes.io/job-tracking")] },
    "",
  ],
  ["no volume exists", withClaim(), waits, "never-fits"],
  ["a volume exists", withClaim(), { ...waits, volumes: [volume()] }, ""],
  ["its volume is too small", withClaim(), { ...waits, volumes: [volume("1Mi")] }, "never-fits"],
  [
    "its volume is for another claim",
    withClaim(),
    { ...waits, volumes: [volume("1Gi", { claimRef: { namespace: "shop", name: "x" } })] },
    "never-fits",
  ],
  [
    "its volume is reserved for it",
    withClaim(),
    { ...waits, volumes: [volume("1Gi", { claimRef: { namespace: "shop", name: "data" } })] },
    "",
  ],
  [
    "volumes are provisioned",
    withClaim(),
    { ...waits, storageClasses: [storageClass("a.example")] },
    "",
  ],
  [
    "the volume can't be provisioned on any suitable node",
    withClaim(),
    { ...waits, storageClasses: [storageClass("a.example", topologyOf("d"))] },
    "never-fits",
  ],
  [
    "volumes are provisioned on one node",
    withClaim(),
    { ...waits, storageClasses: [storageClass("a.example", topologyOf("b"))] },
    "",
  ],
  ["a set has a volume for each Pod", ofSet(2), { ...waits, volumes: [volume(), volume2()] }, ""],
  [
    "a set has one volume less than Pods",
    ofSet(3),
    { ...waits, volumes: [volume(), volume2()] },
    "never-fits",
  ],
  ["a new set has all Pods below its partition", partitioned(3), {}, ""],
  ["a new set has one Pod too many below its partition", partitioned(4), {}, "never-fits"],
  ["the class of its claim doesn't exist", withClaim(), { claims: [claim()] }, "never-fits"],
  [
    "the class of its claim doesn't exist, but a volume does",
    withClaim(),
    { claims: [claim()], volumes: [volume()] },
    "",
  ],
  [
    "volumes are provisioned immediately",
    withClaim(),
    { ...waits, storageClasses: [storageClass("a.example", { volumeBindingMode: "Immediate" })] },
    "",
  ],
  ["each Pod has its own volume", ofPods(), { ...waits, volumes: [volume()] }, ""],
  [
    "each Pod has its own volume, and one is missing",
    ofPods({ replicas: 2 }),
    { ...waits, volumes: [volume()] },
    "never-fits",
  ],
  [
    "each Pod has its own provisioned volume",
    ofPods({ replicas: 2 }),
    { storageClasses: [storageClass("a.example")] },
    "",
  ],
  ["each Pod has its own volume without a class", ofPods(), {}, "never-fits"],
  [
    "a running Pod keeps its own volume",
    ofPods(),
    { ...waits, volumes: [volume("1Gi", { claimRef: { namespace: "shop", name: "other-data" } })] },
    "never-fits",
  ],
  [
    "a driver attaches as many volumes as are provisioned",
    ofPods({ replicas: 3 }),
    { storageClasses: [storageClass("a.example")], csiNodes: attaching(1) },
    "",
  ],
  [
    "a driver attaches fewer volumes than are provisioned",
    ofPods({ replicas: 4 }),
    { storageClasses: [storageClass("a.example")], csiNodes: attaching(1) },
    "never-fits",
  ],
  [
    "another driver attaches fewer volumes",
    ofPods({ replicas: 4 }),
    { storageClasses: [storageClass("b.example")], csiNodes: attaching(1) },
    "",
  ],
  ["a DaemonSet is for nodes without a network", daemon(), { nodes: [offline()] }, ""],
  [
    "a DaemonSet with the host's network is for nodes without a network",
    daemon({ hostNetwork: true }),
    { nodes: [offline()] },
    "never-fits",
  ],
  ["a Rollout has the template of another object", referring(3), {}, ""],
  [
    "a Rollout has the template of another object, for too many Pods",
    referring(4),
    {},
    "never-fits",
  ],
  ["a Rollout has the template of an unknown object", referring(3).slice(1), {}, "rollout-unknown"],
  [
    "a Rollout scales down the object that has its template",
    referring(3, { scaleDown: "onsuccess" }),
    {},
    "rollout-unknown",
  ],
])("if %s", (_, changes, facts, expected) => {
  const read = Object.entries(facts).map(([name, value]) => [name, known(value)] as const);
  const found = findingsOf(changes, { ...around(), ...Object.fromEntries(read) });
  expect(found.map(({ code }) => code).join(", ")).toBe(expected);
});

it("unreadable StorageClasses are reported for a PersistentVolumeClaim without a volume", () => {
  const facts = { ...around(), claims: known([claim()]), storageClasses: unknown };
  expect(findingLines(withClaim(), facts)).toEqual([
    "note rollout-unknown Deployment shop/web: qvs can't predict whether its rollout completes",
    "  qvs can't list StorageClasses: forbidden",
    "  Allow this identity to list StorageClasses",
  ]);
});

it("the finding shows a fix for missing volumes", () => {
  const facts = { ...around(), storageClasses: known(waits.storageClasses) };
  expect(findingLines(ofSet(1), { ...facts, volumes: known([volume("1Mi")]) })).toEqual([
    "error never-fits StatefulSet shop/web: its Pods don't fit on the nodes",
    "  None of the 3 nodes can take one more Pod: 3 without a volume for its claims",
    "  Add volumes for its claims on nodes that its Pods can use, or set a StorageClass that creates volumes",
  ]);
});

it("a node autoscaler doesn't help a DaemonSet's Pod, which is bound to one node", () => {
  const facts = { ...around(), autoscaler: "Karpenter" };
  const [head, why] = findingLines(daemonOf({ cpu: "40" }), facts);
  expect(head).toMatch(/^error never-fits /);
  expect(why).not.toContain("Karpenter");
});

type Facts = Readonly<
  Partial<
    Record<
      "nodes" | "pods" | "claims" | "volumes" | "storageClasses" | "csiNodes",
      readonly KubeObject[]
    >
  >
>;

/** Creates a Deployment whose Pods each have an ephemeral volume. */
function ofPods(options: WorkloadOptions = {}): readonly Change[] {
  const volumes = [{ name: "data", ephemeral: { volumeClaimTemplate: { spec: claimSpec } } }];
  return [creationOf({ ...pace, replicas: 1, ...options, pod: { volumes } })];
}

/** Creates the volume limits of a driver on each of the three nodes. */
function attaching(count: number): readonly KubeObject[] {
  const drivers = [{ name: "a.example", nodeID: "x", allocatable: { count } }];
  const kind = { apiVersion: "storage.k8s.io/v1", kind: "CSINode" };
  return ["a", "b", "c"].map((name) => ({ ...kind, metadata: { name }, spec: { drivers } }));
}

function limited(cpu: string): readonly Change[] {
  return [limitRange(cpu), updateOf(pace, { ...pace, version: 2 })];
}

function limitRange(cpu: string, namespace = "shop"): Change {
  const limits = [{ type: "Container", default: { cpu } }];
  const metadata = { name: "usual", namespace };
  return changeOf({ apiVersion: "v1", kind: "LimitRange", metadata, spec: { limits } });
}

function withRuntime(cpu: string): readonly Change[] {
  const runtime = {
    ...{ apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name: "small" } },
    ...{ handler: "small", overhead: { podFixed: { cpu } } },
  };
  const pod = { runtimeClassName: "small" };
  return [changeOf(runtime), updateOf(pace, { ...pace, version: 2, cpu: "1", pod })];
}

/** Creates one Pod that must run on the first node, where another Pod runs. */
function anotherPod(cpu: string): readonly Change[] {
  const pod = { nodeSelector: { "kubernetes.io/hostname": "a" } };
  return [creationOf({ replicas: 1, cpu, pod })];
}

/** Creates a Pod with a CPU request, and the CPU that its node has allocated to it. */
function runningPod(asked: string, cpu: string, reason?: string): KubeObject {
  const resources = { requests: { cpu } };
  return {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "other", namespace: "far", uid: "o" } },
    spec: {
      nodeName: "a",
      containers: [{ name: "one", resources: { requests: { cpu: asked } } }],
    },
    status: {
      phase: "Running",
      conditions: reason === undefined ? [] : [{ type: "PodResizePending", reason }],
      containerStatuses: [{ name: "one", resources, allocatedResources: { cpu } }],
    },
  };
}

/** Creates a Pod that occupies 16 CPUs until it is deleted. */
function leaving(...finalizers: readonly string[]): KubeObject {
  const pod = runningPod("16", "16");
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp, finalizers } };
}

function storageClass(provisioner: string, options: Fields = {}): KubeObject {
  const kind = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };
  const mode = { volumeBindingMode: "WaitForFirstConsumer" };
  return { ...kind, metadata: { name: "local" }, provisioner, ...mode, ...options } as KubeObject;
}

function topologyOf(name: string): Fields {
  const matchLabelExpressions = [{ key: "kubernetes.io/hostname", values: [name] }];
  return { allowedTopologies: [{ matchLabelExpressions }] };
}

function claim(): KubeObject {
  const metadata = { name: "data", namespace: "shop" };
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec: claimSpec };
}

function volume(storage = "1Gi", options: Fields = {}, name = "disk-1"): KubeObject {
  const { accessModes, storageClassName } = claimSpec;
  const spec = { accessModes, storageClassName, capacity: { storage }, ...options };
  const kind = { apiVersion: "v1", kind: "PersistentVolume" };
  return { ...kind, metadata: { name }, spec, status: { phase: "Available" } } as KubeObject;
}

function volume2(): KubeObject {
  return volume("2Gi", {}, "disk-2");
}

function withClaim(): readonly Change[] {
  return [creationOf({ replicas: 1, pod: claiming })];
}

function ofSet(replicas: number): readonly Change[] {
  const spec = { volumeClaimTemplates: [{ metadata: { name: "disk" }, spec: claimSpec }] };
  return [changeOf(statefulSet({ replicas, spec }))];
}

/**
 * Creates a StatefulSet with anti-affinity, of which each of the three nodes has room for one Pod.
 */
function partitioned(replicas: number): readonly Change[] {
  const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 9 } };
  return [changeOf(statefulSet({ replicas, apart: [apart()], spec: { updateStrategy } }))];
}

/** Creates a DaemonSet whose Pod doesn't fit on a node of one CPU. */
function daemon(pod: Fields = {}): readonly Change[] {
  const nodeSelector = { "kubernetes.io/hostname": "small" };
  return daemonOf({ cpu: "2", pod: { ...pod, nodeSelector } });
}

function daemonOf(options: WorkloadOptions): readonly Change[] {
  return [changeOf(daemonSet(options))];
}

function offline(): KubeObject {
  const key = "node.kubernetes.io/network-unavailable";
  return {
    ...node("small"),
    spec: { taints: [{ key, effect: "NoSchedule" }] },
    status: { allocatable: { cpu: "1", pods: "110" } },
  };
}

/**
 * Creates a Rollout that refers to a Deployment with anti-affinity. Each of the three nodes has
 * room for one Pod.
 */
function referring(replicas: number, options: Fields = {}): readonly Change[] {
  const workloadRef = { apiVersion: "apps/v1", kind: "Deployment", name: "base", ...options };
  const own = rollout({ canary: {} }, { replicas, spec: { workloadRef, template: undefined } });
  return [changeOf(deployment({ apart: [apart()], name: "base", replicas: 0 })), changeOf(own)];
}

it.each([
  [3, "StatefulSet", ""],
  [4, "StatefulSet", "never-fits"],
  [3, "DaemonSet", "never-fits"],
])(
  "%i Pods of a %s with anti-affinity per revision are placed as the API server answers",
  (replicas, kind, expected) => {
    const key = "controller-revision-hash";
    const topologyKey = kind === "DaemonSet" ? "grid" : "kubernetes.io/hostname";
    const term = apart({ matchLabelKeys: [key], topologyKey });
    const merged = { matchLabels: { app: "web" }, matchExpressions: [inValues(key, "sample")] };
    const make = kind === "DaemonSet" ? daemonSet : statefulSet;
    const change = changeOf(make({ replicas, apart: [term] }));
    const answered = make({ replicas, apart: [{ ...term, labelSelector: merged }] }) as {
      spec: { template: { spec: Fields } };
    };
    const labels = { app: "web", [key]: "sample", "pod-template-generation": "sample" };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { labels } };
    const value = { ...pod, spec: answered.spec.template.spec } as unknown as KubeObject;
    const samplePods = new Map([[change.key, { ok: true, value } as const]]);
    const found = findingsOf([change], { ...around(), samplePods });
    expect(found.map(({ code }) => code).join()).toBe(expected);
  },
);

function inValues(key: string, value: string): Fields {
  return { key, operator: "In", values: [value] };
}
