import { execFileSync } from "node:child_process";
import type { TestCluster } from "../cluster/use-cluster.ts";
import { environment } from "../git/git-fixture.ts";
import { type TemporaryRepository, temporaryRepository } from "../git/temporary-repository.ts";
import { type QvsResult, type RunningQvs, runQvs, startQvs } from "../qvs/run-qvs.ts";

/** Several deployments of one config in a namespace: each has a ConfigMap and a Deployment. */
export interface SeveralDeployments extends TemporaryRepository {
  readonly namespace: string;
  /** Sets the values of a deployment. Pods behave as the node simulation defines. */
  set(name: string, values: { readonly value?: string; readonly behaviour?: string }): void;
  /** Commits all files, with `git init` the first time. */
  commit(): void;
  /** Runs qvs as `admin`. */
  qvs(command: string, ...args: readonly string[]): Promise<QvsResult>;
  start(command: string, ...args: readonly string[]): RunningQvs;
}

const files = {
  ".valuestream/qvs.yaml": `
params: [{name: name, type: string}, {name: value, type: string}, {name: behaviour, type: string}]
modules: [{name: demo.example/adapters, local: {path: ../adapters}}]
designPatterns:
  - pattern: demo.example/adapters/app
    params: {name: $(params.name), value: $(params.value), behaviour: $(params.behaviour)}
`,
  "adapters/cue.mod/module.cue": `module: "demo.example/adapters"\nlanguage: version: "v0.12.0"\n`,
  "adapters/app/main.cue": `package app

DesignPattern: {
	parameters: {name: string, value: string, behaviour: string}
	let p = parameters
	resources: app: {
		settings: {
			provider: "kubernetes", apiVersion: "v1", kind: "ConfigMap"
			metadata: name: "\\(p.name)-settings"
			data: value: p.value
		}
		web: {
			provider: "kubernetes", apiVersion: "apps/v1", kind: "Deployment", metadata: name: p.name
			spec: {
				selector: matchLabels: app: p.name
				template: {
					metadata: {labels: app: p.name, annotations: "test.qvs/behaviour": p.behaviour}
					spec: containers: [{name: "web", image: "acme/web:1"}]
				}
			}
		}
	}
}
`,
};

/** Creates a repository with deployments, each with the names that it depends on. */
export async function severalDeployments(
  cluster: TestCluster,
  dependencies: Readonly<Record<string, readonly string[]>>,
): Promise<SeveralDeployments> {
  const namespace = await cluster.namespace("several");
  const repository = temporaryRepository(files);
  const entries = Object.entries(dependencies).map(
    ([name, dependsOn]) =>
      `- {name: ${name}, config: qvs.yaml, params: [params/${name}.yaml], dependsOn: [${dependsOn.join(", ")}]}`,
  );
  repository.write(".valuestream/deployments.yaml", `deployments:\n${entries.join("\n")}\n`);
  const set: SeveralDeployments["set"] = (name, { value = "one", behaviour = "" }) => {
    const params = [
      { name: "name", value: name },
      { name: "value", value },
      { name: "behaviour", value: behaviour },
    ];
    repository.write(`.valuestream/params/${name}.yaml`, JSON.stringify({ params }));
  };
  for (const name of Object.keys(dependencies)) set(name, {});
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const argv = (command: string, args: readonly string[]) => [command, "-n", namespace, ...args];
  return {
    ...repository,
    namespace,
    set,
    commit() {
      const git = "git init -q && git add -A && git commit -qm x";
      execFileSync("sh", ["-c", git], { cwd: repository.directory, env: environment });
    },
    qvs: (command, ...args) => runQvs(repository.directory, argv(command, args), env),
    start: (command, ...args) => startQvs(repository.directory, argv(command, args), env),
  };
}
