import {
  apart,
  deployment,
  type Fields,
  type GridCase,
  plain,
  statefulSet,
  type WorkloadOptions,
  zone,
  zones,
} from "../../../support/rollout-pieces.ts";
import {
  beside,
  canary,
  changed,
  daemon,
  first,
  partition,
  sequence,
  spread,
  stateful,
  volumeAndClaim,
} from "../situations.ts";

/** Percentages, which are rounded up for maxSurge and down for maxUnavailable. */
const rounding: readonly GridCase[] = [
  [1, "25%", "25%"],
  [2, "25%", "25%"],
  [3, "100%", "100%"],
  [3, "10%", "33%"],
  [3, "10%", "34%"],
  [3, 0, "34%"],
  [6, "25%", "16%"],
  [6, "25%", "17%"],
].map(([replicas, surge, unavailable]) => {
  const options = { replicas, surge, unavailable, apart: [apart()] } as WorkloadOptions;
  return changed(
    `${replicas} apart on as many nodes, surge ${surge}, unavailable ${unavailable}`,
    options,
    options,
    plain(Number(replicas)),
  );
});

const strategies: readonly GridCase[] = [
  changed("none become 3", { replicas: 0, apart: [apart()] }, { apart: [apart()] }),
  changed("none become 4", { replicas: 0, apart: [apart()] }, { replicas: 4, apart: [apart()] }),
  changed("3 become none", { apart: [apart()] }, { replicas: 0, apart: [apart()] }),
  changed(
    "all are stopped first, and become too many",
    { apart: [apart()], spec: recreate() },
    { replicas: 4, apart: [apart()], spec: recreate() },
  ),
  changed(
    "all are stopped first from now on",
    { apart: [apart()] },
    { apart: [apart()], spec: recreate() },
  ),
  {
    ...sequence("stuck, and fewer", [{ replicas: 4 }, { replicas: 4, version: 2 }, { version: 2 }]),
    nodes: plain(4),
  },
  {
    ...sequence("stuck, and more", [{}, { version: 2 }, { replicas: 4, version: 2 }]),
    nodes: plain(3),
  },
  {
    ...sequence("stuck, and more with one that may be unavailable", [
      ...[{}, { version: 2 }],
      { replicas: 3, version: 3, unavailable: 2, surge: 2 },
    ]),
    nodes: plain(3),
  },
];

const requests: readonly GridCase[] = [
  changed("half a node exactly", { cpu: "16" }, { cpu: "16000m" }),
  changed("a little more than half a node", { cpu: "16" }, { cpu: "16001m" }),
  changed("memory for two on a node", memory("64Gi"), memory("64Gi")),
  changed("memory for one on a node", memory("65Gi"), memory("65Gi")),
  first(
    "storage of its own that no node has",
    plain(2),
    requesting({ "ephemeral-storage": "1Gi" }),
  ),
  first(
    "storage of its own",
    plain(2, { allocatable: { "ephemeral-storage": "4Gi" } }),
    requesting({ "ephemeral-storage": "2Gi" }),
  ),
  first("nothing of what no node has", plain(2), requesting({ "example.com/gpu": "0" })),
  changed(
    "room for a fourth by the number of Pods",
    {},
    {},
    plain(3, { allocatable: { pods: "2" } }),
  ),
  changed("requests of the whole Pod, one on a node", wholePod("20"), wholePod("20")),
  changed("requests of the whole Pod, two on a node", wholePod("15"), wholePod("15")),
  { ...changed("defaults of the namespace", {}, {}), around: [limitRange("20")] },
  { ...changed("small defaults of the namespace", {}, {}), around: [limitRange("10")] },
  {
    ...stateful("defaults of the namespace, one too many", {}, { replicas: 4 }),
    around: [limitRange("20")],
  },
  { ...stateful("defaults of the namespace", {}, { replicas: 3 }), around: [limitRange("20")] },
  {
    ...daemon("defaults of the namespace, larger than a node", {}, {}),
    around: [limitRange("33")],
    isStuckBefore: true,
  },
  { ...changed("overhead of its runtime", overhead(), overhead()), around: [runtimeClass("12")] },
  {
    ...changed("small overhead of its runtime", overhead(), overhead()),
    around: [runtimeClass("2")],
  },
];

const size = { storage: "1Gi" };
const onlyNew = { nodeSelector: { grid: "CASE", pool: "new" } };
const twoPools = [{}, { labels: { pool: "new" } }];
const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];

