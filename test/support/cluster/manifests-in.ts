import { expect } from "vitest";
import { parseAllDocuments } from "yaml";
import { type TemporaryRepository, temporaryRepository } from "../git/temporary-repository.ts";
import { type QvsResult, type RunningQvs, runQvs, startQvs } from "../qvs/run-qvs.ts";
import type { TestCluster } from "./use-cluster.ts";
import type { User } from "./users.ts";

/**
 * A deployment `demo` of plain manifests in its own namespace, for tests that don't need adapters.
 */
export interface Manifests extends TemporaryRepository {
  readonly namespace: string;
  /** Replaces the declared manifests: YAML documents by stage. */
  declare(stages: { readonly appSetup?: string; readonly app?: string }): void;
  /** Runs qvs as `admin`. */
  qvs(command: string, ...args: readonly string[]): Promise<QvsResult>;
  qvsAs(user: User, command: string, ...args: readonly string[]): Promise<QvsResult>;
  start(command: string, ...args: readonly string[]): RunningQvs;
  kubectl(...args: readonly string[]): Promise<string>;
  /** Returns qvs's writes since the last call, except for releases and the deployment lock. */
  writes(): Promise<readonly string[]>;
}

const files = {
  ".valuestream/deployments.yaml": "deployments: [{name: demo, config: qvs.yaml}]",
  ".valuestream/qvs.yaml": `
params: [{name: appSetup, type: object}, {name: app, type: object}]
modules: [{name: demo.example/adapters, local: {path: ../adapters}}]
designPatterns:
  - pattern: demo.example/adapters/manifests
    params: {appSetup: $(params.appSetup), app: $(params.app)}
`,
  "adapters/cue.mod/module.cue": `module: "demo.example/adapters"\nlanguage: version: "v0.12.0"\n`,
  "adapters/manifests/main.cue": `
package manifests

DesignPattern: {
	parameters: {appSetup: {[string]: _}, app: {[string]: _}}
	resources: appSetup: {for id, manifest in parameters.appSetup {(id): manifest & {provider: "kubernetes"}}}
	resources: app: {for id, manifest in parameters.app {(id): manifest & {provider: "kubernetes"}}}
}
`,
};

const compilesNothing = ["rollback", "delete", "drift", "reconcile", "status", "releases"];

export interface Surroundings {
  /** The hook that removes the files. Concurrent tests pass the hook of their context. */
  readonly onFinished?: (work: () => void) => void;
  /** Runs qvs. Default: in a separate process. */
  readonly run?: typeof runQvs;
}

export async function manifestsIn(
  cluster: TestCluster,
  namespace?: string,
  { onFinished, run = runQvs }: Surroundings = {},
): Promise<Manifests> {
  const place = namespace ?? (await cluster.namespace("demo"));
  const repository = temporaryRepository(files, onFinished);
  const envOf = (user: User) => ({ KUBECONFIG: cluster.kubeconfigFor(user) });
  const env = envOf("admin");
  const argv = (command: string, args: readonly string[]) => {
    const params = compilesNothing.includes(command) ? [] : ["-p", "params.json"];
    const where = args.includes("--namespaces") ? [] : ["-n", place];
    return [command, ...where, ...params, ...args];
  };
  let seen = 0;
  return {
    ...repository,
    namespace: place,
    declare: ({ appSetup = "", app = "" }) =>
      repository.write("params.json", JSON.stringify({ appSetup: byId(appSetup), app: byId(app) })),
    qvs: (command, ...args) => run(repository.directory, argv(command, args), env),
    qvsAs: (user, command, ...args) => run(repository.directory, argv(command, args), envOf(user)),
    start: (command, ...args) => startQvs(repository.directory, argv(command, args), env),
    kubectl: (...args) => cluster.kubectl("-n", place, ...args),
    async writes() {
      const all = await cluster.auditWrites(place);
      const since = all.slice(seen);
      seen = all.length;
      return since.filter((write) => !/ (Secret \S+\/qvs\.|Lease )/.test(write));
    },
  };
}

/** Returns the manifests by resource ID, `kind-name`. */
function byId(yaml: string): Record<string, unknown> {
  const objects = parseAllDocuments(yaml).map((document) => document.toJS());
  return Object.fromEntries(
    objects
      .filter((object) => object !== null)
      .map((object) => [`${object.kind}-${object.metadata.name}`.toLowerCase(), object]),
  );
}

/** Deploys, and expects that nothing fails. */
export async function deployed(demo: Manifests, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await demo.qvs("deploy", ...args);
  expect(code, stderr).toBe(0);
}
