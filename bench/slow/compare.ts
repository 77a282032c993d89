import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { buildTools } from "../../test/support/cluster/build.ts";
import { inTurn } from "../in-turn.ts";
import {
  changedObjects,
  deployedObjects,
  load,
  onOwnCluster,
  prepareNamespaces,
} from "../scale/compare.ts";
import { writeRepository } from "../scale/repository.ts";
import {
  deployWithEach,
  diffWithKapp,
  diffWithKubectl,
  diffWithQvs,
  type Load,
  type Tools,
} from "../scale/tools.ts";
import type { Row, Section } from "../section.ts";
import type { Cost } from "../timed.ts";
import { startProxy } from "./proxy.ts";

/**
 * Round trips in milliseconds: to a cluster in the same part of the world, and to one on another
 * continent.
 */
const roundTrips = [30, 80] as const;

/** Compares deploying and previewing over a slow connection, with all three tools. */
export async function compareSlow(count: number, rounds: number): Promise<Section> {
  const kapp = (await buildTools("kapp")).path("kapp");
  const before = load();
  const rows = await onOwnCluster(kapp, async (tools) => {
    writeRepository(tools.repository, "application", count / 10);
    const all: Row[] = [];
    for (const roundTrip of roundTrips) all.push(...(await compareOver(tools, roundTrip, rounds)));
    return all;
  });
  return {
    title: `Deploying ${count.toLocaleString("en")} objects over a slow connection`,
    command: `npm run bench -- slow ${count}`,
    rounds,
    versions: ["Kubernetes v1.36.4", "kapp v0.64.2"],
    notes: [
      `A proxy on the same machine passes on each byte after half of ${roundTrips.join(" or ")} ms, each way, and opens a connection after the whole of it. It limits nothing else.`,
      `${deployedObjects} ${changedObjects}`,
      "Each tool has a namespace of its own on the same control plane, with its defaults. `qvs` compiles as well (`diff` with `--no-cache`); the others read finished manifests.",
      "Requests are those of the last round, from the audit log.",
      `Ratios are those to kubectl. The load of the machine was ${before} before and ${load()} after, on ${availableParallelism()} cores.`,
    ],
    rows,
  };
}

async function compareOver(near: Tools, roundTrip: number, rounds: number): Promise<Row[]> {
  const proxy = await startProxy(Number(new URL(near.cluster.server).port), roundTrip);
  try {
    return await compare(near, throughProxy(near, proxy.port), roundTrip, rounds);
  } finally {
    await proxy.close();
  }
}

/**
 * Returns tools that connect through the proxy. The certificate of the server is for its address
 * and any port.
 */
function throughProxy(tools: Tools, port: number): Tools {
  const { cluster } = tools;
  const kubeconfig = join(cluster.directory, `kubeconfig-${port}`);
  const text = readFileSync(cluster.kubeconfig, "utf8");
  writeFileSync(kubeconfig, text.replaceAll(cluster.server, `https://127.0.0.1:${port}`));
  return { ...tools, cluster: { ...cluster, kubeconfig } };
}

async function compare(
  near: Tools,
  tools: Tools,
  roundTrip: number,
  rounds: number,
): Promise<Row[]> {
  // Each round trip has its own namespaces.
  let round = roundTrip * 1000;
  const at = (tool: string, value: string): Load => ({ value, namespace: `${tool}-${round}` });
  const deploy = (value: string) => deployWithEach(tools, (tool) => at(tool, value));
  const [added, same, changed] = [deploy("first"), deploy("first"), deploy("second")];
  const costs = await inTurn(
    rounds,
    {
      prepare: () => prepareNamespaces(near, ++round),
      kubectlNew: added.kubectl,
      kappNew: added.kapp,
      qvsNew: added.qvs,
      kubectlSame: same.kubectl,
      kappSame: same.kapp,
      qvsSame: same.qvs,
      kubectlDiff: () => diffWithKubectl(tools, at("kubectl", "second")),
      kappDiff: () => diffWithKapp(tools, at("kapp", "second")),
      qvsDiff: () => diffWithQvs(tools, at("qvs", "second")),
      kubectlChanged: changed.kubectl,
      kappChanged: changed.kapp,
      qvsChanged: changed.qvs,
    },
    false,
  );
  const { kubectlChanged, kappChanged, qvsChanged } = costs;
  return [
    ...comparedRows(roundTrip, "deploy, new", costs.kubectlNew, costs.kappNew, costs.qvsNew),
    ...comparedRows(
      roundTrip,
      "deploy, unchanged",
      costs.kubectlSame,
      costs.kappSame,
      costs.qvsSame,
    ),
    ...comparedRows(
      roundTrip,
      "diff, 1 % changed",
      costs.kubectlDiff,
      costs.kappDiff,
      costs.qvsDiff,
    ),
    ...comparedRows(roundTrip, "deploy, 1 % changed", kubectlChanged, kappChanged, qvsChanged),
  ];
}

type Costs = readonly Cost[];

function comparedRows(
  roundTrip: number,
  subject: string,
  kubectl: Costs,
  kapp: Costs,
  ours: Costs,
): Row[] {
  const name = (tool: string) => `${roundTrip} ms, ${subject}: ${tool}`;
  return [
    { subject: name("kubectl"), costs: kubectl },
    { subject: name("kapp"), costs: kapp, against: kubectl },
    { subject: name("qvs"), costs: ours, against: kubectl },
  ];
}
