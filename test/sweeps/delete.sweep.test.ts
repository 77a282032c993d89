import { beforeAll, expect, test } from "vitest";
import { openCluster } from "../../src/io/kubernetes/cluster.ts";
import { connect } from "../../src/io/kubernetes/kubeconfig/connect.ts";
import { leaseAddress } from "../../src/io/kubernetes/lease/lease-object.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { expireLock } from "../support/cluster/expire-lock.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { startApiProxy } from "../support/servers/api-proxy.ts";
import { readState } from "./cluster-state.ts";
import { type Demo, demoIn } from "./demo.ts";
import { flaw } from "./judge.ts";
import type { NumberedRequest } from "./numbered-request.ts";
import { useDeploy } from "./run-deploy.ts";
import { inLanes, type Row, tableOf } from "./table.ts";

/**
 * Kills `qvs delete` after each of its writes in turn and runs it again. In each case, no object,
 * release or lock of the deployment remains at the end, and the objects of another application in
 * the namespace are unchanged.
 */
const cluster = useCluster();
const deploy = useDeploy();
let direct: Cluster;

beforeAll(async () => {
  const kubeconfig = { path: cluster.kubeconfigFor("kubectl") };
  direct = openCluster(await connect({ kubeconfig, env: {} }));
});

interface Lane {
  readonly demo: Demo;
  /** The other application's state before any deployment. */
  readonly neighbor: string;
  runs: number;
}

async function openLane(): Promise<Lane> {
  const demo = await demoIn(cluster);
  await demo.kubectl("create", "configmap", "neighbor", "--from-literal=a=b");
  demo.declareVersion("blue");
  const { objects } = await readState(direct, demo.namespace);
  return { demo, neighbor: objects, runs: 0 };
}

async function tryKill(lane: Lane, nth: number): Promise<Row> {
  const { demo } = lane;
  expect(await deploy(demo, cluster.kubeconfig)).toEqual({ code: 0, text: "", kept: [] });
  const first = await killedAfter(lane, nth);
  const left = await readState(direct, demo.namespace);
  if (left.holder !== "") await expireLock(cluster, demo.namespace);
  const second = await demo.qvs("delete", "-d", "demo", "--yes");
  const { releases, leaks, ours } = await untilGone(demo);
  const after = await readState(direct, demo.namespace);
  return {
    position: nth,
    request: first.hit?.text ?? "(not reached)",
    fault: "SIGKILL",
    outcome: `${first.code}, ${left.ours.length} objects and ${left.releases.length} releases left`,
    second: second.code === 0 ? second.stdout.trim().replace(demo.namespace, "demo") : "failed",
    flaws: [
      ...flaw(second.code !== 0, `the second run ended with ${second.code}:\n${second.stderr}`),
      ...flaw(releases.length > 0, `${releases.length} releases are left`),
      ...flaw(ours.length > 0, `left: ${ours.join(", ")}`),
      ...flaw(after.objects !== lane.neighbor, `the objects have changed:\n${after.objects}`),
      // qvs deletes the releases last, because they contain the inventory.
      ...flaw(
        left.ours.length > 0 && left.releases.length === 0,
        "objects remain without a release",
      ),
      ...leaks,
    ],
  };
}

async function killedAfter(lane: Lane, nth: number) {
  lane.runs += 1;
  const proxy = await startApiProxy(cluster.kubeconfig, lane.demo.folder, `delete-${lane.runs}`);
  const argv = ["-d", "demo", "--yes", "--kubeconfig", proxy.kubeconfig];
  const running = lane.demo.start("delete", ...argv);
  let hit: NumberedRequest | undefined;
  proxy.setRule((request) => {
    if (request.write !== nth) return undefined;
    hit = request;
    return { after: () => void running.child.kill("SIGKILL"), cut: "after" };
  });
  const { code } = await running.result;
  await proxy.settled();
  await proxy.close();
  return { code, hit };
}

/** Waits for objects with foreground deletion, which exist a moment longer. */
async function untilGone({ namespace, kubectl }: Demo) {
  const { apiVersion, ...address } = leaseAddress("demo", namespace);
  await kubectl("wait", "--for=delete", `lease/${address.name}`, "--timeout=600s");
  await kubectl(
    "wait",
    "--for=delete",
    "secrets",
    "-l",
    "vs.axis-dev.io/deployment=demo",
    "--timeout=600s",
  );
  expect(await direct.read({ apiVersion, ...address })).toEqual({ ok: true, value: undefined });
  return readState(direct, namespace);
}

/**
 * The lock, two writes of the record, five objects, two releases, and the deletion of the lock. One
 * more position must not be reached.
 */
const writes = Array.from({ length: 12 }, (_, index) => index + 1);

test("after a deletion is killed after any write, the next one completes it", async () => {
  const lanes = await Promise.all([openLane(), openLane(), openLane()]);
  const rows = await inLanes(lanes, writes, tryKill);
  console.log(tableOf("SIGKILL after each write of a deletion", rows));
  expect(rows.filter(({ flaws }) => flaws.length > 0)).toEqual([]);
  // Without a complete run, the sweep has omitted positions.
  expect(rows.at(-1)?.request).toBe("(not reached)");
});
