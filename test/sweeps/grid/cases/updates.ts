import {
  apart,
  daemonSet,
  type Fields,
  type GridCase,
  type GridNode,
  plain,
  statefulSet,
  type WorkloadOptions,
  zone,
  zones,
} from "../../../support/rollout-pieces.ts";
import { canary, daemon, partition, spread, stateful } from "../situations.ts";

const small: GridNode = { allocatable: { cpu: "1" } };
const full = { cpu: "20" };
const parallel = { podManagementPolicy: "Parallel" };
const broken = { behaviour: "never-ready" };

/**
 * Cases with an API server that doesn't store `maxUnavailable` of StatefulSets. It needs a feature
 * gate, which is off by default.
 */
const withoutGate: readonly GridCase[] = [
  stateful("two may be unavailable", { ...full, spec: some(2) }, full),
  stateful("half may be unavailable, larger than a node", { spec: some("50%") }, { cpu: "40" }),
  stateful("ready for a second", { ...full, spec: { minReadySeconds: 1 } }, full),
  stuckBefore("old Pods are broken, in order", {}, {}),
  stuckBefore("old Pods are broken, in parallel, two may be unavailable", parallel, some(2)),
  stuckBefore("old Pods are broken below a partition", parallel, partition(1)),
];

const withGate: readonly GridCase[] = [
  stateful("two may be unavailable", { ...full, spec: some(2) }, full),
  stateful("two may be unavailable, larger than a node", { spec: some(2) }, { cpu: "40" }),
  stateful("a small share may be unavailable", { ...full, spec: some("1%") }, full),
  stateful(
    "two may be unavailable above a partition",
    { spec: rolling({ partition: 2, maxUnavailable: 2 }) },
    { cpu: "40" },
  ),
  stuckBefore("old Pods are broken, in parallel", parallel, {}),
  stuckBefore("as many broken as may be unavailable", parallel, some(3)),
  stuckBefore("fewer broken than may be unavailable", parallel, some(4)),
  stuckBefore("old Pods are broken, in order, and all may be", {}, some(4)),
].map((each) => ({ ...each, name: `${each.name} (gate)`, featureGate: true }));

/**
 * Cases with a second node that is too small for its Pod. The outcome depends on whether a Pod is
 * expected there.
 */
const daemonTaints: readonly GridCase[] = [
  onSmall("that is tainted", [reserved("NoSchedule")], []),
  onSmall("with a taint that is tolerated", [reserved("NoSchedule")], [tolerated("NoSchedule")]),
  onSmall("with a taint of another effect", [reserved("NoSchedule")], [tolerated("NoExecute")]),
  onSmall("with a taint of any effect", [reserved("NoSchedule")], [tolerated()]),
  onSmall("that throws Pods out", [reserved("NoExecute")], []),
  onSmall("that throws Pods out, tolerated", [reserved("NoExecute")], [{ operator: "Exists" }]),
  onSmall(
    "with one of two taints tolerated",
    [reserved("NoSchedule"), reserved("NoExecute")],
    [tolerated("NoSchedule")],
  ),
  onSmall("that is best avoided", [reserved("PreferNoSchedule")], []),
  { ...onSmall("that is cordoned", [], []), nodes: [{}, { ...small, unschedulable: true }] },
  { ...onSmall("without a network", [], []), meanwhile: withoutNetwork() },
  {
    ...onSmall("without a network, which is the host's", [], [], { hostNetwork: true }),
    meanwhile: withoutNetwork(),
  },
];

const daemonSurges: readonly GridCase[] = [
  daemon("surging, the host port changes", port(6060), port(6061)),
  daemon("surging, a host port is introduced", { surge: 1 }, port(6060)),
  daemon("surging by a small share with a host port", port(6060), { ...port(6060), surge: "1%" }),
  daemon("surging with a sidecar's host port", sidecarPort(), sidecarPort()),
  daemon("surging, another address", address("127.0.0.1"), address("127.0.0.2")),
  daemon(
    "a small share with a host port",
    { hostPort: 6060 },
    { hostPort: 6060, unavailable: "1%" },
  ),
  daemon("spread by hostname, surging", spreadByHost(), spreadByHost()),
  {
    ...daemon("surging, a node is tainted meanwhile", { surge: 1 }, { ...full, surge: 1 }),
    meanwhile: [["taint", "node", "CASE-node-1", "late=true:NoSchedule"]],
  },
  {
    ...daemon("a node is tainted meanwhile", full, full),
    meanwhile: [["taint", "node", "CASE-node-1", "late=true:NoSchedule"]],
  },
  {
    ...daemon("a node is cordoned meanwhile", {}, { cpu: "40" }, plain(1)),
    meanwhile: [["cordon", "CASE-node-1"]],
  },
];

const revision = { matchLabelKeys: ["controller-revision-hash"] };
const apartByRevision = { apart: [apart(revision)] };
const oneZone = { apart: [apart({ ...revision, topologyKey: zone })] };
const generation = {
  apart: [apart({ matchLabelKeys: ["pod-template-generation"], topologyKey: zone })],
};

