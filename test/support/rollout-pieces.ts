/** Building blocks of the rollouts in the grid. */
export type Fields = Readonly<Record<string, unknown>>;

/** A node by its labels. Its name is its hostname. */
export interface GridNode {
  readonly labels?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly unschedulable?: boolean;
  readonly tainted?: boolean;
  readonly taints?: readonly Fields[];
  /** True to omit the label kubernetes.io/hostname. */
  readonly nameless?: boolean;
}

export interface GridCase {
  readonly name: string;
  readonly nodes: readonly GridNode[];
  /** The declared objects of each deployment. The last step is predicted and then executed. */
  readonly steps: readonly (readonly Fields[])[];
  /** Objects that another user applies before the first step. They are ready before it starts. */
  readonly around?: readonly Fields[];
  /** True if the objects of `around` might never become ready. */
  readonly isAroundOpen?: boolean;
  /** True if the steps before the last one must not complete. */
  readonly isStuckBefore?: boolean;
  /**
   * True if something changes the workload after the deployment. An autoscaler, for example, runs
   * every 15 s.
   */
  readonly isChangedLater?: boolean;
  /**
   * True if the strategy pauses. The deployment ends at the pause, and the rollout continues
   * afterwards.
   */
  readonly pauses?: boolean;
  /**
   * The condition of `kubectl wait` for a rollout that starts only after the deployment has ended.
   */
  readonly begun?: readonly string[];
  /** Commands of kubectl that other users run before the last step. */
  readonly meanwhile?: readonly (readonly string[])[];
  /** True to store `maxUnavailable` of StatefulSets, which API servers don't do by default. */
  readonly featureGate?: boolean;
  /**
   * True if objects of others decide whether the rollout completes. The prediction must be exactly
   * that.
   */
  readonly isOpen?: boolean;
  /**
   * True if the first Pod to be scheduled takes the place that another one needs. Both outcomes are
   * possible, so the prediction must be that the rollout might not complete.
   */
  readonly isRace?: boolean;
  /**
   * True if Argo Rollouts reconciles the stuck rollout without a pause, and so needs a whole core:
   * `scaleDownDelaySeconds: 0` puts it into the queue again at once.
   */
  readonly keepsControllerBusy?: boolean;
}

export const hostname = "kubernetes.io/hostname";
export const zone = "topology.kubernetes.io/zone";
export const web = { app: "web" };

export function plain(count: number, node: GridNode = {}): readonly GridNode[] {
  return Array.from({ length: count }, () => node);
}

/** Returns nodes in zones. `sizes` are the numbers of nodes per zone. */
export function zones(...sizes: readonly number[]): readonly GridNode[] {
  return sizes.flatMap((size, index) => plain(size, { labels: { [zone]: `zone-${index + 1}` } }));
}

/** Returns an anti-affinity term, by default among the Pods of the application itself. */
export function apart(options: Fields = {}, labels: Fields = web): Fields {
  return { labelSelector: { matchLabels: labels }, topologyKey: hostname, ...options };
}

export const byHash = { matchLabelKeys: ["pod-template-hash"] };
export const byArgoHash = { matchLabelKeys: ["rollouts-pod-template-hash"] };

interface PodOptions {
  readonly version?: number;
  readonly labels?: Fields;
  /** The terms of required anti-affinity. */
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
