import {
  apart,
  deployment,
  type Fields,
  type GridCase,
  plain,
  rollout,
  statefulSet,
  type WorkloadOptions,
  zone,
  zones,
} from "../../../support/rollout-pieces.ts";
import { beside, canary, changed, colours, volumeAndClaim } from "../situations.ts";

const tight = { apart: [apart()] };
const blueGreen = (options: Fields = {}) => ({
  blueGreen: {
    ...{ activeService: "active", previewService: "preview", scaleDownDelaySeconds: 0 },
    ...options,
  },
});

const argo: readonly GridCase[] = [
  canary("a surge of half of 3 by default for a weight of 33", weights({}, 33), 3, 4),
  canary("a weight of 34 of 3", weights({}, 34), 3, 3),
  canary("weights of 30 and 70 of 2", weights({}, 30, 70), 2, 2),
  canary("weights of 30 and 70 of 2, with a free node", weights({}, 30, 70), 2, 3),
  canary("at least one Pod of each, a weight of 1", weights({ minPodsPerReplicaSet: 1 }, 1), 3, 3),
  canary("a weight of 1 of 3, with a free node", weights({}, 1), 3, 4),
  grownCanary("2 become 3 with a surge on 3 nodes", 3),
  grownCanary("2 become 3 with a surge on 4 nodes", 4),
  canary("a host port on as many nodes", pace(1, 0), 3, 3, { apart: [], hostPort: 8086 }),
  canary("a host port, one fewer", pace(0, 1), 3, 3, { apart: [], hostPort: 8087 }),
  canary("no room for one more", pace(1, 0), 3, 3, { apart: [], cpu: "20" }),
  canary("a weight of 50 of 4 with half unavailable", weights({ maxUnavailable: "50%" }, 50), 4, 4),
  colours("a host port on 3 nodes", blueGreen(), { hostPort: 8088, replicas: 2 }, 3),
  colours("a host port on 4 nodes", blueGreen(), { hostPort: 8089, replicas: 2 }, 4),
  colours("one may be unavailable", blueGreen({ maxUnavailable: 1 }), { ...tight, replicas: 2 }, 3),
  pausedRollout("on as many nodes", 3),
];

/** Live Pods that belong to no workload of the plan. */
const strangers: readonly GridCase[] = [
  stranger("takes the room", {}, []),
  stranger("has ended", {}, [["patch", "pod", "alone", "--subresource=status", "-p", ended()]]),
  stranger("is to leave, and is held back", { finalizers: ["example.com/hold"] }, [
    ["delete", "pod", "alone", "--wait=false"],
  ]),
  stranger("does not fit itself", { pending: true }, []),
  portOf("with the host port on the host's network", 9092),
  portOf("with another port on the host's network", 9093),
  beside(
    "another application with the host port on one address",
    { replicas: 2, container: portOn("127.0.0.1") },
    { replicas: 2 },
    { container: portOn("127.0.0.2"), surge: 0, unavailable: 1 },
    2,
  ),
  beside(
    "another application with the host port on all addresses",
    { replicas: 2, container: portOn("0.0.0.0") },
    { replicas: 2 },
    { container: portOn("127.0.0.2"), surge: 0, unavailable: 1 },
    2,
  ),
];

const pressure: readonly GridCase[] = [
  pressed("short of memory", {}, "MemoryPressure", "memory-pressure"),
  pressed(
    "short of memory, where they ask for CPUs",
    { cpu: "1" },
    "MemoryPressure",
    "memory-pressure",
  ),
  pressed(
    "short of memory, which is tolerated",
    tolerating("memory-pressure"),
    "MemoryPressure",
    "memory-pressure",
  ),
  pressed("short of space", {}, "DiskPressure", "disk-pressure"),
];

const data = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
const zoned: readonly GridCase[] = [
  inZones("its volume is in the zone that it stays in", "zone-1"),
  inZones("its volume is in the zone that it leaves", "zone-2"),
  {
    ...changed(
      "a claim of one Pod only, one may be unavailable",
      { replicas: 1, unavailable: 1, pod: { volumes: data } },
      { replicas: 1, unavailable: 1, pod: { volumes: data } },
    ),
    around: volumeAndClaim("ReadWriteOncePod"),
  },
  {
    name: "StatefulSet: a claim of one Pod only that all share",
    nodes: plain(2),
    around: volumeAndClaim("ReadWriteOncePod"),
    steps: [1, 2].map((version) => [statefulSet({ replicas: 1, version, pod: { volumes: data } })]),
  },
  {
    name: "StatefulSet: a claim of one Pod only that two share",
    nodes: plain(2),
    around: volumeAndClaim("ReadWriteOncePod"),
    steps: [[statefulSet({ replicas: 2, pod: { volumes: data } })]],
  },
  changed("a volume for each Pod's life", passing(), passing()),
];

export const neighbourClasses = { argo, strangers, pressure, zoned };

