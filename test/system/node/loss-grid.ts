import type { JsonObject } from "../../../src/model/json.ts";

/** The programs of the containers. A manifest doesn't show how an image behaves. */
export const images = {
  /** Listens at once, and ends after its open requests. */
  quick: { name: "registry.example/quick:1.0.0", environment: {} },
  /** Listens 2 s after its start. */
  slow: { name: "registry.example/slow:1.0.0", environment: { LISTEN_AFTER: "2s" } },
  /** Listens 6 s after its start, which is longer than a preStop hook keeps the old Pod. */
  late: { name: "registry.example/late:1.0.0", environment: { LISTEN_AFTER: "6s" } },
  /** Needs 3 s for each answer. */
  busy: { name: "registry.example/busy:1.0.0", environment: { WORK: "3s" } },
} as const;

/** One workload behind a Service, the finding that qvs predicts, and the result under load. */
export interface LossCase {
  readonly name: string;
  readonly kind: "Deployment" | "StatefulSet" | "DaemonSet";
  /** The fields of the workload's spec, without its template. */
  readonly spec: JsonObject;
  readonly pod: JsonObject;
  /** More objects. */
  readonly others?: readonly JsonObject[];
  readonly severity: "warning" | "note" | undefined;
  readonly loses: boolean;
}

const serves = (image: keyof typeof images, ...parts: readonly JsonObject[]): JsonObject => ({
  name: "web",
  image: images[image].name,
  ports: [{ name: "http", containerPort: 8080 }],
  ...Object.assign({}, ...parts),
});

const probe = { readinessProbe: { httpGet: { path: "/ready", port: 8080 }, periodSeconds: 1 } };
const hook = { lifecycle: { preStop: { sleep: { seconds: 3 } } } };
const pod = (container: JsonObject, more: JsonObject = {}): JsonObject => ({
  automountServiceAccountToken: false,
  containers: [container],
  ...more,
});

const safe = pod(serves("slow", probe, hook));
const late = pod(serves("late", probe, hook));
const deployment = { kind: "Deployment", spec: { replicas: 2 }, pod: safe } as const;
const lossless = { severity: undefined, loses: false } as const;
const warned = { severity: "warning", loses: true } as const;
const noted = { severity: "note", loses: true } as const;

/** A Pod whose native sidecar serves the port, next to a container that serves another one. */
const behindSidecar = (main: JsonObject): JsonObject => ({
  automountServiceAccountToken: false,
  initContainers: [{ ...serves("quick", probe), restartPolicy: "Always" }],
  containers: [
    {
      name: "main",
      image: images.quick.name,
      env: [{ name: "PORT", value: "9000" }],
      ...main,
    },
  ],
});

const rolling = (maxSurge: number | string, maxUnavailable: number | string) => ({
  rollingUpdate: { maxSurge, maxUnavailable },
});

