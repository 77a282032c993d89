import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunningCluster } from "../../test/support/cluster/start.ts";
import { qvs } from "../qvs.ts";
import { type Command, type Cost, timed } from "../timed.ts";
import { countRequests } from "./count-requests.ts";

/** The value to deploy, and its namespace. */
export interface Load {
  readonly value: string;
  /** Any other value than `first` changes every object. */
  readonly mark?: string;
  readonly namespace: string;
}

export interface Tools {
  readonly cluster: RunningCluster;
  /** The path of the program. */
  readonly kapp: string;
  /** The directory with the config. */
  readonly repository: string;
}

export function deployWithQvs({ cluster, repository }: Tools, load: Load): Promise<Cost> {
  const flags = ["--kubeconfig", cluster.kubeconfig, "--namespace", load.namespace];
  return counted(cluster, qvs(repository, "deploy", ...flags, ...paramsOf(load)));
}

/** Returns the deployment with each of the three tools. Each tool uses its own namespace. */
export function deployWithEach(tools: Tools, loadOf: (tool: string) => Load) {
  return {
    kubectl: () => applyWithKubectl(tools, loadOf("kubectl"), false),
    kapp: () => deployWithKapp(tools, loadOf("kapp")),
    qvs: () => deployWithQvs(tools, loadOf("qvs")),
  };
}

/** Applies with kubectl, which waits for nothing. With `ready`, `kubectl wait` follows. */
export async function applyWithKubectl(tools: Tools, load: Load, ready: boolean): Promise<Cost> {
  const { cluster, repository } = tools;
  const file = await manifestFile(tools, load);
  const at = `--kubeconfig '${cluster.kubeconfig}' --namespace '${load.namespace}'`;
  const apply = `'${cluster.kubectl}' apply --server-side ${at} --filename '${file}'`;
  const wait = `'${cluster.kubectl}' wait deployments --all --for=condition=Available --timeout=30m ${at}`;
  const script = ready ? `${apply} && ${wait}` : apply;
  return counted(cluster, { program: "bash", args: ["-c", script], directory: repository });
}

export async function deployWithKapp(tools: Tools, load: Load): Promise<Cost> {
  const { cluster, kapp, repository } = tools;
  const file = await manifestFile(tools, load);
  const flags = ["--kubeconfig", cluster.kubeconfig, "--namespace", load.namespace, "--yes"];
  const args = ["deploy", "--app", "bench", "--file", file, ...flags];
  return counted(cluster, { program: kapp, args, directory: repository });
}

/** Compiles each time, as for a commit that was never compiled before. */
export function diffWithQvs({ cluster, repository }: Tools, load: Load): Promise<Cost> {
  const flags = ["--kubeconfig", cluster.kubeconfig, "--namespace", load.namespace, "--no-cache"];
  return counted(cluster, qvs(repository, "diff", ...flags, ...paramsOf(load)));
}

/**
 * Measures a second `qvs diff`, which finds the compilation in the cache. The params come from a
 * file, because qvs caches no compilation with params from the command line.
 */
export function diffAgainWithQvs({ cluster, repository }: Tools, load: Load): Promise<Cost> {
  const params = `params-${load.value}-${markOf(load)}.json`;
  const given = Object.entries(givenBy(load)).map(([name, value]) => ({ name, value }));
  writeFileSync(join(repository, params), JSON.stringify({ params: given }));
  const flags = ["--kubeconfig", cluster.kubeconfig, "--namespace", load.namespace];
  return counted(cluster, qvs(repository, "diff", ...flags, "--params", params));
}

/** Finds drift, which compiles nothing. The exit code 2 means drift. */
export function driftWithQvs({ cluster, repository }: Tools, { namespace }: Load): Promise<Cost> {
  const flags = ["--kubeconfig", cluster.kubeconfig];
  const { program, args } = qvs(repository, "drift", ...flags, "--namespace", namespace);
  const words = [program, ...args].map((word) => `'${word}'`).join(" ");
  const script = `${words} || test $? -eq 2`;
  return counted(cluster, { program: "bash", args: ["-c", script], directory: repository });
}

export function reconcileWithQvs(
  { cluster, repository }: Tools,
  { namespace }: Load,
): Promise<Cost> {
  const flags = ["--kubeconfig", cluster.kubeconfig];
  return counted(cluster, qvs(repository, "reconcile", ...flags, "--namespace", namespace));
}

/** Deletes so many of the ConfigMaps, as a manual change. */
export async function deleteWithKubectl(
  { cluster, repository }: Tools,
  { namespace }: Load,
  count: number,
): Promise<Cost> {
  const at = `'${cluster.kubectl}' --kubeconfig '${cluster.kubeconfig}' --namespace '${namespace}'`;
  const names = `${at} get configmaps --output name | grep -v kube-root-ca | head -n ${count}`;
  const script = `${names} | xargs ${at} delete`;
  return counted(cluster, { program: "bash", args: ["-c", script], directory: repository });
}

/** Runs `kubectl diff`. Its exit code 1 means differences. */
export async function diffWithKubectl(tools: Tools, load: Load): Promise<Cost> {
  const { cluster, repository } = tools;
  const file = await manifestFile(tools, load);
  const at = `--kubeconfig '${cluster.kubeconfig}' --namespace '${load.namespace}'`;
  const diff = `'${cluster.kubectl}' diff --server-side ${at} --filename '${file}'`;
  const script = `${diff} || test $? -eq 1`;
  return counted(cluster, { program: "bash", args: ["-c", script], directory: repository });
}

export async function diffWithKapp(tools: Tools, load: Load): Promise<Cost> {
  const { cluster, kapp, repository } = tools;
  const file = await manifestFile(tools, load);
  const flags = ["--kubeconfig", cluster.kubeconfig, "--namespace", load.namespace, "--yes"];
  const args = ["deploy", "--app", "bench", "--file", file, "--diff-run", ...flags];
  return counted(cluster, { program: kapp, args, directory: repository });
}

async function counted(cluster: RunningCluster, command: Command): Promise<Cost> {
  const { result, requests } = await countRequests(cluster.auditLog, () => timed(command));
  return { ...result.cost, requests };
}

/**
 * Returns the file with the manifests that qvs compiles, so that all tools apply the same objects.
 * qvs compiles once for all namespaces, because that takes long.
 */
async function manifestFile({ cluster, repository }: Tools, load: Load): Promise<string> {
  const { directory } = cluster;
  const compiled = join(directory, `compiled-${load.value}-${markOf(load)}.yaml`);
  if (!existsSync(compiled)) {
    const anywhere = { ...load, namespace: placeholder };
    const { stdout } = await timed(qvs(repository, "compile", ...paramsOf(anywhere)));
    writeFileSync(compiled, stdout);
  }
  const file = join(directory, "manifests.yaml");
  writeFileSync(file, readFileSync(compiled, "utf8").replaceAll(placeholder, load.namespace));
  return file;
}

const placeholder = "namespace-of-the-tool";

function givenBy(load: Load) {
  return { value: load.value, mark: markOf(load), namespace: load.namespace };
}

function paramsOf(load: Load): string[] {
  return Object.entries(givenBy(load)).flatMap(([name, value]) => ["--param", `${name}=${value}`]);
}

function markOf({ mark = "first" }: Load): string {
  return mark;
}
