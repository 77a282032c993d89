import {
  apart,
  byArgoHash,
  byHash,
  deployment,
  type Fields,
  type GridCase,
  hostname,
  plain,
  rollout,
  type WorkloadOptions,
  web,
  zone,
  zones,
} from "../../../support/rollout-pieces.ts";
import {
  blueGreenCase,
  canary,
  changed,
  daemon,
  first,
  gpu,
  hostIp,
  hostNetwork,
  initPort,
  limits,
  mismatch,
  partition,
  preferred,
  scaler,
  sequence,
  services,
  spread,
  stateful,
  twoTerms,
  volumeAndClaim,
  withNeighbor,
} from "../situations.ts";

/**
 * Deployments whose Pods exclude each other by hostname: replicas and nodes, maxSurge and
 * maxUnavailable.
 */
const apartByHostname: readonly GridCase[] = [
  [2, 2, 1, 0],
  [3, 3, 1, 0],
  [3, 3, 3, 0],
  [3, 3, 0, 1],
  [3, 3, 1, 1],
  [3, 3, 2, 1],
  [3, 4, 1, 0],
  [3, 4, 3, 0],
  [3, 2, 1, 0],
  [3, 2, 1, 1],
  [1, 1, 1, 0],
  [1, 1, 0, 1],
  [1, 2, 1, 0],
  [4, 3, 1, 1],
  [4, 4, "25%", "25%"],
  [3, 3, "25%", "25%"],
  [5, 5, "50%", "10%"],
].map(([replicas, nodes, surge, unavailable]) => {
  const options = { replicas, surge, unavailable, apart: [apart()] } as WorkloadOptions;
  return {
    name: `${replicas} apart on ${nodes} nodes, surge ${surge}, unavailable ${unavailable}`,
    nodes: plain(Number(nodes)),
    isStuckBefore: Number(replicas) > Number(nodes),
    steps: [[deployment(options)], [deployment({ ...options, version: 2 })]],
  };
});

const firstDeployments: readonly GridCase[] = [
  first("3 apart on 3 nodes", plain(3), { apart: [apart()] }),
  first("4 apart on 3 nodes", plain(3), { replicas: 4, apart: [apart()] }),
  first("4 apart by hash on 3 nodes", plain(3), { replicas: 4, apart: [apart(byHash)] }),
  first("3 apart by zone in 2 zones", zones(2, 2), { apart: [apart({ topologyKey: zone })] }),
  first("3 apart by zone in 3 zones", zones(1, 1, 1), { apart: [apart({ topologyKey: zone })] }),
  first("a key that the selector names", plain(3), {
    apart: [apart({ matchLabelKeys: ["app"] })],
  }),
  first("with a taint that no Pod tolerates", plain(2, { tainted: true }), {}),
  first("with one untainted node of three", [...plain(2, { tainted: true }), {}], {
    apart: [apart()],
  }),
  first("with more CPU than any node has", plain(3), { cpu: "40" }),
  first("with CPU for one on each node, as many as nodes", plain(3), { cpu: "20" }),
  first("with CPU for one on each node, one too many", plain(3), { cpu: "20", replicas: 4 }),
  first("with an extended resource that no node has", plain(2), {
    container: { resources: { limits: { "example.com/gpu": "1" } } },
  }),
  first("next to a node without the topology key", [...plain(1), { nameless: true }], {
    replicas: 4,
    apart: [apart()],
  }),
  first("attracted by no Pod", plain(2), { together: [apart({}, { app: "db" })] }),
  first("attracted by others with a hash of its own as key", plain(2), {
    together: [apart(byHash, { app: "db" })],
  }),
  first("attracted by themselves with the hash as key", plain(2), { together: [apart(byHash)] }),
  first("attracted by themselves", plain(2), { together: [apart()] }),
  first("with a node label that no node has", plain(2), {
    pod: { nodeSelector: { grid: "CASE", disk: "ssd" } },
  }),
];