const storage: readonly GridCase[] = [
  {
    ...stateful(
      "its volume stays on a node that it leaves",
      claiming(),
      claiming(onlyNew),
      twoPools,
    ),
    around: [volume("CASE-node-1")],
  },
  {
    ...stateful("its volume is everywhere", claiming(), claiming(onlyNew), twoPools),
    around: [volume()],
  },
  {
    ...stateful(
      "its volume stays in a zone that it leaves",
      claiming(),
      claiming(inZone("zone-2")),
      zones(1, 1),
    ),
    around: [volume(undefined, { [zone]: "zone-1" })],
  },
  {
    ...stateful("its volume is in two zones", claiming(), claiming(inZone("zone-2")), zones(1, 1)),
    around: [volume(undefined, { [zone]: "zone-1__zone-2" })],
  },
  {
    ...daemon("with a volume on one of three nodes", {}, { pod: { volumes } }),
    around: volumeAndClaim("ReadWriteOnce", "CASE-node-1"),
  },
  {
    ...daemon("with a volume that is everywhere", {}, { pod: { volumes } }),
    around: volumeAndClaim("ReadWriteOnce"),
  },
  newClaim("a new claim of one Pod only, for two", "ReadWriteOncePod", 2),
  newClaim("a new claim of one Pod only, for one", "ReadWriteOncePod", 1),
  newClaim("a new claim of one node, for two", "ReadWriteOnce", 2),
];

const sets: readonly GridCase[] = [
  stateful("a partition of all from the sixth on", counted(3), { ...counted(3), cpu: "40" }),
  stateful("a partition of two from the sixth on", counted(2), { ...counted(2), cpu: "40" }),
  stateful("3 become 2 with the template", { apart: [apart()] }, { replicas: 2, apart: [apart()] }),
  {
    ...stateful(
      "old Pods are broken, in parallel",
      { behaviour: "never-ready", spec: { podManagementPolicy: "Parallel" } },
      {},
    ),
    steps: [
      [statefulSet({ behaviour: "never-ready", spec: { podManagementPolicy: "Parallel" } })],
      [statefulSet({ version: 2, spec: { podManagementPolicy: "Parallel" } })],
    ],
    isStuckBefore: true,
  },
  daemon("surging on the network of the host", hostNet(), hostNet()),
  daemon("more nodes with the next template", { pod: onlyNew }, { cpu: "40" }, [
    ...plain(2),
    { labels: { pool: "new" } },
  ]),
  daemon("fewer nodes with the next template", { apart: [apart()] }, { pod: onlyNew }, [
    ...plain(2),
    { labels: { pool: "new" } },
  ]),
  daemon("beside a tainted node", {}, {}, [...plain(2), { tainted: true }]),
  daemon("half at a time", { unavailable: "50%" }, { unavailable: "50%" }),
  {
    ...daemon("another application keeps it from one node", {}, {}),
    around: [deployment({ name: "db", labels: { app: "db" }, replicas: 1, apart: [apart()] })],
    isStuckBefore: true,
  },
  daemon(
    "surging with a higher priority",
    { cpu: "20", surge: 1 },
    { cpu: "20", surge: 1, pod: { priorityClassName: "grid-urgent" } },
  ),
  canary(
    "a weight of 20 of 3, where none need be available",
    {
      canary: {
        ...weight(20),
        maxUnavailable: 1,
        replicaProgressThreshold: { type: "Pod", value: 0 },
      },
    },
    3,
    3,
  ),
  canary(
    "a weight of 20 of 3, one may be unavailable",
    { canary: { ...weight(20), maxUnavailable: 1 } },
    3,
    3,
  ),
  canary(
    "weights of 50 and 20 of 4",
    { canary: { steps: [50, 20].map((setWeight) => ({ setWeight })) } },
    4,
    4,
  ),
  canary("a weight of 100 of 3", { canary: weight(100) }, 3, 3),
  canary("a weight of 0 of 3", { canary: weight(0) }, 3, 4),
  canary(
    "twice as many, one may be unavailable",
    { canary: { maxSurge: "100%", maxUnavailable: 1 } },
    3,
    3,
  ),
];