function weights(options: Fields, ...all: readonly number[]): Fields {
  return { canary: { ...options, steps: all.map((setWeight) => ({ setWeight })) } };
}

function pace(maxSurge: number, maxUnavailable: number): Fields {
  return { canary: { maxSurge, maxUnavailable } };
}

function grownCanary(name: string, nodes: number): GridCase {
  const strategy = pace(1, 0);
  return {
    name: `canary: ${name}`,
    nodes: plain(nodes),
    steps: [
      [rollout(strategy, { ...tight, replicas: 2 })],
      [rollout(strategy, { ...tight, replicas: 3, version: 2 })],
    ],
  };
}

function pausedRollout(name: string, nodes: number): GridCase {
  const paused = rollout(pace(1, 0), { ...tight, version: 2, spec: { paused: true } });
  return {
    name: `canary: paused ${name}`,
    nodes: plain(nodes),
    steps: [[rollout(pace(1, 0), tight)], [paused]],
  };
}

/** Returns a case with an unmanaged Pod on the second of two nodes. */
function stranger(
  name: string,
  { pending = false, finalizers = [] }: { pending?: boolean; finalizers?: readonly string[] },
  meanwhile: readonly (readonly string[])[],
): GridCase {
  const { template } = deployment({ labels: { app: "alone" }, cpu: pending ? "33" : "20" })
    .spec as { template: { metadata: Fields; spec: Fields } };
  const alone = {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { ...template.metadata, name: "alone", finalizers },
    spec: { ...template.spec, ...(pending ? {} : { nodeName: "CASE-node-2" }) },
  };
  return {
    ...changed(`a Pod of nobody ${name}`, { replicas: 1, cpu: "20" }, { replicas: 1, cpu: "20" }),
    nodes: plain(2),
    around: [alone],
    meanwhile,
  };
}

function ended(): string {
  return JSON.stringify({ status: { phase: "Succeeded" } });
}

function portOf(name: string, port: number): GridCase {
  const ports = [{ containerPort: 9092 }];
  return beside(
    `another application ${name}`,
    { replicas: 2, pod: { hostNetwork: true }, container: { ports } },
    { replicas: 2 },
    { hostPort: port, surge: 0, unavailable: 1 },
    2,
  );
}

function portOn(hostIP: string): Fields {
  return { ports: [{ containerPort: 9094, hostPort: 9094, hostIP }] };
}

/** Returns a case with a node condition, for which a controller taints the node. */
function pressed(name: string, options: WorkloadOptions, type: string, taint: string): GridCase {
  const conditions = [{ type, status: "True", reason: "Grid", message: "" }];
  const key = `node.kubernetes.io/${taint}`;
  return {
    ...changed(`the only free node is ${name}`, { ...tight, ...options }, { ...tight, ...options }),
    nodes: [...plain(3), { labels: { last: "true" } }],
    meanwhile: [
      ["wait", "deployment/web", "--for=condition=Available", "--timeout=600s"],
      ...emptied(),
      [
        ...["patch", "node", "CASE-node-4", "--subresource=status", "--type=strategic"],
        ...["-p", JSON.stringify({ status: { conditions } })],
      ],
      [
        ...["wait", "node/CASE-node-4", "--timeout=600s"],
        `--for=jsonpath={.spec.taints[?(@.key=="${key}")].key}=${key}`,
      ],
    ],
  };
}

/** Returns commands that drain the last node and allow Pods on it again. */
function emptied(): readonly (readonly string[])[] {
  return [
    ["drain", "CASE-node-4", "--force", "--ignore-daemonsets", "--delete-emptydir-data"],
    ["rollout", "status", "deployment/web", "--timeout=600s"],
    ["uncordon", "CASE-node-4"],
  ];
}

function tolerating(taint: string): WorkloadOptions {
  const own = { key: "grid", operator: "Equal", value: "CASE", effect: "NoSchedule" };
  const other = { key: `node.kubernetes.io/${taint}`, operator: "Exists" };
  return { pod: { tolerations: [own, other] } };
}

/** Returns a case with a volume in the first zone. */
function inZones(name: string, to: string): GridCase {
  const [volume, claim] = volumeAndClaim("ReadWriteMany") as readonly [
    { readonly spec: Fields },
    Fields,
  ];
  const matchExpressions = [{ key: zone, operator: "In", values: ["zone-1"] }];
  const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } };
  const within = (value: string) => ({
    ...{ replicas: 2, pod: { volumes: data, nodeSelector: { grid: "CASE", [zone]: value } } },
  });
  return {
    ...changed(name, within("zone-1"), within(to), zones(1, 1)),
    around: [{ ...volume, spec: { ...volume.spec, nodeAffinity } }, claim],
  };
}

function passing(): WorkloadOptions {
  const resources = { requests: { storage: "1Gi" } };
  const spec = { accessModes: ["ReadWriteOnce"], storageClassName: "standard", resources };
  const volumes = [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec } } }];
  return { replicas: 2, pod: { volumes } };
}