/** Changes of the affinity terms, with as many nodes as replicas. */
const changedTerms: readonly GridCase[] = [
  changed("a term is introduced", {}, { apart: [apart()] }),
  changed("a term is removed", { apart: [apart()] }, {}),
  changed("a hash key is introduced with the term", {}, { apart: [apart(byHash)] }),
  changed(
    "a hash key is introduced in a term that is there",
    { apart: [apart()] },
    { apart: [apart(byHash)] },
  ),
  changed("a hash key stays", { apart: [apart(byHash)] }, { apart: [apart(byHash)] }),
  changed("a hash key is removed", { apart: [apart(byHash)] }, { apart: [apart()] }),
  changed(
    "a hash key of another kind of workload",
    { apart: [apart(byArgoHash)] },
    { apart: [apart(byArgoHash)] },
  ),
  changed("one of two terms has a hash key", twoTerms(byHash), twoTerms(byHash)),
  changed("both terms have a hash key", twoTerms(byHash, byHash), twoTerms(byHash, byHash)),
  changed(
    "a term becomes preferred",
    { apart: [apart()] },
    {
      pod: { affinity: { podAntiAffinity: preferred(apart()) } },
    },
  ),
  changed(
    "a label changes that the selector of the term names",
    { labels: { app: "web", track: "a" }, apart: [apart({}, { track: "a" })] },
    { labels: { app: "web", track: "b" }, apart: [apart({}, { track: "b" })] },
  ),
  changed(
    "a label changes that the term does not name",
    { labels: { app: "web", track: "a" }, apart: [apart()] },
    { labels: { app: "web", track: "b" }, apart: [apart()] },
  ),
  changed(
    "a term of another application",
    { apart: [apart({}, { app: "db" })] },
    { apart: [apart({}, { app: "db" })] },
  ),
  changed(
    "an empty selector",
    { apart: [apart({ labelSelector: {} })] },
    { apart: [apart({ labelSelector: {} })] },
  ),
  changed(
    "a selector by expression",
    {
      apart: [
        {
          labelSelector: {
            matchExpressions: [{ key: "app", operator: "In", values: ["web", "db"] }],
          },
          topologyKey: hostname,
        },
      ],
    },
    {
      apart: [
        {
          labelSelector: { matchExpressions: [{ key: "app", operator: "Exists" }] },
          topologyKey: hostname,
        },
      ],
    },
  ),
  changed(
    "a term for all namespaces",
    { apart: [apart({ namespaceSelector: {} })] },
    { apart: [apart({ namespaceSelector: {} })] },
  ),
  changed(
    "a term for a namespace that does not exist",
    { apart: [apart({ namespaces: ["nowhere"] })] },
    { apart: [apart({ namespaces: ["nowhere"] })] },
  ),
  changed(
    "only the number of replicas shrinks",
    { apart: [apart()] },
    { apart: [apart()], replicas: 2, version: 1 },
  ),
  changed(
    "replicas shrink with the template",
    { apart: [apart()] },
    { apart: [apart()], replicas: 2 },
  ),
  changed(
    "only the strategy changes",
    { apart: [apart()] },
    { apart: [apart()], version: 1, unavailable: 1 },
  ),
  changed("nothing is kept apart", {}, {}),
  changed("it is paused", { apart: [apart()] }, { apart: [apart()], spec: { paused: true } }),
  changed(
    "all are stopped first",
    {
      apart: [apart()],
      spec: { strategy: { type: "Recreate" } },
    },
    {
      apart: [apart()],
      spec: { strategy: { type: "Recreate" } },
    },
  ),
  changed(
    "the pods move to other nodes",
    { apart: [apart()] },
    { apart: [apart()], pod: { nodeSelector: { grid: "CASE", pool: "new" } } },
    [...plain(3), ...plain(3, { labels: { pool: "new" } })],
  ),
  changed(
    "the pods move to too few other nodes",
    { apart: [apart()] },
    { apart: [apart()], pod: { nodeSelector: { grid: "CASE", pool: "new" } } },
    [...plain(3), ...plain(2, { labels: { pool: "new" } })],
  ),
  changed("a fourth node is cordoned", { apart: [apart()] }, { apart: [apart()] }, [
    ...plain(3),
    { unschedulable: true },
  ]),
  changed("a fourth node is tainted", { apart: [apart()] }, { apart: [apart()] }, [
    ...plain(3),
    { tainted: true },
  ]),
  changed("a fourth node has no hostname label", { apart: [apart()] }, { apart: [apart()] }, [
    ...plain(3),
    { nameless: true },
  ]),
  changed("a mismatch key on the hash", mismatch(), mismatch()),
];

