import {
  apart,
  deployment,
  type Fields,
  type GridCase,
  plain,
  statefulSet,
  type WorkloadOptions,
} from "../../../support/rollout-pieces.ts";
import { changed, first, scaler, sequence, spread } from "../situations.ts";

/** Namespace selectors. The plan itself can change the labels of a namespace. */
const namespaces: readonly GridCase[] = [
  otherNamespace("gets the label with the term", {}, { team: "a" }),
  otherNamespace("loses the label with the term", { team: "a" }, {}),
  otherNamespace("has the label", { team: "a" }, { team: "a" }),
  {
    ...otherNamespace("is new and has the label", {}, {}),
    steps: [[...db({ team: "a" }), deployment({ replicas: 1, apart: [byTeam()] })]],
  },
  {
    ...otherNamespace("is new and has another label", {}, {}),
    steps: [[...db({ team: "b" }), deployment({ replicas: 1, apart: [byTeam()] })]],
  },
];

const withRuntime = { pod: { runtimeClassName: "CASE" } };

/** Resources of nodes. Each node has 32 CPUs. */
const room: readonly GridCase[] = [
  first("an init container before a sidecar", plain(1), withInit(["30"], "4")),
  first("an init container after a sidecar", plain(1), withInit([], "4", ["30"])),
  {
    ...changed("limits by default, one on a node", {}, {}),
    around: [limitRange({ default: { cpu: "20" } })],
  },
  {
    ...changed("limits by default, two on a node", {}, {}),
    around: [limitRange({ default: { cpu: "16" } })],
  },
  planned("defaults of the same deployment, one on a node", [
    limitRange({ defaultRequest: { cpu: "33" } }),
  ]),
  planned("defaults of the same deployment", [limitRange({ defaultRequest: { cpu: "10" } })]),
  changed("limits of the whole Pod, one on a node", podLimits("20"), podLimits("20")),
  changed("limits of the whole Pod, two on a node", podLimits("16"), podLimits("16")),
  planned("a runtime of the same deployment", [runtimeClass("30")], withRuntime),
  planned("a small runtime of the same deployment", [runtimeClass("2")], withRuntime),
  {
    ...first("a runtime with nodes of its own, too small", twoPools(), {
      ...{ replicas: 2, cpu: "20", ...withRuntime },
    }),
    around: [runtimeClass("1", { nodeSelector: { pool: "new" } })],
  },
  {
    ...first("a runtime with nodes of its own", twoPools(), { cpu: "9", ...withRuntime }),
    around: [runtimeClass("1", { nodeSelector: { pool: "new" } })],
  },
  resized("grown in place", "10", "20"),
  resized("grown in place a little", "10", "16"),
  resized("shrunk in place, which its node has not done yet", "20", "10"),
];

const tight = { apart: [apart()] };
const budgets: readonly GridCase[] = [
  withBudget(changed("a budget of its own, one more at a time", tight, tight)),
  withBudget(
    changed("a budget of its own, one may be unavailable", tight, { ...tight, unavailable: 1 }),
  ),
  withBudget(
    changed("a budget of its own, and a higher priority", tight, {
      ...{ ...tight, pod: { priorityClassName: "grid-urgent" } },
    }),
  ),
];

const spreading: readonly GridCase[] = [
  first("spread by version over more domains than there are", plain(3), byVersion(4, 3)),
  first("spread by version over more domains, one too many", plain(3), byVersion(4, 4)),
  first("spread by no selector", plain(1), {
    ...{ replicas: 4, spread: [spread({ labelSelector: undefined })] },
  }),
  changed("spread by a label that changes", byTrack("a"), byTrack("b")),
  changed("spread by a label that stays", byTrack("a"), byTrack("a")),
  first("spread beside a node that is best avoided", [...plain(2), avoided("PreferNoSchedule")], {
    ...{ replicas: 3, spread: [spread({ nodeTaintsPolicy: "Honor" })] },
  }),
  first("spread beside a node that throws Pods out", [...plain(2), avoided("NoExecute")], {
    ...{ replicas: 4, spread: [spread({ nodeTaintsPolicy: "Honor" })] },
  }),
  first(
    "spread beside a node that throws Pods out, which counts",
    [...[...plain(2), avoided("NoExecute")]],
    { replicas: 4, spread: [spread()] },
  ),
];

const scaled = { ...tight, spec: { replicas: undefined } };
const autoscaled: readonly GridCase[] = [
  heldByScaler("on as many nodes", 3),
  heldByScaler("with a free node", 4),
];

const paused: readonly GridCase[] = [
  { ...resumed("on as many nodes"), nodes: plain(3) },
  { ...resumed("with a free node"), nodes: plain(4) },
];

export const surroundingClasses = {
  ...{ namespaces, room, budgets, spreading, autoscaled, paused },
};

function byTeam(): Fields {
  return apart({ namespaceSelector: { matchLabels: { team: "a" } } }, { app: "db" });
}

/** Returns another application in a namespace that the same deployment declares. */
function db(labels: Fields): readonly Fields[] {
  const namespace = "CASE-other";
  const own = deployment({ name: "db", labels: { app: "db" }, replicas: 1 });
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } },
    { ...own, metadata: { name: "db", namespace } },
  ];
}