const fast = { priorityClassName: "CASE-fast" };
const low = { replicas: 3, cpu: "20", spread: [spread({}, { app: "db" })] };
const priorities: readonly GridCase[] = [
  {
    ...changed("a higher priority of the same deployment", { cpu: "20" }, {}),
    steps: [
      [deployment({ cpu: "20", surge: 1, unavailable: 0 })],
      [
        priorityClass("CASE-fast", 1000),
        deployment({ cpu: "20", surge: 1, unavailable: 0, version: 2, pod: fast }),
      ],
    ],
  },
  {
    ...changed("a priority of the same deployment that is none", { cpu: "20" }, {}),
    steps: [
      [deployment({ cpu: "20", surge: 1, unavailable: 0 })],
      [
        priorityClass("CASE-slow", 0),
        deployment({
          cpu: "20",
          surge: 1,
          unavailable: 0,
          version: 2,
          pod: { priorityClassName: "CASE-slow" },
        }),
      ],
    ],
  },
  {
    ...beside(
      "others that it evicts",
      low,
      { replicas: 1, cpu: "20" },
      { pod: { priorityClassName: "grid-urgent" } },
      3,
    ),
    steps: [[deployment({ replicas: 1, cpu: "20", pod: { priorityClassName: "grid-urgent" } })]],
  },
  {
    ...beside("others that it may not evict", low, { replicas: 1, cpu: "20" }, {}, 3),
    steps: [[deployment({ replicas: 1, cpu: "20", pod: { priorityClassName: "grid-patient" } })]],
  },
  {
    ...beside("others that a budget protects in vain", low, { replicas: 1, cpu: "20" }, {}, 3),
    around: [deployment({ ...low, name: "db", labels: { app: "db" } }), budget()],
    steps: [[deployment({ replicas: 1, cpu: "20", pod: { priorityClassName: "grid-urgent" } })]],
  },
];

export const roomClasses = {
  rounding,
  strategies,
  requests,
  storage,
  sets,
  priorities,
};

function recreate(): Fields {
  return { strategy: { type: "Recreate", rollingUpdate: null } };
}

function weight(setWeight: number): Fields {
  return { steps: [{ setWeight }] };
}

function requesting(resources: Fields): WorkloadOptions {
  return { container: { resources: { requests: resources, limits: resources } } };
}

function memory(amount: string): WorkloadOptions {
  return { container: { resources: { requests: { memory: amount } } } };
}

function wholePod(cpu: string): WorkloadOptions {
  return { pod: { resources: { requests: { cpu }, limits: { cpu } } } };
}

function overhead(): WorkloadOptions {
  return { cpu: "10", pod: { runtimeClassName: "CASE" } };
}

function runtimeClass(cpu: string): Fields {
  return {
    ...{ apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name: "CASE" } },
    ...{ handler: "grid", overhead: { podFixed: { cpu } } },
  };
}

function limitRange(cpu: string): Fields {
  const limits = [{ type: "Container", defaultRequest: { cpu } }];
  return { apiVersion: "v1", kind: "LimitRange", metadata: { name: "usual" }, spec: { limits } };
}

function priorityClass(name: string, value: number): Fields {
  return { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name }, value };
}

function budget(): Fields {
  const spec = { maxUnavailable: 0, selector: { matchLabels: { app: "db" } } };
  return { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "db" }, spec };
}

function hostNet(): WorkloadOptions {
  return { surge: 1, pod: { hostNetwork: true }, container: { ports: [{ containerPort: 3030 }] } };
}

/** Returns three Pods with the ordinals 5, 6 and 7. */
function counted(held: number): WorkloadOptions {
  return { spec: { ordinals: { start: 5 }, ...partition(held) } };
}

function claiming(pod: Fields = {}): WorkloadOptions {
  const claim = {
    metadata: { name: "data" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "CASE",
      resources: { requests: size },
    },
  };
  return { replicas: 1, pod, spec: { volumeClaimTemplates: [claim] } };
}

function inZone(name: string): Fields {
  return { nodeSelector: { grid: "CASE", [zone]: name } };
}

/** Returns a volume for the claims of `claiming`. */
function volume(node?: string, labels: Fields = {}): Fields {
  const [found] = volumeAndClaim("ReadWriteOnce", node) as readonly [
    { readonly spec: Fields; readonly metadata: Fields },
  ];
  return {
    ...found,
    metadata: { ...found.metadata, labels },
    spec: { ...found.spec, storageClassName: "CASE" },
  };
}

function newClaim(name: string, mode: string, replicas: number): GridCase {
  const [disk = {}, claim = {}] = volumeAndClaim(mode);
  const own = deployment({ replicas, pod: { volumes } });
  return { name: `first: ${name}`, nodes: plain(2), around: [disk], steps: [[claim, own]] };
}