const scaling: readonly GridCase[] = [
  changed(
    "2 become 3 with the template, on 3 nodes",
    { replicas: 2, apart: [apart()] },
    { replicas: 3, apart: [apart()] },
  ),
  changed(
    "2 become 3 with the template, on 4 nodes",
    { replicas: 2, apart: [apart()] },
    { replicas: 3, apart: [apart()] },
    plain(4),
  ),
  changed(
    "2 become 3 without the template, on 3 nodes",
    { replicas: 2, apart: [apart()] },
    { replicas: 3, version: 1, apart: [apart()] },
  ),
  changed(
    "2 become 4 without the template, on 3 nodes",
    { replicas: 2, apart: [apart()] },
    { replicas: 4, version: 1, apart: [apart()] },
  ),
  changed(
    "3 become 2 with the template, on 3 nodes, surge 2",
    { replicas: 3, apart: [apart()] },
    { replicas: 2, surge: 2, apart: [apart()] },
  ),
  changed(
    "an autoscaler wants more than fit",
    { apart: [apart()] },
    { apart: [apart()], version: 1 },
    plain(3),
    { after: [scaler(4)] },
  ),
  changed(
    "an autoscaler wants as many as fit",
    { apart: [apart()] },
    { apart: [apart()], version: 1 },
    plain(3),
    { after: [scaler(3)] },
  ),
];

const byZone: readonly GridCase[] = (
  [
    [2, [1, 1], 1, 0],
    [2, [2, 2], 1, 0],
    [2, [1, 1, 1], 1, 0],
    [2, [1, 1], 0, 1],
    [3, [2, 1, 1], 1, 0],
    [3, [2, 2, 2], 1, 1],
  ] as const
).map(([replicas, sizes, surge, unavailable]) => {
  const options = { replicas, surge, unavailable, apart: [apart({ topologyKey: zone })] };
  return {
    name: `${replicas} apart by zone in zones of ${sizes.join(", ")}, surge ${surge}, unavailable ${unavailable}`,
    nodes: zones(...sizes),
    steps: [[deployment(options)], [deployment({ ...options, version: 2 })]],
  };
});

const room: readonly GridCase[] = [
  changed("no room for one more", { cpu: "20" }, { cpu: "20" }),
  changed("room for one more on one node", { cpu: "20" }, { cpu: "10" }),
  changed("room on a fourth node", { cpu: "20" }, { cpu: "20" }, plain(4)),
  changed(
    "no room, but one may be unavailable",
    { cpu: "20", unavailable: 1 },
    { cpu: "20", unavailable: 1 },
  ),
  changed("bigger than a node has", { cpu: "1" }, { cpu: "33" }),
  changed(
    "no room for a fourth by the number of Pods",
    {},
    {},
    plain(3, { allocatable: { pods: "1" } }),
  ),
  changed(
    "init containers ask for more",
    { cpu: "10" },
    {
      cpu: "10",
      pod: {
        initContainers: [{ name: "init", image: "init:1", resources: { requests: { cpu: "30" } } }],
      },
    },
  ),
  changed(
    "a sidecar adds to it",
    { cpu: "12" },
    {
      cpu: "12",
      pod: {
        initContainers: [
          {
            name: "side",
            image: "side:1",
            restartPolicy: "Always",
            resources: { requests: { cpu: "12" } },
          },
        ],
      },
    },
  ),
  changed(
    "an extended resource, one each",
    gpu(),
    gpu(),
    plain(3, { allocatable: { "example.com/gpu": "1" } }),
  ),
  changed(
    "an extended resource, two each",
    gpu(),
    gpu(),
    plain(3, { allocatable: { "example.com/gpu": "2" } }),
  ),
  changed("limits count as requests", limits("20"), limits("20")),
];

