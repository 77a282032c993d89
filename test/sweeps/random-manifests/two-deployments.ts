import { previewDeployment } from "../../../src/deploying/preview-deployment.ts";
import { defaultRequest } from "../../../src/model/deployments/deploy-request.ts";
import { combineUpstreamPlans } from "../../../src/model/deployments/other-deployments.ts";
import { annotation, type KubeObject } from "../../../src/model/object.ts";
import type { Compiler } from "../../../src/ports/cue.ts";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import { listDeployments } from "../../../src/sources/list-deployments.ts";
import { openWorld } from "../../../src/world/open-world.ts";
import { type Accuracy, compareObjects, compareRefusal } from "../../accuracy/compare.ts";
import type { PredictedReport } from "../../accuracy/predict.ts";
import { idIn, setUp } from "../../accuracy/real/play-batch.ts";
import type { TestCluster } from "../../support/cluster/use-cluster.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runHere } from "../../support/qvs/run-here.ts";

/** The objects of two deployments. The second one depends on the first. */
export type Declared = Readonly<Record<Name, readonly KubeObject[]>>;

type Name = (typeof names)[number];

const names = ["first", "second"] as const;

interface Setting {
  readonly cluster: TestCluster;
  readonly compiler: Compiler;
  readonly accuracy: Accuracy;
  readonly onFinished: (work: () => void) => void;
}

/**
 * Deploys both initial states, previews both changes in one run like a pull request, and compares
 * the preview with the deployments. Returns false if an initial state was rejected.
 */
export async function playTwo(
  [before, after]: readonly [Declared, Declared],
  namespace: string,
  { cluster, compiler, accuracy, onFinished }: Setting,
): Promise<boolean> {
  const repository = temporaryRepository(adapters(namespace), onFinished);
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  const declare = (declared: Declared) => {
    for (const name of names)
      repository.write(`.valuestream/${name}.yaml`, JSON.stringify(configOf(declared[name])));
  };
  const run = (name: Name) => {
    const flags = ["-d", name, "--timeout=20s", "--quiet", allowDeleteFlag, "--conflicts=force"];
    return runHere(repository.directory, ["deploy", ...flags], compiler, env);
  };
  declare(before);
  for (const name of names) {
    // Other tests check rejections of the initial state.
    if ((await run(name)).code !== 0) return false;
  }
  declare(after);
  const { reports, read, close } = await predictBoth(repository.directory, compiler, env);
  onFinished(close);
  for (const [index, name] of names.entries()) {
    const report = reports[index];
    if (report === undefined) return true;
    const { code, stdout, stderr } = await run(name);
    const wasRefused = code !== 0 && stderr.includes("Nothing was changed");
    compareRefusal(report, { wasRefused, why: `${name}: ${stderr}` }, accuracy);
    if (code === 0) await compareObjects(report, read, accuracy);
    else if (!wasRefused && !/not (ready|deleted) after/.test(stderr))
      throw new Error(`${name}:\n${stdout}${stderr}`);
    if (code !== 0) break;
  }
  return true;
}

const allowDeleteFlag = "--allow-delete=PersistentVolumeClaim,CustomResourceDefinition";

/**
 * Previews both deployments. The second preview is based on the plan of the first, if there is one.
 */
async function predictBoth(directory: string, compiler: Compiler, env: Record<string, string>) {
  const world = await openWorld({
    ...{ directory, read: "work tree", compiler, kubeconfig: undefined, quiet: true },
    env: { PATH: process.env.PATH, HOME: directory, ...env },
    streams: process,
    signal: new AbortController().signal,
    ...{
      repositoryName: undefined,
      origin: { commit: undefined, actor: undefined, run: undefined },
    },
  });
  const listed = await listDeployments(world.source.tree, world.repositoryName);
  const reports: PredictedReport[] = [];
  const plans: Parameters<typeof combineUpstreamPlans>[0][number][] = [];
  let cluster: Cluster | undefined;
  for (const deployment of listed.ok ? listed.value : []) {
    const report = await previewDeployment(world, {
      ...{ deployment, before: undefined, inline: [] },
      request: {
        ...defaultRequest,
        policy: {
          allowDelete: ["PersistentVolumeClaim", "CustomResourceDefinition"],
          conflicts: { force: true, takeover: [] },
          keepRevisions: undefined,
        },
      },
      ...{
        withoutCluster: undefined,
        upstream: combineUpstreamPlans(plans),
      },
    });
    cluster ??= (await world.target(deployment)).cluster;
    reports.push(report);
    if (report.plan === undefined) break;
    plans.push({ deployment: deployment.name, plan: report.plan });
  }
  return { reports, read: cluster as Cluster, close: () => world.close() };
}

function configOf(objects: readonly KubeObject[]): object {
  const byId = (some: readonly KubeObject[]) =>
    Object.fromEntries(some.map((object) => [idIn(object), object]));
  const isSetUp = (object: KubeObject) => annotation(object, setUp) !== undefined;
  const appSetup = byId(objects.filter(isSetUp));
  const app = byId(objects.filter((object) => !isSetUp(object)));
  return {
    modules: [{ name: "demo.example/adapters", local: { path: "../adapters" } }],
    designPatterns: [{ pattern: "demo.example/adapters/manifests", params: { appSetup, app } }],
  };
}

function adapters(namespace: string): Record<string, string> {
  const deployments = [
    { name: "first", config: "first.yaml", namespace },
    { name: "second", config: "second.yaml", namespace, dependsOn: ["first"] },
  ];
  return {
    ".valuestream/deployments.yaml": JSON.stringify({ deployments }),
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
}