/** Only Pods of the same revision exclude each other. */
const revisions: readonly GridCase[] = [
  stateful(
    "2 apart by revision become 3 on 2 nodes",
    { ...apartByRevision, replicas: 2 },
    {
      ...{ ...apartByRevision, replicas: 3 },
    },
    plain(2),
  ),
  stateful(
    "2 apart by revision become 3 on 3 nodes",
    { ...apartByRevision, replicas: 2 },
    {
      ...{ ...apartByRevision, replicas: 3 },
    },
  ),
  daemon("apart by revision in a zone of two nodes", {}, oneZone, zones(2, 1)),
  daemon("apart by revision in zones of one node", {}, oneZone, zones(1, 1)),
  daemon("apart by generation in a zone of two nodes", {}, generation, zones(2, 1)),
  daemon("apart by generation in zones of one node", {}, generation, zones(1, 1)),
  scaledOnly("on 2 nodes", 2),
  scaledOnly("on 3 nodes", 3),
];

const shares: readonly GridCase[] = [
  canary("a surge of 25% of 3", pace("25%", 0), 3, 3),
  canary("a surge of 25% of 3, with a free node", pace("25%", 0), 3, 4),
  canary("no surge, 25% of 3 unavailable", pace(0, "25%"), 3, 3),
  canary("no surge, 34% of 3 unavailable", pace("0%", "34%"), 3, 3),
  canary("a surge of 1%, 33% of 3 unavailable", pace("1%", "33%"), 3, 3),
];

export const updateClasses = {
  ...{ withoutGate, withGate, daemonTaints, daemonSurges, revisions, shares },
};

/** Returns a case that scales the set without a new revision. */
function scaledOnly(name: string, nodes: number): GridCase {
  const set = (replicas: number) => statefulSet({ ...apartByRevision, replicas });
  return {
    name: `StatefulSet: 2 apart by revision become 3 without a new template ${name}`,
    nodes: plain(nodes),
    steps: [[set(2)], [set(3)]],
  };
}

function rolling(rollingUpdate: Fields): Fields {
  return { updateStrategy: { type: "RollingUpdate", rollingUpdate } };
}

function some(maxUnavailable: number | string): Fields {
  return rolling({ maxUnavailable });
}

/** Returns a case in which the Pods of the first step never become ready. */
function stuckBefore(name: string, both: Fields, after: Fields): GridCase {
  return {
    ...stateful(name, {}, {}),
    isStuckBefore: true,
    steps: [
      [statefulSet({ ...broken, spec: both })],
      [statefulSet({ version: 2, spec: { ...both, ...after } })],
    ],
  };
}

function onSmall(
  name: string,
  taints: readonly Fields[],
  tolerations: readonly Fields[],
  pod: Fields = {},
): GridCase {
  const own = { key: "grid", operator: "Equal", value: "CASE", effect: "NoSchedule" };
  const options = { cpu: "2", pod: { ...pod, tolerations: [own, ...tolerations] } };
  return {
    name: `DaemonSet: beside a small node ${name}`,
    nodes: [{}, { ...small, taints }],
    steps: [[daemonSet(options)]],
  };
}

function reserved(effect: string): Fields {
  return { key: `reserved-${effect}`.toLowerCase(), value: "true", effect };
}

function tolerated(effect?: string): Fields {
  return { operator: "Exists", ...(effect && { effect }) };
}

/** Returns a node condition, for which a controller taints the node. */
function withoutNetwork(): readonly (readonly string[])[] {
  const conditions = [{ type: "NetworkUnavailable", status: "True", reason: "Grid", message: "" }];
  const key = "node.kubernetes.io/network-unavailable";
  return [
    [
      ...["patch", "node", "CASE-node-2", "--subresource=status", "--type=strategic"],
      ...["-p", JSON.stringify({ status: { conditions } })],
    ],
    [
      ...["wait", "node/CASE-node-2", "--timeout=600s"],
      `--for=jsonpath={.spec.taints[?(@.key=="${key}")].key}=${key}`,
    ],
  ];
}

function port(hostPort: number): WorkloadOptions {
  return { surge: 1, hostPort };
}

function address(hostIP: string): WorkloadOptions {
  return { surge: 1, container: { ports: [{ containerPort: 6060, hostPort: 6060, hostIP }] } };
}

function sidecarPort(): WorkloadOptions {
  const ports = [{ containerPort: 4041, hostPort: 4041 }];
  const side = { name: "side", image: "side:1", restartPolicy: "Always", ports };
  return { surge: 1, pod: { initContainers: [side] } };
}

function spreadByHost(): WorkloadOptions {
  return { surge: 1, spread: [spread()] };
}

function pace(maxSurge: number | string, maxUnavailable: number | string): Fields {
  return { canary: { maxSurge, maxUnavailable } };
}