const hostPorts: readonly GridCase[] = [
  changed("a host port stays", { hostPort: 8080 }, { hostPort: 8080 }),
  changed(
    "a host port stays, one may be unavailable",
    { hostPort: 8080, unavailable: 1 },
    { hostPort: 8080, unavailable: 1 },
  ),
  changed("a host port changes", { hostPort: 8080 }, { hostPort: 8081 }),
  changed("a host port stays on another address", hostIp("127.0.0.1"), hostIp("127.0.0.2")),
  changed("a host port on all addresses", hostIp("127.0.0.1"), hostIp("0.0.0.0")),
  changed(
    "a host port of another protocol",
    { hostPort: 8080 },
    { container: { ports: [{ containerPort: 8080, hostPort: 8080, protocol: "UDP" }] } },
  ),
  changed("the network of the host", hostNetwork(), hostNetwork()),
  changed("an init container's host port", initPort(undefined), initPort(undefined)),
  changed("a sidecar's host port", initPort("Always"), initPort("Always")),
];

const spreading: readonly GridCase[] = [
  changed("spread by hostname", { spread: [spread()] }, { spread: [spread()] }),
  changed(
    "spread by hostname, with the hash",
    { spread: [spread(byHash)] },
    { spread: [spread(byHash)] },
  ),
  changed(
    "spread with more domains than there are",
    { spread: [spread()] },
    { spread: [spread({ minDomains: 5 })], replicas: 4 },
  ),
  changed(
    "spread with as many domains as there are",
    { spread: [spread({ minDomains: 3 })] },
    { spread: [spread({ minDomains: 3 })] },
  ),
  changed("spread is introduced with a hash", {}, { spread: [spread(byHash)] }),
  changed("spread next to a tainted node", { replicas: 2 }, { replicas: 4, spread: [spread()] }, [
    ...plain(2),
    { tainted: true },
  ]),
  changed(
    "spread next to a tainted node that does not count",
    { replicas: 2 },
    { replicas: 4, spread: [spread({ nodeTaintsPolicy: "Honor" })] },
    [...plain(2), { tainted: true }],
  ),
  changed(
    "spread by zone, one zone small",
    { replicas: 4, cpu: "8" },
    { replicas: 4, cpu: "20", spread: [spread({ topologyKey: zone })] },
    zones(1, 3),
  ),
  changed(
    "spread without the key on any node",
    {},
    { spread: [spread({ topologyKey: "example.com/rack" })] },
  ),
];

const brokenBefore: readonly GridCase[] = [
  changed(
    "old Pods are broken, none may be unavailable",
    { apart: [apart()], behaviour: "never-ready" },
    { apart: [apart()] },
    plain(3),
    { isStuckBefore: true },
  ),
  changed(
    "old Pods are broken, one may be unavailable",
    { apart: [apart()], behaviour: "never-ready" },
    { apart: [apart()], unavailable: 1 },
    plain(3),
    { isStuckBefore: true },
  ),
  changed(
    "old Pods are broken, and there is another node",
    { apart: [apart()], behaviour: "never-ready" },
    { apart: [apart()] },
    plain(4),
    { isStuckBefore: true },
  ),
  sequence("stuck, mended by one that may be unavailable", [
    {},
    { version: 2 },
    { version: 2, unavailable: 1 },
  ]),
  sequence("stuck, mended with the next image", [
    {},
    { version: 2 },
    { version: 3, unavailable: 1 },
  ]),
  sequence("stuck, and back", [{}, { version: 2 }, { version: 1 }]),
  sequence("stuck, and a hash key is added", [
    {},
    { version: 2 },
    { version: 3, apart: [apart(byHash)] },
  ]),
  sequence("stuck, and an annotation changes", [
    {},
    { version: 2 },
    { version: 2, spec: { minReadySeconds: 1 } },
  ]),
  sequence("stuck, and the next image", [{}, { version: 2 }, { version: 3 }]),
];

const others: readonly GridCase[] = [
  withNeighbor(
    "another application that keeps it away",
    { apart: [apart({}, web)] },
    { replicas: 1 },
    {},
    3,
  ),
  withNeighbor(
    "another application that keeps it away from one node",
    { replicas: 1, apart: [apart({}, web)] },
    { replicas: 1 },
    {},
    2,
  ),
  withNeighbor(
    "another application that it keeps away from",
    { replicas: 2 },
    { replicas: 1 },
    { apart: [apart({}, { app: "db" })] },
    2,
  ),
  withNeighbor(
    "another application that it keeps away from, with a free node",
    { replicas: 2 },
    { replicas: 1 },
    { apart: [apart({}, { app: "db" })] },
    3,
  ),
  withNeighbor(
    "another application that takes the room",
    { replicas: 3, cpu: "20", spread: [spread({}, { app: "db" })] },
    { replicas: 1, cpu: "1" },
    { cpu: "20" },
    3,
  ),
  withNeighbor(
    "another application with the same host port",
    { replicas: 2, hostPort: 9090 },
    { replicas: 2 },
    { hostPort: 9090 },
    2,
  ),
  withNeighbor(
    "another application that it wants to be with",
    { replicas: 1 },
    { replicas: 2 },
    { together: [apart({}, { app: "db" })] },
    2,
  ),
];

