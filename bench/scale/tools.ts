import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunningCluster } from "../../test/cluster/start.ts";
import { qvs } from "../qvs.ts";
import { type Command, type Cost, timed } from "../timed.ts";
import { countRequests } from "./count-requests.ts";

/** What is deployed: one of the configs in `applications/`, how much of it, with which value, and where. */
export interface Load {
  readonly config: "qvs" | "workloads";
  readonly count: number;
  readonly value: string;
  readonly namespace: string;
}

export interface Tools {
  readonly cluster: RunningCluster;
  /** Path of the program. */
  readonly kapp: string;
}

const repository = join(import.meta.dirname, "applications");

export function deployWithQvs({ cluster }: Tools, load: Load): Promise<Cost> {
  const flags = ["--kubeconfig", cluster.kubeconfig, "--namespace", load.namespace];
  return counted(cluster, qvs(repository, "deploy", ...flags, ...configOf(load)));
}

/** It does not wait for anything, so where that is compared, it is told to afterwards. */
export async function applyWithKubectl(
  { cluster }: Tools,
  load: Load,
  ready: boolean,
): Promise<Cost> {
  const file = await manifestFile(cluster, load);
  const at = `--kubeconfig '${cluster.kubeconfig}' --namespace '${load.namespace}'`;
  const apply = `'${cluster.kubectl}' apply --server-side ${at} --filename '${file}'`;
  const wait = `'${cluster.kubectl}' wait deployments --all --for=condition=Available --timeout=30m ${at}`;
  return counted(cluster, shell(ready ? `${apply} && ${wait}` : apply));
}

export async function deployWithKapp({ cluster, kapp }: Tools, load: Load): Promise<Cost> {
  const file = await manifestFile(cluster, load);
  const flags = ["--kubeconfig", cluster.kubeconfig, "--namespace", load.namespace, "--yes"];
  const args = ["deploy", "--app", "bench", "--file", file, ...flags];
  return counted(cluster, { program: kapp, args, directory: repository });
}

async function counted(cluster: RunningCluster, command: Command): Promise<Cost> {
  const { result, requests } = await countRequests(cluster.auditLog, () => timed(command));
  return { ...result.cost, requests };
}

function shell(script: string): Command {
  return { program: "bash", args: ["-c", script], directory: repository };
}

/** All apply the same: what qvs compiles. That takes a while, so it is done once for all namespaces. */
async function manifestFile({ directory }: RunningCluster, load: Load): Promise<string> {
  const compiled = join(directory, `compiled-${load.value}.yaml`);
  if (!existsSync(compiled)) {
    const anywhere = { ...load, namespace: placeholder };
    const { stdout } = await timed(qvs(repository, "compile", ...configOf(anywhere)));
    writeFileSync(compiled, stdout);
  }
  const file = join(directory, "manifests.yaml");
  writeFileSync(file, readFileSync(compiled, "utf8").replaceAll(placeholder, load.namespace));
  return file;
}

const placeholder = "namespace-of-the-tool";

function configOf({ config, ...params }: Load): string[] {
  const given = Object.entries(params).flatMap(([name, value]) => ["--param", `${name}=${value}`]);
  return ["--config", `.valuestream/${config}.yaml`, ...given];
}
