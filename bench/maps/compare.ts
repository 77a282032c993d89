import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKubectl } from "../../test/support/cluster/kubectl.ts";
import { type RunningCluster, startCluster } from "../../test/support/cluster/start.ts";
import { inTurn } from "../in-turn.ts";
import { qvs } from "../qvs.ts";
import type { Row, Section } from "../section.ts";
import { type Command, type Cost, timed } from "../timed.ts";

const repository = join(import.meta.dirname, "../config-maps");

/**
 * Measures time and memory of each command for a very large number of small objects from one
 * comprehension.
 */
export async function compareMaps(count: number, rounds: number): Promise<Section> {
  process.env.QVS_EVALUATION_TIMEOUT ??= "900";
  const cluster = await startCluster({ auditLog: false });
  try {
    return {
      title: `${count.toLocaleString("en")} ConfigMaps`,
      command: `npm run bench -- maps ${count}`,
      rounds,
      versions: ["Kubernetes v1.36.4"],
      notes: [
        "ConfigMaps of one value each, all of one comprehension (`bench/config-maps`), in a namespace of its own for each tool and round.",
        "`qvs` compiles each time, without its cache; kubectl reads finished manifests. Traced: with `--explain` of one field.",
        "Ratios are those of tracing to compiling, and of qvs to kubectl.",
      ],
      rows: await measure(cluster, count, rounds),
    };
  } finally {
    await cluster.stop();
  }
}

async function measure(cluster: RunningCluster, count: number, rounds: number): Promise<Row[]> {
  let round = 0;
  const ours = (command: "deploy" | "diff") => () => {
    const flags = [
      "--kubeconfig",
      cluster.kubeconfig,
      ...(command === "diff" ? ["--no-cache"] : []),
    ];
    return costOf(qvs(repository, command, ...flags, ...paramsOf(count, `qvs-${round}`)));
  };
  const kubectl = (...args: readonly string[]) =>
    kubectlWith(cluster, count, `kubectl-${round}`, args);
  const costs = await inTurn(
    rounds,
    {
      prepare: () => prepareNamespaces(cluster, ++round),
      compile: () => costOf(compiling(count, "any")),
      trace: () => costOf(compiling(count, "any", "--explain", "app/config0:data.value")),
      kubectlNew: () => kubectl("apply"),
      qvsNew: ours("deploy"),
      kubectlDiff: () => kubectl("diff"),
      qvsDiff: ours("diff"),
      kubectlSame: () => kubectl("apply"),
      qvsSame: ours("deploy"),
    },
    false,
  );
  return [
    { subject: "qvs compile", costs: costs.compile },
    { subject: "qvs compile, traced", costs: costs.trace, against: costs.compile },
    { subject: "new: kubectl apply", costs: costs.kubectlNew },
    { subject: "new: qvs deploy", costs: costs.qvsNew, against: costs.kubectlNew },
    { subject: "unchanged: kubectl diff", costs: costs.kubectlDiff },
    { subject: "unchanged: qvs diff", costs: costs.qvsDiff, against: costs.kubectlDiff },
    { subject: "unchanged: kubectl apply", costs: costs.kubectlSame },
    { subject: "unchanged: qvs deploy", costs: costs.qvsSame, against: costs.kubectlSame },
  ];
}

async function kubectlWith(
  cluster: RunningCluster,
  count: number,
  namespace: string,
  args: readonly string[],
): Promise<Cost> {
  const file = join(cluster.directory, "manifests.yaml");
  writeFileSync(file, (await timed(compiling(count, namespace))).stdout);
  const flags = ["--kubeconfig", cluster.kubeconfig, "--server-side", "--filename", file];
  return costOf({ program: cluster.kubectl, args: [...args, ...flags], directory: repository });
}

function compiling(count: number, namespace: string, ...flags: readonly string[]): Command {
  return qvs(repository, "compile", "--no-cache", ...flags, ...paramsOf(count, namespace));
}

async function prepareNamespaces(cluster: RunningCluster, round: number): Promise<Cost> {
  for (const tool of ["kubectl", "qvs"]) {
    await runKubectl(["create", "namespace", `${tool}-${round}`], { ...cluster, user: "admin" });
  }
  return { wallMs: 0, cpuMs: 0 };
}

async function costOf(command: Command): Promise<Cost> {
  return (await timed(command)).cost;
}

function paramsOf(count: number, namespace: string): string[] {
  const given = { count, namespace, value: "first" };
  const params = Object.entries(given).flatMap(([name, v]) => ["--param", `${name}=${v}`]);
  return ["--config", ".valuestream/qvs.yaml", ...params];
}