const parallel = { podManagementPolicy: "Parallel" };

const urgent = { priorityClassName: "grid-urgent" };

const statefulSets: readonly GridCase[] = [
  stateful("3 apart on 3 nodes", { apart: [apart()] }, { apart: [apart()] }),
  stateful(
    "a hash key is introduced",
    { apart: [apart()] },
    { apart: [apart({ matchLabelKeys: ["controller-revision-hash"] })] },
  ),
  stateful("3 become 4 on 3 nodes", { apart: [apart()] }, { apart: [apart()], replicas: 4 }),
  stateful(
    "3 become 4 on 4 nodes",
    { apart: [apart()] },
    { apart: [apart()], replicas: 4 },
    plain(4),
  ),
  stateful("no room for one more", { cpu: "20" }, { cpu: "20" }),
  stateful("bigger than a node", {}, { cpu: "40" }),
  stateful(
    "on delete",
    { apart: [apart()], spec: { updateStrategy: { type: "OnDelete" } } },
    { cpu: "40", spec: { updateStrategy: { type: "OnDelete" } } },
  ),
  stateful(
    "a partition of all",
    { apart: [apart()], spec: partition(3) },
    { cpu: "40", spec: partition(3) },
  ),
  stateful("a partition of some", { spec: partition(2) }, { cpu: "40", spec: partition(2) }),
  stateful(
    "in parallel",
    { apart: [apart()], spec: parallel },
    { apart: [apart()], spec: parallel },
  ),
  stateful(
    "in parallel, one too many",
    { apart: [apart()], spec: parallel },
    { apart: [apart()], replicas: 4, spec: parallel },
  ),
  stateful(
    "a term by zone is introduced where two share one",
    { replicas: 2 },
    { replicas: 2, apart: [apart({ topologyKey: zone })] },
    zones(2, 2),
  ),
  stateful(
    "a term by zone with too few zones",
    { replicas: 2 },
    { replicas: 2, apart: [apart({ topologyKey: zone })] },
    zones(2),
  ),
  stateful("a host port", { hostPort: 7070 }, { hostPort: 7070 }),
];

const revision = { matchLabelKeys: ["controller-revision-hash"] };

const daemonSets: readonly GridCase[] = [
  daemon("one after the other", {}, {}),
  daemon("apart by hostname", { apart: [apart()] }, { apart: [apart()] }),
  daemon(
    "apart by hostname, surging",
    { apart: [apart()], surge: 1 },
    { apart: [apart()], surge: 1 },
  ),
  daemon("surging", { surge: 1 }, { surge: 1 }),
  daemon("surging by all", { surge: "100%" }, { surge: "100%" }),
  daemon(
    "surging with the revision as key",
    { apart: [apart(revision)], surge: 1 },
    { apart: [apart(revision)], surge: 1 },
  ),
  daemon(
    "surging while the key is introduced",
    { apart: [apart()], surge: 1 },
    { apart: [apart(revision)], surge: 1 },
  ),
  daemon("surging with a host port", { hostPort: 6060, surge: 1 }, { hostPort: 6060, surge: 1 }),
  daemon("with a host port", { hostPort: 6060 }, { hostPort: 6060 }),
  daemon("surging without room", { cpu: "20", surge: 1 }, { cpu: "20", surge: 1 }),
  daemon("surging with room", { cpu: "15", surge: 1 }, { cpu: "15", surge: 1 }),
  daemon("bigger than a node", {}, { cpu: "40" }),
  daemon(
    "apart by zone, two nodes in one",
    {},
    { apart: [apart({ topologyKey: zone })] },
    zones(2, 1),
  ),
  daemon(
    "apart by zone, one node in each",
    {},
    { apart: [apart({ topologyKey: zone })] },
    zones(1, 1, 1),
  ),
  daemon("on delete", {}, { cpu: "40", spec: { updateStrategy: { type: "OnDelete" } } }),
  daemon(
    "surging over what is broken",
    { apart: [apart()], behaviour: "never-ready", surge: 1 },
    { apart: [apart()], surge: 1 },
    plain(3),
    true,
  ),
  daemon(
    "over what is broken",
    { apart: [apart()], behaviour: "never-ready" },
    { apart: [apart()] },
    plain(3),
    true,
  ),
  daemon("next to a cordoned node", { apart: [apart()] }, { apart: [apart()] }, [
    ...plain(2),
    { unschedulable: true },
  ]),
];

