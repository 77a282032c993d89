import { randomBytes } from "node:crypto";
import { parseAllDocuments } from "yaml";
import type { TestCluster } from "../cluster/use-cluster.ts";
import type { TemporaryRepository } from "../git/temporary-repository.ts";
import { temporaryRepository } from "../git/temporary-repository.ts";
import { type QvsResult, runQvs } from "../qvs/run-qvs.ts";

/** A deployment `shop` of plain manifests, whose pull requests get environments. */
export interface EnvironmentShop extends TemporaryRepository {
  /** The namespace of the releases. */
  readonly namespace: string;
  /** The namespace of the environment of a pull request. */
  environment(number: number): string;
  /** Replaces the declared manifests. */
  declare(app: string): void;
  /** Replaces the entry of the list, or adds one with another name. */
  writeEntries(entry: Readonly<Record<string, unknown>>): void;
  /** Runs a command as `admin`. */
  qvs(command: string, ...args: readonly string[]): Promise<QvsResult>;
  /** Runs `qvs environments COMMAND` as `admin`, for the repository acme/shop. */
  environments(command: string, ...args: readonly string[]): Promise<QvsResult>;
  /** Returns the objects of a namespace, without those that Kubernetes creates itself. */
  objects(namespace: string): Promise<readonly string[]>;
  /** Returns `true` if the namespace exists. */
  exists(namespace: string): Promise<boolean>;
}

/** The files of the shop; `preview` replaces fields of the entry's `preview`. */
export function environmentShopFiles(
  namespace: string,
  preview: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const entry = {
    ...{ name: "shop", config: "qvs.yaml", params: ["../params.json"], namespace },
    preview,
  };
  return {
    ".valuestream/deployments.yaml": JSON.stringify({ deployments: [entry] }),
    ".valuestream/qvs.yaml": `
params: [{name: app, type: object}, {name: greeting, type: string}]
modules: [{name: shop.example/adapters, local: {path: ../adapters}}]
designPatterns:
  - pattern: shop.example/adapters/manifests
    params: {app: $(params.app), greeting: $(params.greeting)}
`,
    "adapters/cue.mod/module.cue": `module: "shop.example/adapters"\nlanguage: version: "v0.12.0"\n`,
    "adapters/manifests/main.cue": `
package manifests

DesignPattern: {
	parameters: {app: {[string]: _}, greeting: string}
	resources: app: {
		for id, manifest in parameters.app {(id): manifest & {provider: "kubernetes"}}
		greeting: {
			provider: "kubernetes"
			apiVersion: "v1"
			kind: "ConfigMap"
			metadata: name: "greeting"
			data: text: parameters.greeting
		}
	}
}
`,
    "params.json": manifestsFile(""),
  };
}

/** Returns params with these manifests. */
export function manifestsFile(yaml: string): string {
  const objects = parseAllDocuments(yaml)
    .map((document) => document.toJS())
    .filter((object) => object !== null)
    .map((object) => [`${object.kind}-${object.metadata.name}`.toLowerCase(), object]);
  return JSON.stringify({ app: Object.fromEntries(objects), greeting: "hello" });
}

export async function environmentShop(
  cluster: TestCluster,
  { preview = {}, namespace }: Options = {},
): Promise<EnvironmentShop> {
  const place = namespace ?? (await cluster.namespace("shop"));
  const prefix = `env-${randomBytes(4).toString("hex")}`;
  const template = { namespace: `${prefix}-${numberPlaceholder}`, ...preview };
  const repository = temporaryRepository(environmentShopFiles(place, template));
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  return {
    ...repository,
    namespace: place,
    environment: (number) => template.namespace.replace(numberPlaceholder, String(number)),
    declare: (app) => repository.write("params.json", manifestsFile(app)),
    writeEntries: (entry) => {
      const file = ".valuestream/deployments.yaml";
      const { deployments } = JSON.parse(environmentShopFiles(place, template)[file] ?? "");
      const others = deployments.filter(({ name }: { name: string }) => name !== entry["name"]);
      repository.write(file, JSON.stringify({ deployments: [...others, entry] }));
    },
    qvs: (command, ...args) => runQvs(repository.directory, [command, ...args], env),
    environments: (command, ...args) => {
      const own = args.includes("--repository") || command === "list" ? [] : ownRepository;
      return runQvs(repository.directory, ["environments", command, ...own, ...args], env);
    },
    async objects(of) {
      const kinds = "configmaps,secrets,deployments,services,leases,persistentvolumeclaims";
      const names = await cluster.kubectl("get", kinds, "-n", of, "-o", "name");
      return names
        .split("\n")
        .filter((name) => name !== "" && !name.endsWith("/kube-root-ca.crt"))
        .map((name) => name.replace(/\.[a-z.]*\//, "/"));
    },
    async exists(name) {
      const found = await cluster.kubectl("get", "ns", name, "--ignore-not-found", "-o", "name");
      return found !== "";
    },
  };
}

interface Options {
  readonly preview?: Readonly<{ namespace?: string } & Record<string, unknown>>;
  readonly namespace?: string;
}

/** The placeholder of the number in deployments.yaml. */
export const numberPlaceholder = ["$", "{number}"].join("");

const ownRepository = ["--repository", "acme/shop"];
