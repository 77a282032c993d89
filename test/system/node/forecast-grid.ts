import type { JsonObject } from "../../../src/model/json.ts";

/** A workload whose Pods become ready some seconds after their start. */
export interface SlowWorkload {
  /** The name of the object, which describes its strategy. */
  readonly name: string;
  readonly kind: "Deployment" | "StatefulSet" | "DaemonSet";
  /** The fields of the workload's spec, without selector and template. */
  readonly spec: JsonObject;
  readonly readyAfterSeconds: number;
}

export const forecastImage = "registry.example/slow-start:1.0.0";

const rolling = (replicas: number, maxSurge: number | string, maxUnavailable: number | string) => ({
  replicas,
  strategy: { rollingUpdate: { maxSurge, maxUnavailable } },
});
const deployment = { kind: "Deployment" } as const;
const ordered = (more: JsonObject = {}) => ({ replicas: 3, serviceName: "none", ...more });
const daemons = (maxSurge: number, maxUnavailable: number) => ({
  updateStrategy: { rollingUpdate: { maxSurge, maxUnavailable } },
});

/** Ten rollouts with different strategies, ready after 1 to 20 s. */
export const slowWorkloads: readonly SlowWorkload[] = [
  { name: "by-default", ...deployment, spec: rolling(4, "25%", "25%"), readyAfterSeconds: 5 },
  { name: "one-more", ...deployment, spec: rolling(2, 1, 0), readyAfterSeconds: 20 },
  { name: "two-missing", ...deployment, spec: rolling(3, 0, 2), readyAfterSeconds: 8 },
  { name: "twice-as-many", ...deployment, spec: rolling(3, "100%", 0), readyAfterSeconds: 12 },
  {
    name: "recreate",
    ...deployment,
    spec: { replicas: 2, strategy: { type: "Recreate" } },
    readyAfterSeconds: 3,
  },
  {
    name: "available-later",
    ...deployment,
    spec: { ...rolling(3, 1, 1), minReadySeconds: 6 },
    readyAfterSeconds: 1,
  },
  { name: "ordered", kind: "StatefulSet", spec: ordered(), readyAfterSeconds: 4 },
  {
    name: "ordered-later",
    kind: "StatefulSet",
    spec: ordered({ minReadySeconds: 4 }),
    readyAfterSeconds: 2,
  },
  { name: "daemon", kind: "DaemonSet", spec: daemons(0, 1), readyAfterSeconds: 6 },
  { name: "daemon-more", kind: "DaemonSet", spec: daemons(1, 0), readyAfterSeconds: 10 },
];

/** Returns the manifest; each round has another Pod template. */
export function manifestOf(
  { name, kind, spec, readyAfterSeconds }: SlowWorkload,
  round: number,
): JsonObject {
  const labels = { app: name };
  // The first Pods needn't be slow.
  const env = round === 0 ? [] : [{ name: "READY_AFTER", value: `${readyAfterSeconds}s` }];
  const container = {
    name: "web",
    image: forecastImage,
    env,
    readinessProbe: { httpGet: { path: "/ready", port: 8080 }, periodSeconds: 1 },
    lifecycle: { preStop: { sleep: { seconds: 2 } } },
  };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name },
    spec: {
      ...spec,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { round: `${round}` } },
        spec: { automountServiceAccountToken: false, containers: [container] },
      },
    },
  };
}