const blueGreen = (options: Fields = {}) => ({
  blueGreen: {
    activeService: "active",
    previewService: "preview",
    scaleDownDelaySeconds: 0,
    ...options,
  },
});

const blueGreens: readonly GridCase[] = [
  blueGreenCase("3 apart on 3 nodes", blueGreen(), { apart: [apart()] }, 3),
  blueGreenCase("3 apart on 5 nodes", blueGreen(), { apart: [apart()] }, 5),
  blueGreenCase("3 apart on 6 nodes", blueGreen(), { apart: [apart()] }, 6),
  blueGreenCase("3 apart by hash on 3 nodes", blueGreen(), { apart: [apart(byArgoHash)] }, 3),
  blueGreenCase("not apart", blueGreen(), {}, 2),
  blueGreenCase("no room for two colors", blueGreen(), { cpu: "20" }, 3),
  blueGreenCase(
    "a preview of one on 4 nodes",
    blueGreen({ previewReplicaCount: 1 }),
    { apart: [apart()] },
    4,
  ),
  blueGreenCase(
    "a preview of one on 6 nodes",
    blueGreen({ previewReplicaCount: 1 }),
    { apart: [apart()] },
    6,
  ),
];

const threeColours: readonly GridCase[] = [3600, 0].map((delay) => ({
  name: `blue/green: a third color after a delay of ${delay} s`,
  nodes: plain(6),
  steps: [1, 2, 3].map((version) => [
    rollout(blueGreen({ scaleDownDelaySeconds: delay }), { version, apart: [apart()] }),
    ...services,
  ]),
  keepsControllerBusy: delay === 0,
}));

const steps = (...weights: readonly number[]) => ({
  canary: { steps: weights.map((setWeight) => ({ setWeight })) },
});

const canaries: readonly GridCase[] = [
  canary(
    "without steps, 3 apart on 3 nodes, surge 1",
    { canary: { maxSurge: 1, maxUnavailable: 0 } },
    3,
    3,
  ),
  canary(
    "without steps, 3 apart on 3 nodes, unavailable 1",
    { canary: { maxSurge: 0, maxUnavailable: 1 } },
    3,
    3,
  ),
  canary(
    "without steps, 3 apart on 4 nodes, surge 1",
    { canary: { maxSurge: 1, maxUnavailable: 0 } },
    3,
    4,
  ),
  canary("without steps, by default", { canary: {} }, 3, 3),
  canary("a weight of 20 of 3", steps(20), 3, 3),
  canary("a weight of 50 of 3", steps(50), 3, 3),
  canary("a weight of 80 of 3", steps(80), 3, 3),
  canary("a weight of 33 of 3", steps(33), 3, 3),
  canary("a weight of 10 of 4", steps(10), 4, 4),
  canary("a weight of 25 of 4", steps(25), 4, 4),
  canary("a weight of 50 of 4", steps(50), 4, 4),
  canary("a weight of 10 of 5", steps(10), 5, 5),
  canary("weights of 25, 50 and 75 of 4", steps(25, 50, 75), 4, 4),
  canary("a weight of 20 of 3 with one more node", steps(20), 3, 4),
  canary(
    "a weight of 20 of 3 without surge",
    { canary: { ...steps(20).canary, maxSurge: 0, maxUnavailable: 1 } },
    3,
    3,
  ),
  canary("a weight of 20 of 3 by hash", steps(20), 3, 3, { apart: [apart(byArgoHash)] }),
  canary("a weight of 20 of 3 not apart", steps(20), 3, 3, { apart: [] }),
  canary(
    "a pause of a second between",
    { canary: { steps: [{ setWeight: 33 }, { pause: { duration: "1s" } }, { setWeight: 50 }] } },
    3,
    3,
  ),
  canary(
    "a term of its own against the stable Pods, surge",
    {
      canary: {
        maxSurge: 1,
        maxUnavailable: 0,
        antiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} },
      },
    },
    3,
    3,
    { apart: [] },
  ),
  canary(
    "a term of its own against the stable Pods, with a free node",
    {
      canary: {
        maxSurge: 1,
        maxUnavailable: 0,
        antiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} },
      },
    },
    2,
    4,
    { apart: [] },
  ),
  canary("more replicas than nodes", { canary: {} }, 4, 3),
];

