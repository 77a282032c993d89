import { beforeAll, expect, test } from "vitest";
import { openCluster } from "../../src/io/kubernetes/cluster.ts";
import { connect } from "../../src/io/kubernetes/kubeconfig/connect.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { expireLock } from "../support/cluster/expire-lock.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { GitFixture } from "../support/git/git-fixture.ts";
import { type ApiProxy, startApiProxy } from "../support/servers/api-proxy.ts";
import { readState } from "./cluster-state.ts";
import { type Demo, demoIn } from "./demo.ts";
import { flaw, flawsOfSuccess } from "./judge.ts";
import type { NumberedRequest } from "./numbered-request.ts";
import { type Row, tableOf } from "./table.ts";

/**
 * Starts a rollout that hangs and a newer run that requests the lock. Kills one of the two runs
 * after each of its writes in turn, from that request on. In each case, the next run of the newer
 * commit leaves the right state.
 */
const cluster = useCluster();
let direct: Cluster;

beforeAll(async () => {
  const kubeconfig = { path: cluster.kubeconfigFor("kubectl") };
  direct = openCluster(await connect({ kubeconfig, env: {} }));
});

const declared = (behaviour: string, settings: string) => ({
  appSetup: `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings-${settings}}}`,
  app: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {test.qvs/behaviour: "${behaviour}"}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: web, image: "acme/web:1", envFrom: [{configMapRef: {name: settings-${settings}}}]}]
`,
});

interface Lane {
  readonly demo: Demo;
  readonly git: GitFixture;
  readonly reference: string;
  runs: number;
}

async function openLane(): Promise<Lane> {
  const demo = await demoIn(cluster);
  const git = new GitFixture(demo.directory);
  demo.declare(declared("", "good"));
  git.commit();
  const { code, stderr } = await demo.qvs("deploy");
  expect(code, stderr).toBe(0);
  const { objects } = await readState(direct, demo.namespace);
  return { demo, git, reference: objects, runs: 0 };
}

interface Killed {
  readonly who: "holder" | "asker";
  /**
   * The position of the write after which the run is killed. The request for the lock is the newer
   * run's first write.
   */
  readonly nth: number;
}

async function tryKill(lane: Lane, { who, nth }: Killed): Promise<Row> {
  const { demo, git } = lane;
  demo.declare(declared("never-ready", "broken"));
  git.commit();
  const holder = await start(lane, "holder");
  const rollsOut = new Promise<void>((resolve) =>
    holder.proxy.setRule(({ text }) =>
      text === "apply deployments/web" ? { after: resolve } : undefined,
    ),
  );
  const holding = holder.run();
  await rollsOut;

  demo.declare(declared("", "good"));
  git.commit();
  const asker = await start(lane, "asker");
  const victim = who === "holder" ? holder : asker;
  let hasAsked = false;
  let count = 0;
  let hit: NumberedRequest | undefined;
  const countWrites = (request: NumberedRequest, isVictim: boolean) => {
    if (!hasAsked || !isVictim || request.write === undefined) return undefined;
    count += 1;
    if (count !== nth) return undefined;
    hit = request;
    return { after: victim.kill, cut: "after" as const };
  };
  holder.proxy.setRule((request) => countWrites(request, who === "holder"));
  asker.proxy.setRule((request) => {
    if (request.text === "replace leases/qvs-demo") hasAsked = true;
    return countWrites(request, who === "asker");
  });
  const seen = holder.proxy.requests.length;
  const asking = asker.run();
  // Waits for the killed run, or for both if neither was killed.
  await Promise.race([who === "holder" ? holding : asking, Promise.all([holding, asking])]);
  if (who === "holder" && hit !== undefined) await expireLock(cluster, demo.namespace);
  const [first, second] = await Promise.all([holding, asking]);
  const later = holder.proxy.requests.slice(seen).filter(isOfObjects);
  for (const { proxy } of [holder, asker]) await proxy.close();

  const left = await readState(direct, demo.namespace);
  if (left.holder !== "") await expireLock(cluster, demo.namespace);
  const third = await demo.qvs("deploy");
  const after = await readState(direct, demo.namespace);
  const wasKilled = first.code === null || first.code === 128 + 9;
  const ended = who === "holder" && hit !== undefined ? wasKilled : first.code === 3;
  return {
    position: nth,
    request: hit?.text ?? notReached,
    fault: `${who} killed`,
    outcome: `older: ${first.code ?? "killed"}, newer: ${second.code ?? "killed"}, release ${left.releases[0]?.status}`,
    second: `ended with ${third.code}`,
    flaws: [
      ...flaw(!ended, `the older one ended with ${first.code}:\n${first.stderr}`),
      ...flaw(
        later.length > 0,
        `it continued to write: ${later.map(({ text }) => text).join(", ")}`,
      ),
      ...flaw(
        (who === "holder" || hit === undefined) && second.code !== 0,
        `the newer one ended with ${second.code}:\n${second.stderr}`,
      ),
      ...flaw(third.code !== 0, `the next run ended with ${third.code}:\n${third.stderr}`),
      ...flawsOfSuccess(after, lane.reference),
    ],
  };
}

const notReached = "(not reached)";

/** Reports whether the request writes an object, not the lock or a record. */
function isOfObjects({ write, resource }: NumberedRequest): boolean {
  return write !== undefined && !["leases", "secrets"].includes(resource);
}

async function start(lane: Lane, name: string) {
  lane.runs += 1;
  const proxy: ApiProxy = await startApiProxy(
    cluster.kubeconfig,
    lane.demo.folder,
    `${name}-${lane.runs}`,
  );
  let running: ReturnType<Demo["start"]> | undefined;
  return {
    proxy,
    run: () => {
      running = lane.demo.start("deploy", "--kubeconfig", proxy.kubeconfig);
      return running.result;
    },
    kill: () => void running?.child.kill("SIGKILL"),
  };
}

async function sweep(who: Killed["who"]): Promise<readonly Row[]> {
  const lane = await openLane();
  const rows: Row[] = [];
  for (let nth = 1; rows.at(-1)?.request !== notReached; nth += 1) {
    rows.push(await tryKill(lane, { who, nth }));
  }
  return rows;
}

test("after either run is killed after any write, the next run completes the work", async () => {
  const rows = (await Promise.all([sweep("holder"), sweep("asker")])).flat();
  console.log(tableOf("A newer run asks an older one to give way", rows));
  expect(rows.filter(({ flaws }) => flaws.length > 0)).toEqual([]);
  // At least the record and the lock of the one run, and the request, the lock, the record and the
  // objects of the other.
  expect(rows.filter(({ fault }) => fault === "holder killed").length).toBeGreaterThan(2);
  expect(rows.filter(({ fault }) => fault === "asker killed").length).toBeGreaterThan(5);
});
