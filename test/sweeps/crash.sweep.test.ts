import { createHash } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { openCluster } from "../../src/io/kubernetes/cluster.ts";
import { connect } from "../../src/io/kubernetes/kubeconfig/connect.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { earlyDeletions, eventsIn } from "../support/cluster/audit-events.ts";
import { expireLock } from "../support/cluster/expire-lock.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import type { QvsResult } from "../support/qvs/run-qvs.ts";
import { startApiProxy } from "../support/servers/api-proxy.ts";
import { readState } from "./cluster-state.ts";
import { type Demo, demoIn, otherVersion, type Version } from "./demo.ts";
import { flaw, flawsOfFailure, flawsOfSuccess } from "./judge.ts";
import type { NumberedRequest } from "./numbered-request.ts";
import { useDeploy } from "./run-deploy.ts";
import { inLanes, type Row, tableOf } from "./table.ts";

/**
 * Kills the real program after each of its writes in turn, including records and the lock. In each
 * case, the next run leaves the same state as an undisturbed run, and nothing is deleted before
 * everything new is ready.
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
  version: Version;
  runs: number;
}

/** The end of a run: the write after which it ends, and the signal. */
interface End {
  readonly nth: number;
  readonly signal: "SIGKILL" | "SIGINT";
  /** Reports whether a write counts. */
  readonly counts: (request: NumberedRequest) => boolean;
}

interface Ran extends QvsResult {
  readonly pid: number | undefined;
  readonly requests: readonly NumberedRequest[];
  /** The write after which the signal was sent. */
  readonly hit: NumberedRequest | undefined;
}

/**
 * Deploys both versions undisturbed. The state after the second run is the reference for each
 * version.
 */
async function openLane(
  enlarge = (_: Demo) => {},
): Promise<Lane & { readonly objects: Record<Version, string> }> {
  const demo = await demoIn(cluster);
  enlarge(demo);
  const objects = { blue: "", green: "" };
  for (const version of ["blue", "green", "blue"] as const) {
    demo.declareVersion(version);
    expect(await deploy(demo, cluster.kubeconfig)).toEqual({ code: 0, text: "", kept: [] });
    objects[version] = (await readState(direct, demo.namespace)).objects;
  }
  return { demo, version: "blue", runs: 0, objects };
}

async function run(lane: Lane, version: Version, end?: End): Promise<Ran> {
  lane.runs += 1;
  lane.demo.declareVersion(version);
  const proxy = await startApiProxy(cluster.kubeconfig, lane.demo.folder, `run-${lane.runs}`);
  const running = lane.demo.start("deploy", "--kubeconfig", proxy.kubeconfig);
  let hit: NumberedRequest | undefined;
  let count = 0;
  proxy.setRule((request) => {
    if (end === undefined || request.write === undefined || !end.counts(request)) return undefined;
    count += 1;
    if (count !== end.nth) return undefined;
    hit = request;
    const kill = () => void running.child.kill(end.signal);
    return { after: kill, ...(end.signal === "SIGKILL" ? { cut: "after" } : {}) };
  });
  const result = await running.result;
  await proxy.settled();
  await proxy.close();
  return { ...result, pid: running.child.pid, requests: proxy.requests, hit };
}

async function tryEnd(lane: Awaited<ReturnType<typeof openLane>>, end: End): Promise<Row> {
  const { namespace } = lane.demo;
  const version = otherVersion[lane.version];
  const before = await readState(direct, namespace);
  const first = await run(lane, version, end);
  const left = await readState(direct, namespace);
  const orphaned = left.holder !== "";
  if (orphaned) await expireLock(cluster, namespace);
  // After a killed run, a user starts it again or deploys the version before.
  const next = end.nth % 2 === 0 ? version : otherVersion[version];
  const second = await run(lane, next);
  const after = await readState(direct, namespace);
  lane.version = next;
  const said = `${second.stdout}${second.stderr}`;
  return {
    position: end.nth,
    request: first.hit?.text ?? "(not reached)",
    fault: end.signal,
    outcome: `${first.code ?? "killed"}, release ${left.releases[0]?.status}${orphaned ? ", lock held" : ""}`,
    second: `${next === version ? "again" : "back"}: ${second.code === 0 ? "completed" : `ended with ${second.code}`}${waited(second) ? " after waiting" : ""}`,
    flaws: [
      ...flaw(
        wroteObjects(first) &&
          (left.releases[0]?.revision ?? 0) <= (before.releases[0]?.revision ?? 0),
        "it changed objects without a record",
      ),
      ...(end.signal === "SIGINT"
        ? flawsOfInterrupted(first, left, before.releases[0]?.revision ?? 0)
        : []),
      ...flaw(second.code !== 0, `the second run ended with ${second.code}:\n${said}`),
      ...flaw(
        orphaned && !second.stderr.includes(`(pid ${first.pid})`),
        `the second run doesn't show the holder of the lock:\n${said}`,
      ),
      ...flaw(!orphaned && waited(second), `the second run waited for a free lock:\n${said}`),
      ...flawsOfSuccess(after, lane.objects[next]).map((text) => `after the second run: ${text}`),
    ],
  };
}

