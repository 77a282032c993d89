import { availableParallelism } from "node:os";
import { inTurn } from "../in-turn.ts";
import type { Row, Section } from "../section.ts";
import { deployedObjects, load, onOwnCluster, prepareNamespaces } from "./compare.ts";
import { writeRepository } from "./repository.ts";
import {
  deleteWithKubectl,
  deployWithQvs,
  diffWithKubectl,
  driftWithQvs,
  type Load,
  reconcileWithQvs,
  type Tools,
} from "./tools.ts";

/**
 * Compares finding drift of deployed objects, and correcting 1 % of them, with `kubectl diff
 * --server-side`.
 */
export async function compareDrift(count: number, rounds: number): Promise<Section> {
  process.env.QVS_EVALUATION_TIMEOUT ??= "900";
  const before = load();
  const rows = await onOwnCluster("", async (tools) => {
    writeRepository(tools.repository, "application", count / 10);
    await prepareNamespaces(tools, 0);
    await deployWithQvs(tools, deployed);
    return compare(tools, count, rounds);
  });
  return {
    title: `Drift of ${count.toLocaleString("en")} objects`,
    command: `npm run bench -- drift ${count}`,
    rounds,
    versions: ["Kubernetes v1.36.4"],
    notes: [
      `${deployedObjects} 1 % of the objects, all of them ConfigMaps, are deleted manually.`,
      "`qvs drift` reads the running release and compiles nothing; kubectl reads finished manifests of the same objects.",
      "Requests are those of the last round, from the audit log.",
      `Ratios are those to kubectl. The load of the machine was ${before} before and ${load()} after, on ${availableParallelism()} cores.`,
    ],
    rows,
  };
}

const deployed: Load = { value: "first", namespace: "qvs-0" };

async function compare(tools: Tools, count: number, rounds: number): Promise<Row[]> {
  const costs = await inTurn(
    rounds,
    {
      kubectlSame: () => diffWithKubectl(tools, deployed),
      same: () => driftWithQvs(tools, deployed),
      edit: () => deleteWithKubectl(tools, deployed, Math.ceil(count / 100)),
      kubectlSome: () => diffWithKubectl(tools, deployed),
      some: () => driftWithQvs(tools, deployed),
      correct: () => reconcileWithQvs(tools, deployed),
      after: () => driftWithQvs(tools, deployed),
    },
    false,
  );
  return [
    { subject: "no drift: kubectl diff", costs: costs.kubectlSame },
    { subject: "no drift: qvs drift", costs: costs.same, against: costs.kubectlSame },
    { subject: "1 % missing: kubectl diff", costs: costs.kubectlSome },
    { subject: "1 % missing: qvs drift", costs: costs.some, against: costs.kubectlSome },
    { subject: "1 % missing: qvs reconcile", costs: costs.correct },
    { subject: "corrected: qvs drift", costs: costs.after, against: costs.kubectlSame },
  ];
}
