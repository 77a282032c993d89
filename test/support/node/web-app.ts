import { temporaryRepository } from "../git/temporary-repository.ts";
import { type QvsResult, runQvs } from "../qvs/run-qvs.ts";
import type { LoadResult } from "./load.ts";
import { loadDuring } from "./roll-out.ts";
import type { TestNode } from "./use-node.ts";
import { type WebSettings, webManifests } from "./web-manifests.ts";

/** The settings of the application. */
type WebOptions = Omit<WebSettings, "image"> & Partial<Pick<WebSettings, "image">>;

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
    const pattern = {
      name: "web",
      parameters: {},
      resources: { app: webManifests({ image: webImage, ...options }) },
    };
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