const priorities: readonly GridCase[] = [
  changed("a higher priority evicts the old Pods", { cpu: "20" }, { cpu: "20", pod: urgent }),
  changed(
    "a higher priority evicts by anti-affinity",
    { apart: [apart()] },
    { apart: [apart()], pod: urgent },
  ),
  changed("both have the higher priority", { cpu: "20", pod: urgent }, { cpu: "20", pod: urgent }),
  changed(
    "a higher priority that may not preempt",
    { cpu: "20" },
    { cpu: "20", pod: { priorityClassName: "grid-patient" } },
  ),
  changed("a lower priority", { cpu: "20", pod: urgent }, { cpu: "20" }),
];

const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
const claims: readonly GridCase[] = [
  {
    ...changed(
      "a claim of one Pod only",
      { replicas: 1, pod: { volumes } },
      { replicas: 1, pod: { volumes } },
    ),
    around: volumeAndClaim("ReadWriteOncePod"),
  },
  {
    ...changed(
      "a claim of one Pod only, all stopped first",
      { replicas: 1, pod: { volumes }, spec: { strategy: { type: "Recreate" } } },
      { replicas: 1, pod: { volumes }, spec: { strategy: { type: "Recreate" } } },
    ),
    around: volumeAndClaim("ReadWriteOncePod"),
  },
  {
    ...changed(
      "a claim of one node",
      { replicas: 1, pod: { volumes } },
      { replicas: 1, pod: { volumes } },
    ),
    around: volumeAndClaim("ReadWriteOnce"),
  },
  {
    ...changed(
      "a volume on one node, which is full",
      { replicas: 1, cpu: "20", pod: { volumes } },
      { replicas: 1, cpu: "20", pod: { volumes } },
    ),
    around: volumeAndClaim("ReadWriteOnce", "CASE-node-1"),
  },
  {
    ...changed(
      "a volume on one node with room",
      { replicas: 1, cpu: "10", pod: { volumes } },
      { replicas: 1, cpu: "10", pod: { volumes } },
    ),
    around: volumeAndClaim("ReadWriteOnce", "CASE-node-1"),
  },
];

const api = { name: "api", labels: { app: "api" }, replicas: 3 };
const together: readonly GridCase[] = [
  {
    name: "two new ones that fit only one at a time",
    nodes: plain(3),
    steps: [[deployment({ cpu: "20" }), deployment({ ...api, cpu: "20" })]],
  },
  {
    name: "two new ones that fit both",
    nodes: plain(3),
    steps: [[deployment({ cpu: "15" }), deployment({ ...api, cpu: "15" })]],
  },
  {
    name: "one of another name, while the old one stays until it is ready",
    nodes: plain(3),
    steps: [[deployment({ apart: [apart()] })], [deployment({ name: "site", apart: [apart()] })]],
  },
  {
    name: "one of another name with room next to the old one",
    nodes: plain(6),
    steps: [[deployment({ apart: [apart()] })], [deployment({ name: "site", apart: [apart()] })]],
  },
  {
    name: "one shrinks in the same deployment that another needs the room of",
    nodes: plain(3),
    steps: [
      [deployment({ cpu: "20" })],
      [deployment({ cpu: "20", replicas: 2 }), deployment({ ...api, cpu: "20", replicas: 1 })],
    ],
  },
];

export const baseClasses = {
  apartByHostname,
  firstDeployments,
  changedTerms,
  scaling,
  byZone,
  room,
  hostPorts,
  spreading,
  brokenBefore,
  others,
  statefulSets,
  daemonSets,
  blueGreens,
  threeColours,
  canaries,
  priorities,
  claims,
  together,
};