function otherNamespace(name: string, before: Fields, after: Fields): GridCase {
  const web = { replicas: 1, surge: 1, unavailable: 0 };
  return {
    name: `beside another application of which the namespace ${name}`,
    nodes: plain(1),
    steps: [
      [...db(before), deployment(web)],
      [...db(after), deployment({ ...web, version: 2, apart: [byTeam()] })],
    ],
  };
}

function withInit(
  before: readonly string[],
  sidecar: string,
  after: readonly string[] = [],
): WorkloadOptions {
  const init = (cpu: string, index: number) => ({
    ...{ name: `init-${cpu}-${index}`, image: "init:1", resources: { requests: { cpu } } },
  });
  const side = { ...init(sidecar, 9), restartPolicy: "Always" };
  const initContainers = [...before.map(init), side, ...after.map(init)];
  return { replicas: 1, cpu: "1", pod: { initContainers } };
}

function limitRange(defaults: Fields): Fields {
  const limits = [{ type: "Container", ...defaults }];
  return { apiVersion: "v1", kind: "LimitRange", metadata: { name: "usual" }, spec: { limits } };
}

/** Returns a case whose outcome depends on another object of the same deployment. */
function planned(
  name: string,
  objects: readonly Fields[],
  options: WorkloadOptions = {},
): GridCase {
  const common = { surge: 1, unavailable: 0, cpu: options.pod && "10" } as WorkloadOptions;
  return {
    name: `Deployment: ${name}`,
    nodes: plain(3),
    steps: [[deployment(common)], [...objects, deployment({ ...common, ...options, version: 2 })]],
  };
}

function podLimits(cpu: string): WorkloadOptions {
  return { pod: { resources: { limits: { cpu } } } };
}

function runtimeClass(cpu: string, scheduling?: Fields): Fields {
  return {
    ...{ apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name: "CASE" } },
    ...{ handler: "grid", overhead: { podFixed: { cpu } }, ...(scheduling && { scheduling }) },
  };
}

function twoPools() {
  return [{}, { labels: { pool: "new" } }];
}

/**
 * Returns a case in which one Pod is resized in place before another application with 16 CPUs is
 * deployed to its node.
 */
function resized(name: string, before: string, after: string): GridCase {
  const set = statefulSet({ replicas: 1, cpu: before });
  const api = deployment({ name: "api", labels: { app: "api" }, replicas: 1, cpu: "16" });
  return {
    name: `beside a Pod ${name}`,
    nodes: plain(1),
    steps: [[set], [set, api]],
    meanwhile: [holding(before), resize(after)],
  };
}

function resize(cpu: string): readonly string[] {
  const containers = [{ name: "web", resources: { requests: { cpu } } }];
  return ["patch", "pod", "web-0", "--subresource=resize", "-p", json({ spec: { containers } })];
}

/** Returns a Pod status from a kubelet that can resize Pods. */
function holding(cpu: string): readonly string[] {
  const state = { running: { startedAt: "2026-01-01T00:00:00Z" } };
  const held = { resources: { requests: { cpu } }, allocatedResources: { cpu } };
  const common = { name: "web", image: "web:1", imageID: "", ready: true, restartCount: 0 };
  const status = { containerStatuses: [{ ...common, started: true, state, ...held }] };
  return ["patch", "pod", "web-0", "--subresource=status", "-p", json({ status })];
}

function json(value: Fields): string {
  return JSON.stringify(value);
}

/** Adds a PodDisruptionBudget that allows no eviction. */
function withBudget(grid: GridCase): GridCase {
  const spec = { maxUnavailable: 0, selector: { matchLabels: { app: "web" } } };
  const kind = { apiVersion: "policy/v1", kind: "PodDisruptionBudget" };
  return { ...grid, around: [{ ...kind, metadata: { name: "web" }, spec }] };
}

function byVersion(minDomains: number, replicas: number): WorkloadOptions {
  const options = { minDomains, matchLabelKeys: ["pod-template-hash"] };
  return { replicas, spread: [spread(options)] };
}

/**
 * Returns Pods for three nodes with room for one new Pod each. Two old Pods on one node either
 * exclude a new one or don't count.
 */
function byTrack(track: string): WorkloadOptions {
  const options = { minDomains: 4, matchLabelKeys: ["track"] };
  return { labels: { app: "web", track }, spread: [spread(options)] };
}

function avoided(effect: string) {
  return { taints: [{ key: "reserved", value: "true", effect }] };
}

function heldByScaler(name: string, nodes: number): GridCase {
  const both = { surge: 1, unavailable: 0, ...scaled };
  const all = "--for=jsonpath={.status.availableReplicas}=3";
  return {
    name: `Deployment: an autoscaler holds 3 that nobody declares, ${name}`,
    nodes: plain(nodes),
    steps: [
      [deployment(both), scaler(3)],
      [deployment({ ...both, version: 2 }), scaler(3)],
    ],
    meanwhile: [["wait", "deployment/web", all, "--timeout=600s"]],
  };
}

function resumed(name: string): GridCase {
  const spec = { paused: true };
  return {
    ...sequence(`paused, then resumed, ${name}`, [{}, { version: 2, spec }, { version: 2 }]),
    isStuckBefore: false,
  };
}
