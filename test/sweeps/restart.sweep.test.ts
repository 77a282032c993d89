import { afterAll, beforeAll, expect, test } from "vitest";
import { openCluster } from "../../src/io/kubernetes/cluster.ts";
import { connect } from "../../src/io/kubernetes/kubeconfig/connect.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { expireLock } from "../support/cluster/expire-lock.ts";
import { type RunningCluster, startCluster } from "../support/cluster/start.ts";
import { clusterAt } from "../support/cluster/use-cluster.ts";
import { startApiProxy } from "../support/servers/api-proxy.ts";
import { readState } from "./cluster-state.ts";
import { type Demo, demoIn, otherVersion, type Version } from "./demo.ts";
import { flaw, flawsOfFailure, flawsOfPostponing, flawsOfSuccess, flawsOfWords } from "./judge.ts";
import type { NumberedRequest } from "./numbered-request.ts";
import { type Restarts, restartsOf } from "./restarts.ts";
import { useDeploy } from "./run-deploy.ts";
import { type Row, tableOf } from "./table.ts";

/** Restarts the API server during a deployment. The test has its own control plane. */
const deploy = useDeploy();
let cluster: RunningCluster;
let restarts: Restarts;
let direct: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
  restarts = restartsOf(cluster);
  const kubeconfig = { path: cluster.kubeconfigFor("kubectl") };
  direct = openCluster(await connect({ kubeconfig, env: {} }));
});

afterAll(async () => {
  await restarts.stop();
  await cluster.stop();
});

const moments: readonly (readonly [string, (request: NumberedRequest) => boolean])[] = [
  ["its record is written", ({ text }) => text === "create secrets"],
  ["the Deployment is changed", ({ text }) => text === "apply deployments/web"],
  ["the rollout is watched", ({ text }) => text === "watch deployments"],
  ["the old ConfigMap is deleted", ({ text }) => text.startsWith("delete configmaps/settings")],
];

test("an API server that restarts during a deployment at most stops it cleanly", async () => {
  const demo = await demoIn(clusterAt(cluster));
  const objects = { blue: "", green: "" };
  for (const version of ["blue", "green", "blue"] as const) {
    demo.declareVersion(version);
    expect(await deploy(demo, cluster.kubeconfig)).toEqual({ code: 0, text: "", kept: [] });
    objects[version] = (await readState(direct, demo.namespace)).objects;
  }
  const rows: Row[] = [];
  let version: Version = "blue";
  for (const [index, [what, isMeant]] of moments.entries()) {
    version = otherVersion[version];
    rows.push(
      await tryMoment(demo, version, objects[version], { position: index + 1, what, isMeant }),
    );
  }
  console.log(tableOf("The API server restarts just before", rows));
  expect(rows.filter(({ flaws }) => flaws.length > 0)).toEqual([]);
});

async function tryMoment(
  demo: Demo,
  version: Version,
  reference: string,
  {
    position,
    what,
    isMeant,
  }: { position: number; what: string; isMeant: (request: NumberedRequest) => boolean },
): Promise<Row> {
  const before = await readState(direct, demo.namespace);
  demo.declareVersion(version);
  const proxy = await startApiProxy(cluster.kubeconfig, demo.folder, `run-${position}`);
  let restarted: Promise<void> | undefined;
  proxy.setRule((request) => {
    if (restarted === undefined && isMeant(request)) restarted = restarts.restart();
    return undefined;
  });
  // Uses the program's default waits, which are made for this case.
  const end = await deploy(demo, proxy.kubeconfig, { firstDelay: 250, longestDelay: 8_000 });
  await restarted;
  await proxy.settled();
  await proxy.close();
  const after = await readState(direct, demo.namespace);
  const wrote = proxy.requests.some(
    (one) => one.write !== undefined && !/leases|secrets/.test(one.resource),
  );
  const began = { revision: before.releases[0]?.revision ?? 0, wrote };
  const postponed = end.kept.length > 0;
  if (after.holder !== "") await expireLock(clusterAt(cluster), demo.namespace);
  const second = await deploy(demo, cluster.kubeconfig);
  const settled = await readState(direct, demo.namespace);
  const failed = end.text.split("\n")[0]?.slice(0, 90) ?? "";
  return {
    position,
    request: what,
    fault: "SIGKILL, back in a moment",
    outcome: end.code === 0 ? `completed${postponed ? ", some kept for now" : ""}` : failed,
    second: second.code === 0 ? "completed" : `ended with ${second.code}`,
    flaws: [
      ...flaw(restarted === undefined, "the expected request was never sent"),
      ...(end.code !== 0
        ? [...flawsOfWords(end), ...flawsOfFailure(after, end, began)]
        : postponed
          ? flawsOfPostponing(after, end.kept)
          : flawsOfSuccess(after, reference)),
      ...flaw(second.code !== 0, `the second run failed:\n${second.text}`),
      ...flawsOfSuccess(settled, reference).map((text) => `after the second run: ${text}`),
    ],
  };
}
