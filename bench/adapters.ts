import type { JsonObject } from "../src/model/json.ts";

/**
 * An adapter of the official corpus, with the params that it needs in addition to `imageName`. The
 * corpus isn't part of this project.
 */
export interface Adapter {
  readonly folder: string;
  readonly params: JsonObject;
}

/** A small adapter and a large one. Neither has composites, because `cue export` can't compose. */
export const adapters: readonly Adapter[] = [
  {
    folder: "kubernetes/deployment/simple",
    params: {
      appName: "demo",
      k8sNamespace: "shop",
      port: "8080",
      replicas: "2",
      args: ["--verbose"],
      env: [{ name: "MODE", value: "fast" }],
    },
  },
  {
    folder: "adapters/aws/container/kubernetes/publicApi",
    params: {
      appName: "api",
      k8sNamespace: "shop",
      port: "8080",
      replicas: "3",
      cpuRequest: "100m",
      memoryLimit: "256Mi",
      readinessProbe: { httpGet: { path: "/ready", port: "8080" }, periodSeconds: "5" },
      servicePorts: [{ port: "80", targetPort: "8080" }],
      useIngress: "true",
      host: "api.example.com",
      paths: [{ path: "/", serviceName: "api", servicePort: "80" }],
      configMapData: { MODE: "fast", LOG_LEVEL: "info" },
      deploymentSecrets: { DB_PASS: { key: "prod/db-password", version: "3" } },
      clusterSecretStoreName: "prod-store",
    },
  },
];
