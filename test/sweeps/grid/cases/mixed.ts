import {
  apart,
  deployment,
  type Fields,
  type GridCase,
  plain,
  statefulSet,
  type WorkloadOptions,
} from "../../../support/rollout-pieces.ts";
import { changed, daemon, first, partition, sequence, spread, stateful } from "../situations.ts";

const tight = { apart: [apart()] };
const shares: readonly GridCase[] = [
  share(2, "50%", "50%"),
  share(2, "50%", "49%"),
  share(3, 0, "25%"),
  share(4, "0%", "24%"),
  share(5, "30%", "19%"),
  share(5, "30%", "20%"),
  resizedShare(4, 3, 4),
  resizedShare(3, 4, 4),
  resizedShare(1, 2, 2),
  resizedShare(1, 2, 3),
];

const urgent = { pod: { priorityClassName: "grid-urgent" } };
const patient = { pod: { priorityClassName: "grid-patient" } };
const named = { replicas: 2, apart: [apart()], pod: { nodeName: "CASE-node-1" } };

/** Changes of fields that few templates have. */
const fields: readonly GridCase[] = [
  changed("both on the only node by name, apart", named, named, plain(1)),
  changed(
    "on the only node by name from now on",
    { replicas: 1, apart: [apart()] },
    {
      ...{ ...named, replicas: 1 },
    },
    plain(1),
  ),
  evicting("may no longer evict", urgent, patient),
  evicting("may still evict", urgent, urgent),
];

const recreate = { strategy: { type: "Recreate", rollingUpdate: null } };
const kinds: readonly GridCase[] = [
  changed(
    "all were stopped first until now",
    { ...tight, spec: recreate },
    {
      ...tight,
      spec: {
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      },
    },
  ),
  changed("paused, and one more than fits", tight, {
    ...{ ...tight, replicas: 4, spec: { paused: true } },
  }),
  changed(
    "paused, and one more that fits",
    { ...tight, replicas: 2 },
    {
      ...{ ...tight, replicas: 3, spec: { paused: true } },
    },
  ),
  {
    ...sequence("stuck, paused, and resumed with one that may be unavailable", [
      ...[{}, { version: 2 }, { version: 2, spec: { paused: true } }],
      { version: 2, unavailable: 1 },
    ]),
    isStuckBefore: true,
  },
  afterOnDelete("larger than a node", { cpu: "40" }),
  afterOnDelete("that fits", { cpu: "10" }),
  stateful("a partition beyond all", { spec: partition(9) }, { cpu: "40", spec: partition(9) }),
  stateful(
    "fewer than its partition",
    { spec: partition(2) },
    {
      ...{ replicas: 2, cpu: "40", spec: partition(2) },
    },
  ),
  stateful(
    "more than before above a partition",
    { replicas: 2, spec: partition(2) },
    {
      ...{ replicas: 3, cpu: "40", spec: partition(2) },
    },
  ),
  daemon(
    "surging with room for one Pod a node by their number",
    { surge: 1 },
    { surge: 1 },
    plain(2, { allocatable: { pods: "1" } }),
  ),
  daemon(
    "surging with room for two Pods a node by their number",
    { surge: 1 },
    { surge: 1 },
    plain(2, { allocatable: { pods: "2" } }),
  ),
  daemon("surging no more, with a host port", { surge: 1, hostPort: 6062 }, { hostPort: 6062 }),
  daemon("surging from now on, with a host port", { hostPort: 6063 }, { surge: 1, hostPort: 6063 }),
  daemon(
    "surging onto other nodes",
    { ...moving("old"), surge: 1, cpu: "20" },
    {
      ...{ ...moving("new"), surge: 1, cpu: "20" },
    },
    [{ labels: { pool: "old" } }, { labels: { pool: "new" } }],
  ),
  grown("beside another application, surely", { cpu: "13" }),
  grown("beside another application, just so", { cpu: "12" }),
  grown("beside another application that it evicts", {
    ...{ cpu: "13", pod: { priorityClassName: "grid-urgent" } },
  }),
];

const huge = (amount: string): WorkloadOptions => ({
  container: {
    resources: {
      requests: { "hugepages-2Mi": amount, memory: "64Mi" },
      limits: { "hugepages-2Mi": amount, memory: "64Mi" },
    },
  },
});

