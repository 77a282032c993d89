import { availableParallelism } from "node:os";
import { join } from "node:path";
import { buildTools } from "../../test/support/cluster/build.ts";
import { inTurn } from "../in-turn.ts";
import type { Row, Section } from "../section.ts";
import type { Cost } from "../timed.ts";
import {
  changedObjects,
  deployedObjects,
  load,
  onOwnCluster,
  prepareNamespaces,
} from "./compare.ts";
import { writeRepository } from "./repository.ts";
import {
  applyWithKubectl,
  deployWithKapp,
  deployWithQvs,
  diffAgainWithQvs,
  diffWithKapp,
  diffWithKubectl,
  diffWithQvs,
  type Load,
  type Tools,
} from "./tools.ts";

/**
 * Compares `qvs diff` of deployed objects with `kubectl diff --server-side` and `kapp deploy
 * --diff-run`.
 */
export async function compareDiffing(count: number, rounds: number): Promise<Section> {
  process.env.QVS_EVALUATION_TIMEOUT ??= "900";
  const kapp = (await buildTools("kapp")).path("kapp");
  const before = load();
  const rows = await onOwnCluster(kapp, async (tools) => {
    writeRepository(tools.repository, "application", count / 10);
    process.env.QVS_CACHE = join(tools.cluster.directory, "cache");
    await deployAll(tools);
    return compare(tools, rounds);
  });
  return {
    title: `Previewing ${count.toLocaleString("en")} objects`,
    command: `npm run bench -- diff ${count}`,
    rounds,
    versions: ["Kubernetes v1.36.4", "kapp v0.64.2"],
    notes: [
      `${deployedObjects} ${changedObjects} All changed: another annotation on each.`,
      "Each tool compares its own deployed objects, in its own namespace, with those that it would deploy; nothing is written. `qvs diff` also compiles (`--no-cache`); the others read finished manifests. Again: it finds the compilation of an earlier run in its cache.",
      "kubectl sends a dry-run of each object and runs `diff`; kapp compares with its record of its last deployment, without dry-runs.",
      "Requests are those of the last round, from the audit log.",
      `Ratios are those to kubectl. The load of the machine was ${before} before and ${load()} after, on ${availableParallelism()} cores.`,
    ],
    rows,
  };
}

const deployed = { value: "first" } as const;

async function deployAll(tools: Tools): Promise<void> {
  await prepareNamespaces(tools, 0);
  await applyWithKubectl(tools, at("kubectl", deployed), false);
  await deployWithKapp(tools, at("kapp", deployed));
  await deployWithQvs(tools, at("qvs", deployed));
}

function at(tool: string, load: Omit<Load, "namespace">): Load {
  return { ...load, namespace: `${tool}-0` };
}

async function compare(tools: Tools, rounds: number): Promise<Row[]> {
  const of = (load: Omit<Load, "namespace">) => ({
    kubectl: () => diffWithKubectl(tools, at("kubectl", load)),
    kapp: () => diffWithKapp(tools, at("kapp", load)),
    qvs: () => diffWithQvs(tools, at("qvs", load)),
    again: () => diffAgainWithQvs(tools, at("qvs", load)),
  });
  const [same, some, all] = [
    of(deployed),
    of({ value: "second" }),
    of({ ...deployed, mark: "second" }),
  ];
  for (const { again } of [same, some, all]) await again();
  const costs = await inTurn(
    rounds,
    {
      kubectlSame: same.kubectl,
      kappSame: same.kapp,
      qvsSame: same.qvs,
      againSame: same.again,
      kubectlSome: some.kubectl,
      kappSome: some.kapp,
      qvsSome: some.qvs,
      againSome: some.again,
      kubectlAll: all.kubectl,
      kappAll: all.kapp,
      qvsAll: all.qvs,
      againAll: all.again,
    },
    false,
  );
  return [
    ...comparedRows("unchanged", costs.kubectlSame, costs.kappSame, costs.qvsSame, costs.againSame),
    ...comparedRows(
      "1 % changed",
      costs.kubectlSome,
      costs.kappSome,
      costs.qvsSome,
      costs.againSome,
    ),
    ...comparedRows("all changed", costs.kubectlAll, costs.kappAll, costs.qvsAll, costs.againAll),
  ];
}

type Costs = readonly Cost[];

function comparedRows(
  subject: string,
  kubectl: Costs,
  kapp: Costs,
  ours: Costs,
  again: Costs,
): Row[] {
  return [
    { subject: `${subject}: kubectl diff`, costs: kubectl },
    { subject: `${subject}: kapp deploy --diff-run`, costs: kapp, against: kubectl },
    { subject: `${subject}: qvs diff`, costs: ours, against: kubectl },
    { subject: `${subject}: qvs diff, again`, costs: again, against: kubectl },
  ];
}
