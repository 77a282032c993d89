import {
  apart,
  daemonSet,
  deployment,
  type Fields,
  type GridCase,
  type GridNode,
  hostname,
  plain,
  rollout,
  service,
  statefulSet,
  type WorkloadOptions,
  web,
} from "../../support/rollout-pieces.ts";

export const services = [service("active"), service("preview")];

export function volumeAndClaim(accessMode: string, node?: string): readonly Fields[] {
  const size = { storage: "1Gi" };
  const onNode = {
    required: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: "grid.example/node", operator: "In", values: [node ?? ""] }] },
      ],
    },
  };
  const common = { accessModes: [accessMode], storageClassName: "" };
  return [
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "CASE-data" },
      spec: {
        ...{ ...common, capacity: size, csi: { driver: "grid.example", volumeHandle: "CASE" } },
        ...(node && { nodeAffinity: onNode }),
      },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data" },
      spec: { ...common, resources: { requests: size }, volumeName: "CASE-data" },
    },
  ];
}

export function first(
  name: string,
  nodes: readonly GridNode[],
  options: WorkloadOptions,
): GridCase {
  return { name: `first: ${name}`, nodes, steps: [[deployment(options)]] };
}

/**
 * Returns a case with a new image. By default, 3 Pods on 3 nodes are replaced with a surge of 1 and
 * none unavailable.
 */
export function changed(
  name: string,
  before: WorkloadOptions,
  after: WorkloadOptions,
  nodes: readonly GridNode[] = plain(3),
  {
    isStuckBefore = false,
    after: more = [],
  }: { isStuckBefore?: boolean; after?: readonly Fields[] } = {},
): GridCase {
  const isRolling = before.spec?.strategy === undefined;
  const pace = isRolling ? { surge: 1, unavailable: 0 } : {};
  return {
    name: `Deployment: ${name}`,
    nodes,
    isStuckBefore,
    isChangedLater: more.length > 0,
    steps: [
      [deployment({ ...pace, ...before })],
      [deployment({ ...pace, version: 2, ...after }), ...more],
    ],
  };
}

export function sequence(name: string, all: readonly WorkloadOptions[]): GridCase {
  const common = { surge: 1, unavailable: 0, apart: [apart()] };
  return {
    name: `Deployment: ${name}`,
    nodes: plain(3),
    isStuckBefore: true,
    steps: all.map((options) => [deployment({ ...common, ...options })]),
  };
}

/**
 * Returns a case with an existing other Deployment. This one is created first and then gets a new
 * image.
 */
export function beside(
  name: string,
  other: WorkloadOptions,
  before: WorkloadOptions,
  after: WorkloadOptions,
  nodes: number,
): GridCase {
  const db = { ...other, name: "db", labels: { app: "db" } };
  const pace = { surge: 1, unavailable: 0 };
  return {
    name: `beside ${name}`,
    nodes: plain(nodes),
    around: [deployment(db)],
    isStuckBefore: true,
    steps: [
      [deployment({ ...pace, ...before, ...after })],
      [deployment({ ...pace, ...before, ...after, version: 2 })],
    ],
  };
}

export function stateful(
  name: string,
  before: WorkloadOptions,
  after: WorkloadOptions,
  nodes: readonly GridNode[] = plain(3),
): GridCase {
  return {
    name: `StatefulSet: ${name}`,
    nodes,
    steps: [[statefulSet(before)], [statefulSet({ ...before, version: 2, ...after })]],
  };
}

export function daemon(
  name: string,
  before: WorkloadOptions,
  after: WorkloadOptions,
  nodes: readonly GridNode[] = plain(3),
  isStuckBefore = false,
): GridCase {
  return {
    name: `DaemonSet: ${name}`,
    nodes,
    isStuckBefore,
    steps: [[daemonSet(before)], [daemonSet({ ...after, version: 2 })]],
  };
}

export function colours(
  name: string,
  strategy: Fields,
  options: WorkloadOptions,
  nodes: number,
): GridCase {
  return {
    name: `blue/green: ${name}`,
    nodes: plain(nodes),
    steps: [
      [rollout(strategy, options), ...services],
      [rollout(strategy, { ...options, version: 2 }), ...services],
    ],
  };
}

export function canary(
  name: string,
  strategy: Fields,
  replicas: number,
  nodes: number,
  options: WorkloadOptions = {},
): GridCase {
  const both = { replicas, apart: [apart()], ...options };
  return {
    name: `canary: ${name}`,
    nodes: plain(nodes),
    isStuckBefore: replicas > nodes,
    steps: [[rollout(strategy, both)], [rollout(strategy, { ...both, version: 2 })]],
  };
}

export function twoTerms(one: Fields = {}, other: Fields = {}): WorkloadOptions {
  return { apart: [apart(one), apart({ ...other, topologyKey: "grid.example/node" })] };
}

export function mismatch(): WorkloadOptions {
  return { replicas: 2, apart: [apart({ mismatchLabelKeys: ["pod-template-hash"] })] };
}

export function preferred(term: Fields): Fields {
  const weighted = [{ weight: 100, podAffinityTerm: term }];
  return { preferredDuringSchedulingIgnoredDuringExecution: weighted };
}

export function spread(options: Fields = {}, labels: Fields = web): Fields {
  return {
    ...{ topologyKey: hostname, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" },
    labelSelector: { matchLabels: labels },
    ...options,
  };
}

export function gpu(): WorkloadOptions {
  return { container: { resources: { limits: { "example.com/gpu": "1" } } } };
}

export function limits(cpu: string): WorkloadOptions {
  return { container: { resources: { limits: { cpu } } } };
}

export function hostIp(ip: string): WorkloadOptions {
  return { container: { ports: [{ containerPort: 8080, hostPort: 8080, hostIP: ip }] } };
}

export function hostNetwork(): WorkloadOptions {
  return { pod: { hostNetwork: true }, container: { ports: [{ containerPort: 5050 }] } };
}

export function initPort(restartPolicy: string | undefined): WorkloadOptions {
  const container = {
    name: "init",
    image: "init:1",
    ports: [{ containerPort: 4040, hostPort: 4040 }],
  };
  return { pod: { initContainers: [{ ...container, ...(restartPolicy && { restartPolicy }) }] } };
}

export function partition(count: number): Fields {
  return { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: count } } };
}

export function scaler(minReplicas: number): Fields {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      ...{ minReplicas, maxReplicas: 9 },
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
        },
      ],
    },
  };
}

export function storageClass(provisioner: string, options: Fields = {}): Fields {
  const metadata = { name: "CASE" };
  const volumeBindingMode = "WaitForFirstConsumer";
  const kind = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };
  return { ...kind, metadata, provisioner, volumeBindingMode, ...options };
}

export function disk(storage: string, node: string): Fields {
  const [volume] = volumeAndClaim("ReadWriteOnce", `CASE-node-${node}`) as readonly Fields[];
  const spec = { ...(volume?.spec as Fields), capacity: { storage }, storageClassName: "CASE" };
  return { ...volume, metadata: { name: `CASE-data-${node}` }, spec };
}

export function ownClaims(storageClassName: string, mode: string): Fields {
  const resources = { requests: { storage: "1Gi" } };
  const spec = { accessModes: [mode], storageClassName, resources };
  return { volumeClaimTemplates: [{ metadata: { name: "data" }, spec }] };
}

/** Returns a case with the same workload twice, with another image. */
export function same(
  name: string,
  options: WorkloadOptions,
  nodes: readonly GridNode[] = plain(3),
): GridCase {
  return changed(name, options, options, nodes);
}