function wroteObjects({ requests }: Ran): boolean {
  return requests.some(
    ({ write, resource }) => write !== undefined && !["leases", "secrets"].includes(resource),
  );
}

function waited({ stderr }: QvsResult): boolean {
  return /waiting for the lock/i.test(stderr);
}

/** Returns the flaws of an interrupted run. It must end by itself and leave no lock. */
function flawsOfInterrupted(
  ran: Ran,
  left: Awaited<ReturnType<typeof readState>>,
  revision: number,
): readonly string[] {
  const { code, stdout, stderr, hit } = ran;
  const text = `${stderr}${stdout}`;
  if (code === 0)
    return flaw(left.releases[0]?.status !== "succeeded", `it ended with 0:\n${text}`);
  return [
    ...flaw(hit === undefined, `it ended with ${code} without a signal:\n${text}`),
    ...flaw(code !== 130, `it ended with ${code}:\n${text}`),
    ...flaw(/^\s+at .+:\d+:\d+/m.test(text), `it shows a stack:\n${text}`),
    ...flawsOfFailure(left, { text }, { revision, wrote: wroteObjects(ran) }),
  ];
}

async function sweep(
  title: string,
  lanes: Awaited<ReturnType<typeof openLane>>[],
  ends: readonly End[],
) {
  const rows = await inLanes(lanes, ends, tryEnd);
  console.log(tableOf(title, rows));
  expect(rows.filter(({ flaws }) => flaws.length > 0)).toEqual([]);
  const log = await cluster.auditLogSoFar();
  const early = lanes.flatMap(({ demo }) => earlyDeletions(eventsIn(log, demo.namespace)));
  expect(early).toEqual([]);
  // Without a complete run, the sweep has omitted positions.
  expect(rows.at(-1)?.request).toBe("(not reached)");
}

/**
 * Two writes of the lock, two of the record, four changed objects and two deleted ones. One more
 * position must not be reached.
 */
const allWrites = Array.from({ length: 12 }, (_, index) => index + 1);

test.each(["SIGKILL", "SIGINT"] as const)(
  "after a run ended by %s after any write, the next run completes the deployment",
  async (signal) => {
    const lanes = await Promise.all([openLane(), openLane(), openLane()]);
    const ends = allWrites.map((nth) => ({ nth, signal, counts: () => true }));
    await sweep(`${signal} after each write`, lanes, ends);
  },
);

test("a run that is killed while it writes or prunes split records leaves no part behind", async () => {
  const lane = await openLane(addLargeConfigMaps);
  // From revision 11, each release deletes an old one.
  for (let revision = 4; revision <= 11; revision += 1) {
    expect(await deploy(lane.demo, cluster.kubeconfig)).toEqual({ code: 0, text: "", kept: [] });
  }
  const isRecord = ({ resource }: NumberedRequest) => resource === "secrets";
  const ends = [1, 2, 3, 4, 5, 6, 7, 8].map((nth) => ({
    nth,
    signal: "SIGKILL" as const,
    counts: isRecord,
  }));
  await sweep("SIGKILL after each write of a record", [lane], ends);
});

/**
 * Adds ConfigMaps that are so large, and so hard to compress, that their record needs a second
 * Secret.
 */
function addLargeConfigMaps(demo: Demo): void {
  for (const name of ["large-1", "large-2"]) {
    const noise = Array.from({ length: 10_500 }, (_, index) =>
      createHash("sha256").update(`${name} ${index}`).digest("base64"),
    );
    const object = {
      provider: "kubernetes",
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name },
    };
    const resource = JSON.stringify({ ...object, data: { noise: noise.join("") } });
    const text = `package manifests\n\nDesignPattern: resources: app: "${name}": ${resource}\n`;
    demo.write(`adapters/manifests/${name}.cue`, text);
  }
}
