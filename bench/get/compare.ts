import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKubectl } from "../../test/support/cluster/kubectl.ts";
import { type RunningCluster, startCluster } from "../../test/support/cluster/start.ts";
import { inTurn } from "../in-turn.ts";
import { qvs } from "../qvs.ts";
import { countRequests } from "../scale/count-requests.ts";
import type { Section } from "../section.ts";
import { type Command, type Cost, timed } from "../timed.ts";
import { plantedObjects, releasesOfEach } from "./plant.ts";

/** Compares queries about many deployments with listing their records by kubectl. */
export async function compareGetting(deployments: number, rounds: number): Promise<Section> {
  const policy = join(import.meta.dirname, "../scale/audit-policy.yaml");
  const cluster = await startCluster({ auditLog: { policy } });
  try {
    await plant(cluster, deployments);
    const ask =
      (...words: readonly string[]) =>
      () =>
        run(cluster, askOf(cluster, words));
    const costs = await inTurn(rounds, {
      kubectl: () => run(cluster, listOf(cluster)),
      deployments: ask("get", "deployments", "-A", "--format", "json"),
      types: ask("get", "types", "-A"),
      instances: ask("get", "instances", "deploy", "-A", "--format", "json"),
    });
    const against = costs.kubectl;
    return {
      title: `Asking about ${deployments} deployments`,
      command: `npm run bench -- get ${deployments}`,
      rounds,
      versions: ["Kubernetes v1.36.4"],
      notes: [
        `${deployments} deployments, ten in a namespace, each with ${releasesOfEach} releases and a ConfigMap, a Secret, a Service and a Deployment without replicas, on a real control plane on the same machine.`,
        "kubectl lists the records with their content, which is necessary to decode them. Ratios compare with kubectl.",
        "Requests are those of the last round, from the audit log.",
      ],
      rows: [
        { subject: "kubectl get secrets -A -o json", costs: costs.kubectl },
        { subject: "qvs get deployments -A", costs: costs.deployments, against },
        { subject: "qvs get types -A", costs: costs.types, against },
        { subject: "qvs get instances deploy -A", costs: costs.instances, against },
      ],
    };
  } finally {
    await cluster.stop();
  }
}

async function plant(cluster: RunningCluster, deployments: number): Promise<void> {
  const file = join(cluster.directory, "fleet.json");
  const items = plantedObjects(deployments);
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  await runKubectl(["create", "-f", file], { ...cluster, user: "admin" });
}

async function run(cluster: RunningCluster, command: Command): Promise<Cost> {
  const { result, requests } = await countRequests(cluster.auditLog, () => timed(command));
  return { ...result.cost, requests };
}

function askOf(cluster: RunningCluster, words: readonly string[]): Command {
  return qvs(cluster.directory, ...words, "--kubeconfig", cluster.kubeconfig);
}

function listOf({ kubectl, kubeconfig, directory }: RunningCluster): Command {
  const args = ["--kubeconfig", kubeconfig, "get", "secrets", "-A", "-o", "json"];
  return { program: kubectl, args: [...args, "-l", "vs.axis-dev.io/revision"], directory };
}