/** The cases; each rollout replaces all Pods. */
export const lossGrid: readonly LossCase[] = [
  { name: "probe and hook", ...deployment, ...lossless },
  {
    name: "probe and a hook that runs a command",
    ...deployment,
    pod: pod(
      serves("slow", probe, {
        lifecycle: { preStop: { exec: { command: ["/server", "sleep", "3s"] } } },
      }),
    ),
    ...lossless,
  },
  { name: "no hook", ...deployment, pod: pod(serves("slow", probe)), ...noted },
  { name: "no probe", ...deployment, pod: pod(serves("slow", hook)), ...warned },
  {
    name: "no probe and minReadySeconds",
    ...deployment,
    spec: { replicas: 2, minReadySeconds: 3 },
    pod: pod(serves("slow", hook)),
    ...warned,
  },
  {
    name: "a startup probe instead of a readiness probe",
    ...deployment,
    pod: pod(
      serves("slow", hook, {
        startupProbe: { httpGet: { path: "/ready", port: 8080 }, periodSeconds: 1 },
      }),
    ),
    ...lossless,
  },
  {
    name: "a postStart hook instead of a readiness probe",
    ...deployment,
    pod: pod(
      serves("slow", {
        lifecycle: { ...hook.lifecycle, postStart: { sleep: { seconds: 4 } } },
      }),
    ),
    ...lossless,
  },
  {
    name: "a variable about draining instead of a hook",
    ...deployment,
    pod: pod(serves("slow", probe, { env: [{ name: "DRAIN_DELAY", value: "3s" }] })),
    ...lossless,
  },
  {
    name: "long requests and a hook as long as the grace period",
    ...deployment,
    pod: pod(serves("busy", probe, hook), { terminationGracePeriodSeconds: 3 }),
    ...warned,
  },
  {
    name: "long requests and a longer grace period",
    ...deployment,
    pod: pod(serves("busy", probe, hook), { terminationGracePeriodSeconds: 15 }),
    ...lossless,
  },
  {
    name: "a grace period of 0",
    ...deployment,
    pod: pod(serves("slow", probe), { terminationGracePeriodSeconds: 0 }),
    ...warned,
  },
  {
    name: "Recreate",
    ...deployment,
    spec: { replicas: 2, strategy: { type: "Recreate" } },
    ...warned,
  },
  { name: "one replica", ...deployment, spec: { replicas: 1 }, ...lossless },
  {
    name: "one replica that can be missing",
    ...deployment,
    spec: { replicas: 1, strategy: rolling(1, 1) },
    pod: late,
    ...warned,
  },
  {
    name: "three replicas that can all be missing",
    ...deployment,
    spec: { replicas: 3, strategy: rolling(1, "100%") },
    pod: late,
    ...warned,
  },
  {
    name: "three replicas of which two can be missing",
    ...deployment,
    spec: { replicas: 3, strategy: rolling(0, 2) },
    ...lossless,
  },
  {
    name: "a PodDisruptionBudget that allows no eviction",
    ...deployment,
    others: [
      {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "web" },
        spec: { maxUnavailable: 0, selector: { matchLabels: { app: "web" } } },
      },
    ],
    ...lossless,
  },
  {
    name: "one Pod of a StatefulSet",
    kind: "StatefulSet",
    spec: { serviceName: "web", replicas: 1 },
    pod: safe,
    ...warned,
  },
  {
    name: "two Pods of a StatefulSet",
    kind: "StatefulSet",
    spec: { serviceName: "web", replicas: 2 },
    pod: safe,
    ...lossless,
  },
  {
    name: "two Pods of a StatefulSet without hook",
    kind: "StatefulSet",
    spec: { serviceName: "web", replicas: 2 },
    pod: pod(serves("slow", probe)),
    ...noted,
  },
  { name: "a DaemonSet on one node", kind: "DaemonSet", spec: {}, pod: safe, ...warned },
  {
    name: "a DaemonSet that starts new Pods first",
    kind: "DaemonSet",
    spec: { updateStrategy: rolling(1, 0) },
    pod: safe,
    ...lossless,
  },
  {
    name: "a native sidecar that serves, next to a container with a hook",
    ...deployment,
    pod: behindSidecar(hook),
    ...lossless,
  },
  {
    name: "a native sidecar that serves, and no hook",
    ...deployment,
    pod: behindSidecar({}),
    ...noted,
  },
];

/** Returns the objects of a case by name. Each `revision` has another Pod template. */
export function objectsOf(
  { kind, spec, pod: podSpec, others = [] }: LossCase,
  revision: string,
): Readonly<Record<string, JsonObject>> {
  const labels = { app: "web" };
  const template = {
    metadata: { labels, annotations: { revision } },
    spec: podSpec,
  };
  const all: readonly JsonObject[] = [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web" },
      spec: { selector: labels, ports: [{ port: 80, targetPort: "http" }] },
    },
    {
      apiVersion: "apps/v1",
      kind,
      metadata: { name: "web" },
      spec: { ...spec, selector: { matchLabels: labels }, template },
    },
    ...others,
  ];
  return Object.fromEntries(all.map((object) => [nameOf(object), object]));
}

function nameOf({ kind }: JsonObject): string {
  return String(kind).toLowerCase();
}