const resources: readonly GridCase[] = [
  changed(
    "huge pages for one on a node",
    huge("64Mi"),
    huge("64Mi"),
    plain(3, { allocatable: { "hugepages-2Mi": "100Mi" } }),
  ),
  changed(
    "huge pages for two on a node",
    huge("64Mi"),
    huge("64Mi"),
    plain(3, { allocatable: { "hugepages-2Mi": "128Mi" } }),
  ),
  changed(
    "own storage for one on a node",
    disk("2Gi"),
    disk("2Gi"),
    plain(3, { allocatable: { "ephemeral-storage": "3Gi" } }),
  ),
  changed(
    "own storage for two on a node",
    disk("1536Mi"),
    disk("1536Mi"),
    plain(3, { allocatable: { "ephemeral-storage": "3Gi" } }),
  ),
  changed("8 of 10.6 CPUs on 3 nodes", { replicas: 8, cpu: "10.6" }, { replicas: 8, cpu: "10.6" }),
  changed("6 of 10.7 CPUs on 3 nodes", { replicas: 6, cpu: "10.7" }, { replicas: 6, cpu: "10.7" }),
  first(
    "CPU on one node, and memory on another",
    [{ allocatable: { cpu: "1" } }, { allocatable: { memory: "1Gi" } }],
    both64(),
  ),
  first("CPU and memory on the second node", [{ allocatable: { cpu: "1" } }, {}], both64()),
  changed("a sidecar beside a large init container", sidecar("4", "15"), sidecar("4", "15")),
  changed("a sidecar beside a larger init container", sidecar("4", "17"), sidecar("4", "17")),
];

export const mixedClasses = { fields, shares, kinds, resources };

/** Returns a case in which Pods of another application without priority fill the nodes. */
function evicting(name: string, before: WorkloadOptions, after: WorkloadOptions): GridCase {
  const labels = { app: "db" };
  const db = { name: "db", labels, replicas: 3, cpu: "20", spread: [spread({}, labels)] };
  const web = { replicas: 1, cpu: "20" };
  return {
    ...changed(`it ${name}`, { ...web, ...before }, { ...web, ...after }),
    around: [deployment(db)],
  };
}

function share(replicas: number, surge: number | string, unavailable: number | string): GridCase {
  const options = { ...tight, replicas, surge, unavailable };
  const name = `${replicas} apart on as many nodes, surge ${surge}, unavailable ${unavailable}`;
  return changed(name, options, options, plain(replicas));
}

function resizedShare(before: number, after: number, nodes: number): GridCase {
  const options = { ...tight, surge: "25%", unavailable: "25%" };
  return changed(
    `${before} become ${after} on ${nodes} nodes by quarters`,
    { ...options, replicas: before },
    { ...options, replicas: after },
    plain(nodes),
  );
}

/** Returns a case in which the Pods of the second step are created only by the third. */
function afterOnDelete(name: string, options: WorkloadOptions): GridCase {
  const updateStrategy = { type: "OnDelete" };
  return {
    name: `StatefulSet: rolled from now on, with a template ${name}`,
    nodes: plain(3),
    steps: [
      [statefulSet({ spec: { updateStrategy } })],
      [statefulSet({ version: 2, ...options, spec: { updateStrategy } })],
      [statefulSet({ version: 2, ...options })],
    ],
  };
}

function moving(pool: string): WorkloadOptions {
  return { pod: { nodeSelector: { grid: "CASE", pool } } };
}

/** Returns a case in which another application uses 20 of the 32 CPUs of each node. */
function grown(name: string, options: WorkloadOptions): GridCase {
  const labels = { app: "db" };
  const db = { name: "db", labels, replicas: 2, cpu: "20", spread: [spread({}, labels)] };
  return {
    ...daemon(`grown ${name}`, { cpu: "10" }, options, plain(2)),
    around: [deployment(db)],
  };
}

function disk(amount: string): WorkloadOptions {
  return { container: { resources: { requests: { "ephemeral-storage": amount } } } };
}

function both64(): WorkloadOptions {
  return { container: { resources: { requests: { cpu: "2", memory: "64Gi" } } }, replicas: 1 };
}

/**
 * Returns a Pod whose init container runs next to the sidecar and needs more than the main
 * container.
 */
function sidecar(side: string, init: string): WorkloadOptions {
  const container = (name: string, cpu: string, more: Fields = {}): Fields => ({
    ...{ name, image: `${name}:1`, resources: { requests: { cpu } } },
    ...more,
  });
  const initContainers = [
    container("side", side, { restartPolicy: "Always" }),
    container("init", init),
  ];
  return { cpu: "11", pod: { initContainers } };
}
