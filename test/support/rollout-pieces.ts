/** Pieces of the rollouts that the grid tries. */
export type Fields = Readonly<Record<string, unknown>>;

/** A node by its labels; its name is its hostname. */
export interface GridNode {
  readonly labels?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly unschedulable?: boolean;
  readonly tainted?: boolean;
  readonly taints?: readonly Fields[];
  /** Without the label kubernetes.io/hostname. */
  readonly nameless?: boolean;
}

export interface GridCase {
  readonly name: string;
  readonly nodes: readonly GridNode[];
  /** What is declared one after the other; the last step is foretold, then done. */
  readonly steps: readonly (readonly Fields[])[];
  /** Applied by somebody else before the first step, and ready by then. */
  readonly around?: readonly Fields[];
  /** Whether what is around gets ready is not known. */
  readonly isAroundOpen?: boolean;
  /** Where the steps before the last one are not to end. */
  readonly isStuckBefore?: boolean;
  /** Something else changes it after the deployment: an autoscaler looks every 15 s. */
  readonly isChangedLater?: boolean;
  /** A deployment ends where its strategy pauses, and the rollout goes on after that. */
  readonly pauses?: boolean;
  /** What kubectl waits for where the rollout begins only after the deployment has ended. */
  readonly begun?: readonly string[];
  /** What others do before the last step, as arguments of kubectl. */
  readonly meanwhile?: readonly (readonly string[])[];
  /** On servers that store `maxUnavailable` of StatefulSets, which they don't by default. */
  readonly featureGate?: boolean;
  /** Others decide whether it ends, so nothing else than that may be foretold. */
  readonly isOpen?: boolean;
  /** Whichever Pod asks first gets the place that another needs: both endings happen, so that it may not end is what must be foretold. */
  readonly isRace?: boolean;
}

export const hostname = "kubernetes.io/hostname";
export const zone = "topology.kubernetes.io/zone";
export const web = { app: "web" };

export function plain(count: number, node: GridNode = {}): readonly GridNode[] {
  return Array.from({ length: count }, () => node);
}

/** Zones by how many nodes each has. */
export function zones(...sizes: readonly number[]): readonly GridNode[] {
  return sizes.flatMap((size, index) => plain(size, { labels: { [zone]: `zone-${index + 1}` } }));
}

/** Pods of this label keep away from each other. */
export function apart(options: Fields = {}, labels: Fields = web): Fields {
  return { labelSelector: { matchLabels: labels }, topologyKey: hostname, ...options };
}

export const byHash = { matchLabelKeys: ["pod-template-hash"] };
export const byArgoHash = { matchLabelKeys: ["rollouts-pod-template-hash"] };

interface PodOptions {
  readonly version?: number;
  readonly labels?: Fields;
  /** Terms of required anti-affinity. */
  readonly apart?: readonly Fields[];
  readonly together?: readonly Fields[];
  readonly spread?: readonly Fields[];
  readonly cpu?: string;
  readonly hostPort?: number;
  readonly behaviour?: string;
  readonly pod?: Fields;
  readonly container?: Fields;
}

function template(options: PodOptions = {}): Fields {
  const { version = 1, labels = web, behaviour, cpu, hostPort, pod = {}, container = {} } = options;
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const affinity = {
    ...(options.apart && { podAntiAffinity: { [required]: options.apart } }),
    ...(options.together && { podAffinity: { [required]: options.together } }),
  };
  return {
    metadata: { labels, ...(behaviour && { annotations: { "test.qvs/behaviour": behaviour } }) },
    spec: {
      nodeSelector: { grid: "CASE" },
      tolerations: [{ key: "grid", operator: "Equal", value: "CASE", effect: "NoSchedule" }],
      ...(Object.keys(affinity).length > 0 && { affinity }),
      ...(options.spread && { topologySpreadConstraints: options.spread }),
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: "web",
          image: `web:${version}`,
          ...(cpu && { resources: { requests: { cpu } } }),
          ...(hostPort && { ports: [{ containerPort: hostPort, hostPort }] }),
          ...container,
        },
      ],
      ...pod,
    },
  };
}

export interface WorkloadOptions extends PodOptions {
  readonly name?: string;
  readonly replicas?: number;
  readonly surge?: number | string;
  readonly unavailable?: number | string;
  readonly spec?: Fields;
}

export function deployment(options: WorkloadOptions = {}): Fields {
  const { name = "web", replicas = 3, surge, unavailable, labels = web, spec = {} } = options;
  const rolling = {
    ...(surge !== undefined && { maxSurge: surge }),
    ...(unavailable !== undefined && { maxUnavailable: unavailable }),
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: (labels as { app?: string }).app ?? "web" } },
      ...(Object.keys(rolling).length > 0 && { strategy: { rollingUpdate: rolling } }),
      template: template(options),
      ...spec,
    },
  };
}

export function statefulSet(options: WorkloadOptions = {}): Fields {
  const { name = "web", replicas = 3, spec = {} } = options;
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name },
    spec: {
      replicas,
      serviceName: "web",
      selector: { matchLabels: web },
      template: template(options),
      ...spec,
    },
  };
}

export function daemonSet(options: WorkloadOptions = {}): Fields {
  const { name = "web", surge, unavailable, spec = {} } = options;
  const rolling = {
    ...(surge !== undefined && { maxSurge: surge, maxUnavailable: unavailable ?? 0 }),
    ...(surge === undefined && unavailable !== undefined && { maxUnavailable: unavailable }),
  };
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name },
    spec: {
      selector: { matchLabels: web },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: rolling },
      template: template(options),
      ...spec,
    },
  };
}

export function rollout(strategy: Fields, options: WorkloadOptions = {}): Fields {
  const { name = "web", replicas = 3, spec = {} } = options;
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Rollout",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: web },
      strategy,
      template: template(options),
      ...spec,
    },
  };
}

export function service(name: string): Fields {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: { selector: web, ports: [{ name: "http", port: 80 }] },
  };
}
