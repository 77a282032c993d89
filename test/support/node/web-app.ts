import { createHash } from "node:crypto";
import { temporaryRepository } from "../git/temporary-repository.ts";
import { type QvsResult, runQvs } from "../qvs/run-qvs.ts";
import type { LoadResult } from "./load.ts";
import { loadDuring } from "./roll-out.ts";
import type { TestNode } from "./use-node.ts";

/** The settings of the application. */
interface WebOptions {
  readonly greeting: string;
  readonly image?: string;
  /** False to leave the readiness probe out. */
  readonly probe?: boolean;
  /** False to leave the preStop hook out. */
  readonly preStop?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** An application with a hashed ConfigMap and a Service `web`, deployed by qvs. */
export interface WebApp {
  readonly namespace: string;
  deploy(options: WebOptions, ...flags: readonly string[]): Promise<QvsResult>;
  /** Deploys while requests are sent, and until the replaced Pods have ended. */
  deployUnderLoad(
    options: WebOptions,
    ...flags: readonly string[]
  ): Promise<{ readonly result: QvsResult; readonly load: LoadResult }>;
}

const webImage = "registry.example/web:1.0.0";

export async function webAppOn(node: TestNode): Promise<WebApp> {
  await node.image(webImage);
  const namespace = await node.namespace("web");
  const repository = temporaryRepository({
    ".valuestream/qvs.yaml": `
modules: [{name: web.example/adapters, local: {path: ../adapters}}]
designPatterns: [{pattern: web.example/adapters/web, params: {}}]
`,
    "adapters/cue.mod/module.cue": `module: "web.example/adapters"\nlanguage: version: "v0.12.0"\n`,
  });
  const env = { KUBECONFIG: node.kubeconfigFor("admin") };
  const deploy: WebApp["deploy"] = (options, ...flags) => {
    const pattern = { name: "web", parameters: {}, resources: { app: resources(options) } };
    repository.write(
      "adapters/web/main.cue",
      `package web\n\nDesignPattern: ${JSON.stringify(pattern, null, 2)}\n`,
    );
    return runQvs(repository.directory, ["deploy", "-n", namespace, ...flags], env);
  };
  return {
    namespace,
    deploy,
    deployUnderLoad: async (options, ...flags) => {
      const run = () => deploy(options, ...flags);
      return loadDuring(node, { namespace, service: "web" }, run);
    },
  };
}

function resources(options: WebOptions): Readonly<Record<string, unknown>> {
  const settings = { GREETING: options.greeting };
  const hash = createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 8);
  const name = `settings-${hash}`;
  const labels = { app: "web" };
  return {
    settings: { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: settings },
    service: {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web" },
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
          spec: { automountServiceAccountToken: false, containers: [container(name, options)] },
        },
      },
    },
  };
}

function container(settings: string, options: WebOptions): Readonly<Record<string, unknown>> {
  const { image = webImage, probe = true, preStop = true, environment = {} } = options;
  return {
    name: "web",
    image,
    envFrom: [{ configMapRef: { name: settings } }],
    env: Object.entries(environment).map(([name, value]) => ({ name, value })),
    ...(probe && { readinessProbe: { httpGet: { path: "/ready", port: 8080 }, periodSeconds: 1 } }),
    ...(preStop && { lifecycle: { preStop: { sleep: { seconds: 3 } } } }),
  };
}
