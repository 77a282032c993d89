import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { buildTools } from "../../test/support/cluster/build.ts";
import { runKubectl } from "../../test/support/cluster/kubectl.ts";
import { startCluster } from "../../test/support/cluster/start.ts";
import { inTurn } from "../in-turn.ts";
import type { Row, Section } from "../section.ts";
import type { Cost } from "../timed.ts";
import { writeRepository } from "./repository.ts";
import {
  applyWithKubectl,
  deployWithEach,
  deployWithKapp,
  deployWithQvs,
  type Load,
  type Tools,
} from "./tools.ts";

export const scales = ["1000", "5000", "rollouts"] as const;
export type Scale = (typeof scales)[number];

const titles: Readonly<Record<Scale, string>> = {
  "1000": "Deploying 1,000 objects",
  "5000": "Deploying 5,000 objects",
  rollouts: "Deploying 300 Deployments",
};

/**
 * Compares `qvs deploy` of many objects with `kubectl apply --server-side` and kapp, including
 * their requests to the API server.
 */
export async function compareScale(scale: Scale, rounds: number): Promise<Section> {
  // On a busy machine, evaluating 5,000 resources takes more than the usual minute.
  process.env.QVS_EVALUATION_TIMEOUT ??= "900";
  const kapp = (await buildTools("kapp")).path("kapp");
  const before = load();
  const rows = await onOwnCluster(kapp, (tools) => {
    // An application has ten objects.
    const count = scale === "rollouts" ? workloads : Number(scale) / 10;
    const pattern = scale === "rollouts" ? "workload" : "application";
    writeRepository(tools.repository, pattern, count);
    return scale === "rollouts" ? compareRollouts(tools, rounds) : compareLife(tools, rounds);
  });
  return {
    title: titles[scale],
    command: `npm run bench -- scale ${scale}`,
    rounds,
    versions: ["Kubernetes v1.36.4", "kapp v0.64.2"],
    notes: [
      scale === "rollouts" ? rolloutObjects : `${deployedObjects} ${changedObjects}`,
      "Each tool has its own namespace on the same control plane, with its defaults. `qvs` also compiles the objects, from a config with one entry for each application; `kubectl` and kapp read finished manifests. There is no warm-up round.",
      "Requests are those of the last round, from the audit log. Dry-runs are requests as well; a lease is the lock.",
      `Ratios are those to kubectl. The load of the machine was ${before} before and ${load()} after, on ${availableParallelism()} cores.`,
    ],
    rows,
  };
}

export const deployedObjects =
  "Of ten objects six are ConfigMaps (five of them files of half a kilobyte), and one each is a Secret, a ServiceAccount, a Service without an address and a Deployment without replicas, which reads them.";

export const changedObjects =
  "1 % changed: another value in one ConfigMap of each tenth application.";

const workloads = 300;
const rolloutObjects =
  "Deployments of one Pod each, until all are available; `kubectl wait` follows `kubectl apply`, the others wait by themselves.";

export function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}

/**
 * Starts a new cluster for the comparison, because objects of an earlier comparison would slow it
 * down.
 */
export async function onOwnCluster(
  kapp: string,
  compare: (tools: Tools) => Promise<Row[]>,
): Promise<Row[]> {
  const policy = join(import.meta.dirname, "audit-policy.yaml");
  const cluster = await startCluster({ auditLog: { policy }, nodes: 6 });
  try {
    return await compare({ cluster, kapp, repository: join(cluster.directory, "repository") });
  } finally {
    await cluster.stop();
  }
}

async function compareLife(tools: Tools, rounds: number): Promise<Row[]> {
  let round = 0;
  const at = (tool: string, value: string): Load => ({ value, namespace: `${tool}-${round}` });
  const of = (value: string) => deployWithEach(tools, (tool) => at(tool, value));
  const [added, same, changed] = [of("first"), of("first"), of("second")];
  const costs = await inTurn(
    rounds,
    {
      prepare: () => prepareNamespaces(tools, ++round),
      kubectlNew: added.kubectl,
      kappNew: added.kapp,
      qvsNew: added.qvs,
      kubectlSame: same.kubectl,
      kappSame: same.kapp,
      qvsSame: same.qvs,
      kubectlChanged: changed.kubectl,
      kappChanged: changed.kapp,
      qvsChanged: changed.qvs,
    },
    false,
  );
  const { kubectlChanged, kappChanged, qvsChanged } = costs;
  return [
    ...comparedRows("new", costs.kubectlNew, costs.kappNew, costs.qvsNew),
    ...comparedRows("unchanged", costs.kubectlSame, costs.kappSame, costs.qvsSame),
    ...comparedRows("1 % changed", kubectlChanged, kappChanged, qvsChanged),
  ];
}

async function compareRollouts(tools: Tools, rounds: number): Promise<Row[]> {
  let round = 0;
  const at = (tool: string): Load => ({ value: "first", namespace: `${tool}-${round}` });
  const costs = await inTurn(
    rounds,
    {
      prepare: () => prepareNamespaces(tools, ++round),
      kubectl: () => applyWithKubectl(tools, at("kubectl"), true),
      kapp: () => deployWithKapp(tools, at("kapp")),
      qvs: () => deployWithQvs(tools, at("qvs")),
    },
    false,
  );
  return comparedRows("ready", costs.kubectl, costs.kapp, costs.qvs);
}

type Costs = readonly Cost[];

function comparedRows(subject: string, kubectl: Costs, kapp: Costs, ours: Costs): Row[] {
  return [
    { subject: `${subject}: kubectl apply`, costs: kubectl },
    { subject: `${subject}: kapp deploy`, costs: kapp, against: kubectl },
    { subject: `${subject}: qvs deploy`, costs: ours, against: kubectl },
  ];
}

export async function prepareNamespaces({ cluster }: Tools, round: number): Promise<Cost> {
  for (const tool of ["kubectl", "kapp", "qvs"]) {
    await runKubectl(["create", "namespace", `${tool}-${round}`], { ...cluster });
  }
  return { wallMs: 0, cpuMs: 0 };
}
