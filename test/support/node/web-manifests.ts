import { createHash } from "node:crypto";

/** The settings of an application with a ConfigMap and a Service. */
export interface WebSettings {
  readonly greeting: string;
  readonly image: string;
  /** False to keep the name of the ConfigMap, which otherwise has the hash of its content. */
  readonly hashed?: boolean;
  readonly service?: string;
  /** False to leave the readiness probe out. */
  readonly probe?: boolean;
  /** False to leave the preStop hook out. */
  readonly preStop?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Returns the manifests of the application without a namespace, by resource id. */
export function webManifests({
  greeting,
  hashed = true,
  service = "web",
  ...pod
}: WebSettings): Readonly<Record<string, object>> {
  const settings = { GREETING: greeting };
  const hash = createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 8);
  const name = hashed ? `settings-${hash}` : "settings";
  const labels = { app: "web" };
  return {
    settings: { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: settings },
    service: {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: service },
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
          spec: { automountServiceAccountToken: false, containers: [container(name, pod)] },
        },
      },
    },
  };
}

function container(
  settings: string,
  {
    image,
    probe = true,
    preStop = true,
    environment = {},
  }: Pick<WebSettings, "image" | "probe" | "preStop" | "environment">,
): object {
  return {
    name: "web",
    image,
    envFrom: [{ configMapRef: { name: settings } }],
    env: Object.entries(environment).map(([name, value]) => ({ name, value })),
    ...(probe && { readinessProbe: { httpGet: { path: "/ready", port: 8080 }, periodSeconds: 1 } }),
    ...(preStop && { lifecycle: { preStop: { sleep: { seconds: 3 } } } }),
  };
}
