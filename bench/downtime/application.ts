import { createHash } from "node:crypto";

/** The application that each tool deploys, and its changes. */
export interface Version {
  readonly greeting: string;
  readonly image: string;
  /** The hash in the name of the ConfigMap. Without it, the name stays. */
  readonly hashed: boolean;
  readonly service: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export const images = ["registry.example/web:1.0.0", "registry.example/web:1.1.0"] as const;

export const first: Version = {
  greeting: "old",
  image: images[0],
  hashed: true,
  service: "web",
};

/**
 * Returns the manifests without a namespace. The Pods have a readiness probe and a preStop hook, so
 * the tools differ only in their order and in their reaction to failures.
 */
export function manifestsOf(version: Version): Readonly<Record<string, object>> {
  const settings = { GREETING: version.greeting };
  const hash = createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 8);
  const name = version.hashed ? `settings-${hash}` : "settings";
  const labels = { app: "web" };
  const container = {
    name: "web",
    image: version.image,
    envFrom: [{ configMapRef: { name } }],
    env: Object.entries(version.environment ?? {}).map(([key, value]) => ({ name: key, value })),
    readinessProbe: { httpGet: { path: "/ready", port: 8080 }, periodSeconds: 1 },
    lifecycle: { preStop: { sleep: { seconds: 3 } } },
  };
  return {
    settings: { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: settings },
    service: {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: version.service },
      spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
    },
    deployment: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { automountServiceAccountToken: false, containers: [container] },
        },
      },
    },
  };
}
