import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Compiler } from "../../../src/ports/cue.ts";
import { environment, GitFixture, temporaryDirectory } from "../git/git-fixture.ts";
import { packedChart } from "../packed-chart.ts";
import { ChartRegistry, digestOf } from "../servers/chart-registry.ts";
import { runHere } from "./run-here.ts";

/** Returns a chart with a definition, a hook before the rest, and a ConfigMap with its values. */
function chart(version: string): Buffer {
  return packedChart("web", {
    "Chart.yaml": `apiVersion: v2\nname: web\nversion: ${version}\n`,
    "values.yaml": "color: red\nsize: 1\npassword: none\n",
    "templates/config.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}", namespace: "{{ .Release.Namespace }}"}
data: {version: "{{ .Chart.Version }}", color: "{{ .Values.color }}", size: "{{ .Values.size }}"}
`,
    "templates/message.yaml": "{{ if .Values.message }}{{ fail .Values.message }}{{ end }}",
    "templates/secret.yaml": `apiVersion: v1
kind: Secret
metadata: {name: "{{ .Release.Name }}-login"}
stringData: {password: "{{ .Values.password }}"}
`,
    "templates/job.yaml": `apiVersion: batch/v1
kind: Job
metadata:
  name: "{{ .Release.Name }}-first"
  annotations: {helm.sh/hook: pre-install}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "registry.example/main:1"}]
`,
  });
}

/** An application with one adapter, and a registry with the versions 1.0.0 and 1.1.0 of a chart. */
export class AdapterPlace {
  readonly app = new GitFixture();
  readonly cache = temporaryDirectory();
  readonly registry: ChartRegistry;
  readonly #compiler: Compiler;

  constructor(compiler: Compiler, registry: ChartRegistry) {
    this.#compiler = compiler;
    this.registry = registry;
    for (const version of ["1.0.0", "1.1.0"]) registry.push("web", version, chart(version));
    this.app.write(
      "adapters/cue.mod/module.cue",
      'module: "a.example"\nlanguage: version: "v0.9.0"',
    );
    this.config("[]", "{}");
  }

  config(params: string, given: string): void {
    this.app.write(
      ".valuestream/qvs.yaml",
      `params: ${params}
modules: [{name: a.example, local: {path: ../adapters}}]
designPatterns: [{pattern: a.example/web, params: ${given}}]
`,
    );
    this.app.write(
      ".valuestream/deployments.yaml",
      "deployments: [{name: shop, config: qvs.yaml, namespace: shop}]\n",
    );
  }

  adapter(text: string): void {
    this.app.write(
      "adapters/web/main.cue",
      `package web\nDesignPattern: ${text.replaceAll("REPO", `http://${this.registry.host}`)}\n`,
    );
  }

  get lock(): string {
    return this.named(this.rawLock);
  }

  get rawLock(): string {
    return readFileSync(join(this.app.directory, ".valuestream/qvs.lock"), "utf8");
  }

  async qvs(...args: readonly string[]): Promise<string> {
    const run = await this.run(...args);
    return this.named(`${run.code}\n${run.stdout}${run.stderr}`);
  }

  run(...args: readonly string[]) {
    return runHere(this.app.directory, args, this.#compiler, {
      ...environment,
      QVS_CACHE: this.cache,
      QVS_INSECURE_REGISTRIES: this.registry.host,
    });
  }

  private named(text: string): string {
    return ["1.0.0", "1.1.0"].reduce(
      (found, version) => found.replaceAll(digestOf(chart(version)), `DIGEST_OF_${version}`),
      text.replaceAll(this.registry.host, "HOST"),
    );
  }
}

/** Opens an application whose adapter is `adapter`, in which REPO is the registry. */
export async function openAdapterPlace(compiler: Compiler, adapter: string): Promise<AdapterPlace> {
  const place = new AdapterPlace(compiler, await new ChartRegistry().start());
  place.adapter(adapter);
  return place;
}

/** A chart in the form without a type. */
export const flatChart = `resources: app: web: {
	provider: "kubernetes-helm"
	chart: "web", version: "1.0.0", releaseName: "main"
	fetchOpts: repo: "REPO"
	values: color: "blue"
}`;

/** A chart as a release of Pulumi, between two objects. */
export const chartRelease = `resources: app: {
	ns: {provider: "pulumi-yaml", type: "kubernetes:core/v1:Namespace", properties: metadata: name: "web"}
	after: {
		provider: "pulumi-yaml", type: "kubernetes:core/v1:ConfigMap"
		options: dependsOn: ["\${web}"]
		properties: metadata: {name: "after", namespace: "web"}
	}
	web: {
		provider: "kubernetes-helm", type: "kubernetes:helm.sh/v3:Release"
		options: {dependsOn: ["\${ns}"], provider: "\${k8s}"}
		properties: {
			chart: "web", version: "1.0.0", name: "main", namespace: "\${ns.metadata.name}"
			repositoryOpts: repo: "REPO"
			values: {color: "in \${ns.metadata.name}", size: null}
		}
	}
}`;
