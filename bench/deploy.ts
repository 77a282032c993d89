import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKubectl } from "../test/support/cluster/kubectl.ts";
import { type RunningCluster, startCluster } from "../test/support/cluster/start.ts";
import { inTurn } from "./in-turn.ts";
import { qvs } from "./qvs.ts";
import type { Row, Section } from "./section.ts";
import { type Command, type Cost, timed } from "./timed.ts";

/** The number of ConfigMaps. */
export const count = 300;
/** The repository with the config of the ConfigMaps. */
export const repository = join(import.meta.dirname, "config-maps");

/**
 * Compares `qvs deploy` with `kubectl apply --server-side` of the same objects, on a separate
 * control plane.
 */
export async function compareDeploying(rounds: number): Promise<Section> {
  const cluster = await startCluster({ auditLog: false });
  try {
    const rows = await compareCases(cluster, rounds);
    return {
      title: "Deploying",
      command: "npm run bench -- deploy",
      rounds,
      versions: [await kubernetesVersion(cluster)],
      notes: [
        `${count} ConfigMaps, each round in two namespaces of its own, on a real control plane on the same machine (test/support/cluster).`,
        "`qvs deploy` starts Node, compiles the adapter, acquires its lock, reads the live objects, plans, records the release and applies; `kubectl apply --server-side` reads the finished manifests from a file.",
        "New: nothing is there. Unchanged: the same once more. Changed: another value in every object.",
        "Ratios are those to kubectl.",
      ],
      rows,
    };
  } finally {
    await cluster.stop();
  }
}

/** Runs each round six times: new, unchanged and changed objects, each with both programs. */
async function compareCases(cluster: RunningCluster, rounds: number): Promise<Row[]> {
  let round = -1;
  const kubectl = (value: string) => () => applyWithKubectl(cluster, `kubectl-${round}`, value);
  const ours = (value: string) => () => deployWithQvs(cluster, `qvs-${round}`, value);
  const costs = await inTurn(rounds, {
    prepare: () => prepareNamespaces(cluster, ["kubectl", "qvs"], ++round),
    kubectlNew: kubectl("first"),
    qvsNew: ours("first"),
    kubectlUnchanged: kubectl("first"),
    qvsUnchanged: ours("first"),
    kubectlChanged: kubectl("second"),
    qvsChanged: ours("second"),
  });
  return [
    { subject: "new: kubectl apply", costs: costs.kubectlNew },
    { subject: "new: qvs deploy", costs: costs.qvsNew, against: costs.kubectlNew },
    { subject: "unchanged: kubectl apply", costs: costs.kubectlUnchanged },
    {
      subject: "unchanged: qvs deploy",
      costs: costs.qvsUnchanged,
      against: costs.kubectlUnchanged,
    },
    { subject: "changed: kubectl apply", costs: costs.kubectlChanged },
    { subject: "changed: qvs deploy", costs: costs.qvsChanged, against: costs.kubectlChanged },
  ];
}

/** Creates a namespace for each subject of a round. */
export async function prepareNamespaces(
  cluster: RunningCluster,
  subjects: readonly string[],
  round: number,
): Promise<Cost> {
  for (const subject of subjects) {
    await runKubectl(["create", "namespace", `${subject}-${round}`], { ...cluster, user: "admin" });
  }
  return { wallMs: 0, cpuMs: 0 };
}

async function applyWithKubectl(
  cluster: RunningCluster,
  namespace: string,
  value: string,
): Promise<Cost> {
  const file = await manifestFile(cluster, namespace, value);
  const flags = ["--kubeconfig", cluster.kubeconfig, "--server-side", "--filename", file];
  const { cost } = await timed(command(cluster.kubectl, ["apply", ...flags]));
  return cost;
}

/** Writes the manifests that qvs compiles, so that both programs apply the same objects. */
async function manifestFile(
  cluster: RunningCluster,
  namespace: string,
  value: string,
): Promise<string> {
  const compiled = await timed(qvs(repository, "compile", ...params(namespace, value)));
  const file = join(cluster.directory, "manifests.yaml");
  writeFileSync(file, compiled.stdout);
  return file;
}

async function deployWithQvs(
  cluster: RunningCluster,
  namespace: string,
  value: string,
): Promise<Cost> {
  const flags = ["--kubeconfig", cluster.kubeconfig, "--namespace", namespace];
  const { cost } = await timed(qvs(repository, "deploy", ...flags, ...params(namespace, value)));
  return cost;
}

/** Returns the arguments that choose the config and its ConfigMaps. */
export function params(namespace: string, value: string): readonly string[] {
  const given = { count, namespace, value };
  const config = ["--config", ".valuestream/qvs.yaml"];
  return [...config, ...Object.entries(given).flatMap(([name, v]) => ["--param", `${name}=${v}`])];
}

async function kubernetesVersion({ kubectl }: RunningCluster): Promise<string> {
  const { stdout } = await timed(command(kubectl, ["version", "--client"]));
  return stdout.split("\n")[0]?.replace("Client Version:", "Kubernetes") ?? "";
}

function command(program: string, args: readonly string[]): Command {
  return { program, args, directory: repository };
}
