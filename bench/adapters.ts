import type { JsonObject } from "../src/model/json.ts";

/** An adapter of the official corpus, which is not a part of this project, with the params that it needs besides `imageName`. */
export interface Adapter {
  readonly folder: string;
  readonly params: JsonObject;
}

/** A small one and a large one, both without composites: `cue export` could not compose them. */
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
