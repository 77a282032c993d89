import { beforeAll, expect, test } from "vitest";
import { openCluster } from "../../src/io/kubernetes/cluster.ts";
import { connect } from "../../src/io/kubernetes/kubeconfig/connect.ts";
import type { Pace } from "../../src/io/kubernetes/transport/pace.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { expireLock } from "../support/cluster/expire-lock.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { type ApiProxy, type Rule, startApiProxy } from "../support/servers/api-proxy.ts";
import type { Asked } from "./asked.ts";
import { type ClusterState, readState } from "./cluster-state.ts";
import { type Demo, demoIn, otherVersion, type Version } from "./demo.ts";
import { type Fault, outrun, passing, stall, watchFaults } from "./faults.ts";
import { flawsOfFailure, flawsOfPostponing, flawsOfSuccess, flawsOfWords } from "./judge.ts";
import { type RunEnd, useDeploy } from "./run-deploy.ts";
import { inLanes, type Row, tableOf } from "./table.ts";

/**
 * Every request of a deployment meets every fault in turn. A deployment goes back and forth between two versions; the
 * run that meets the fault completes it or fails cleanly, and the one after that completes it.
 */
const cluster = useCluster();
const deploy = useDeploy();
/** QVS_SWEEPS=all leaves no position out. */
const everything = process.env.QVS_SWEEPS === "all";
let direct: Cluster;

beforeAll(async () => {
  const kubeconfig = { path: cluster.kubeconfigFor("kubectl") };
  direct = openCluster(await connect({ kubeconfig, env: {} }));
});

/** One namespace in which positions are tried one after the other. */
interface Lane {
  readonly demo: Demo;
  version: Version;
  runs: number;
}

/** How it looks after undisturbed runs. */
interface Reference {
  readonly objects: Readonly<Record<Version, string>>;
  readonly asked: readonly Asked[];
}

interface Position {
  readonly position: number;
  readonly fault: Fault;
  /** The rule for a run: the fault at this position. */
  readonly rule: (fires: (asked: Asked) => void) => Rule;
  /** The run must not even notice. */
  readonly mustComplete: boolean;
  /** The run can't reach the cluster to the end, so it can neither record its end nor free its lock. */
  readonly outOfReach?: boolean;
  readonly pace?: Partial<Pace>;
}

async function openLane(): Promise<Lane> {
  const lane: Lane = { demo: await demoIn(cluster), version: "green", runs: 0 };
  const first = await run(lane, "blue");
  expect(first.end.text).toBe("");
  return { ...lane, version: "blue" };
}

interface Ran {
  readonly end: RunEnd;
  readonly asked: readonly Asked[];
}

async function run(lane: Lane, version: Version, rule?: Rule, pace?: Partial<Pace>): Promise<Ran> {
  lane.runs += 1;
  lane.demo.declareVersion(version);
  const proxy: ApiProxy = await startApiProxy(
    cluster.kubeconfig,
    lane.demo.folder,
    `run-${lane.runs}`,
  );
  if (rule !== undefined) proxy.obey(rule);
  try {
    const end = await deploy(lane.demo, proxy.kubeconfig, pace);
    await proxy.settled();
    return { end, asked: proxy.asked };
  } finally {
    await proxy.close();
  }
}

async function referenceOf(lane: Lane): Promise<Reference> {
  const there = await run(lane, "green");
  const green = await readState(direct, lane.demo.namespace);
  const back = await run(lane, "blue");
  const blue = await readState(direct, lane.demo.namespace);
  const objects = { green: green.objects, blue: blue.objects };
  expect([flawsOfSuccess(green, objects.green), flawsOfSuccess(blue, objects.blue)]).toEqual([
    [],
    [],
  ]);
  return { objects, asked: there.asked.length > back.asked.length ? there.asked : back.asked };
}

async function tryPosition(lane: Lane, at: Position, { objects }: Reference): Promise<Row> {
  const { namespace } = lane.demo;
  const version = otherVersion[lane.version];
  const before = await readState(direct, namespace);
  const hits: Asked[] = [];
  const first = await run(
    lane,
    version,
    at.rule((asked) => hits.push(asked)),
    at.pace,
  );
  const after = await readState(direct, namespace);
  const wrote = first.asked.some(
    ({ write, resource }) => write !== undefined && !isOwnBook(resource),
  );
  const { end } = first;
  const began = { revision: before.releases[0]?.revision ?? 0, wrote };
  const flaws = [
    ...flawsOfEnd(end, after, objects[version], began).filter((text) => !isExcused(text, hits, at)),
    ...(at.mustComplete && end.code !== 0 ? [`it should have gone on:\n${end.text}`] : []),
  ];
  lane.version = version;
  const row = {
    position: at.position,
    request: hits[0]?.text ?? "(not reached)",
    fault: at.fault.name,
  };
  // What has completed and looks as it must leaves nothing to a second run.
  if (end.code === 0 && flaws.length === 0 && end.kept.length === 0 && after.holder === "") {
    return { ...row, outcome: "completed", second: "", flaws };
  }
  if (after.holder !== "") await expireLock(cluster, namespace).catch(() => undefined);
  const second = await run(lane, version);
  const settled = await readState(direct, namespace);
  return {
    ...row,
    outcome: outcomeOf(end, after),
    second: second.end.code === 0 ? "completed" : firstLine(second.end.text),
    flaws: [
      ...flaws,
      ...flawsOfSuccess(settled, objects[version]).map((text) => `after the second run: ${text}`),
      ...(second.end.code === 0 ? [] : [`the second run failed:\n${second.end.text}`]),
    ],
  };
}

function flawsOfEnd(
  end: RunEnd,
  after: ClusterState,
  reference: string,
  began: { readonly revision: number; readonly wrote: boolean },
): readonly string[] {
  if (end.code !== 0) return [...flawsOfWords(end), ...flawsOfFailure(after, end, began)];
  return end.kept.length > 0
    ? flawsOfPostponing(after, end.kept)
    : flawsOfSuccess(after, reference);
}

/** A lock that cannot be freed expires; a record that cannot be ended stays pending; nobody can do better. */
function isExcused(
  text: string,
  hits: readonly Asked[],
  { outOfReach = false }: Position,
): boolean {
  const lasted = outOfReach || hits.length > 1;
  const met = (resource: string) => outOfReach || hits.some((asked) => asked.resource === resource);
  if (text.startsWith("the lock is still held")) return lasted && met("leases");
  return text === "its record says pending" && lasted && met("secrets");
}

function outcomeOf({ code, text, kept }: RunEnd, { holder }: ClusterState): string {
  if (code !== 0) return firstLine(text);
  if (kept.length > 0) return `completed, ${kept.length} kept for now`;
  return holder === "" ? "completed" : "completed, its lock has to expire";
}

function isOwnBook(resource: string): boolean {
  return resource === "leases" || resource === "secrets";
}

function firstLine(text: string): string {
  const [line = ""] = text.trimStart().split("\n");
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
}

/** The fault once, at the nth request that it concerns. */
function once(fault: Fault, nth: number): Position["rule"] {
  return fromNth(fault, nth, (asked, hit) => asked === hit);
}

/** The fault at the nth request that it concerns, and whenever the same is asked again. */
function lasting(fault: Fault, nth: number): Position["rule"] {
  return fromNth(fault, nth, (asked, hit) => asked.text === hit.text);
}

/** The fault at the nth request and at everything after it. */
function fromThenOn(fault: Fault, nth: number): Position["rule"] {
  return fromNth(fault, nth, () => true);
}

function fromNth(
  fault: Fault,
  nth: number,
  isMeant: (asked: Asked, hit: Asked) => boolean,
): Position["rule"] {
  return (fires) => {
    let count = 0;
    let hit: Asked | undefined;
    return (asked) => {
      if (fault.concerns(asked)) count += 1;
      if (count === nth) hit ??= asked;
      if (hit === undefined || !isMeant(asked, hit)) return undefined;
      fires(asked);
      return fault.interference;
    };
  };
}

async function sweep(
  title: string,
  lanes: number,
  positions: (asked: readonly Asked[]) => readonly Position[],
): Promise<void> {
  const opened = await Promise.all(Array.from({ length: lanes }, openLane));
  const reference = await referenceOf(opened[0] as Lane);
  const rows = await inLanes(opened, positions(reference.asked), (lane, at) =>
    tryPosition(lane, at, reference),
  );
  console.log(tableOf(title, rows));
  expect(rows.filter(({ flaws }) => flaws.length > 0)).toEqual([]);
}

interface Meeting {
  readonly fault: Fault;
  readonly position: number;
}

/** Every fault at every request that it concerns. Unless all are asked for, every request meets `each` of them in turn. */
function everywhere(
  asked: readonly Asked[],
  faults: readonly Fault[],
  each = faults.length,
): readonly Meeting[] {
  return faults.flatMap((fault, which) =>
    asked
      .filter((one) => fault.concerns(one))
      .map((_, index) => ({ fault, position: index + 1 }))
      .filter(({ position }) => everything || (position + which) % faults.length < each),
  );
}

test("the run survives a temporary fault at every request", () =>
  sweep("Faults that pass, once each", 6, (asked) =>
    everywhere(asked, passing, 2).map(({ fault, position }) => {
      return { fault, position, rule: once(fault, position), mustComplete: true };
    }),
  ));

test("an interrupted watch is resumed", () =>
  sweep("Watches", 4, (asked) =>
    everywhere(asked, watchFaults).flatMap(({ fault, position }) => [
      { fault, position, rule: once(fault, position), mustComplete: true },
    ]),
  ));

test("a conflict that the server reports once is resolved", () =>
  sweep("409, once each", 4, (asked) =>
    everywhere(asked, [outrun]).map(({ fault, position }) => {
      return { fault, position, rule: once(fault, position), mustComplete: true };
    }),
  ));

test("a persistent fault at one request fails the run cleanly, and the next run completes it", () =>
  sweep("Faults that last, for one request each", 6, (asked) =>
    [
      ...everywhere(
        asked,
        passing.filter(({ name }) => ["500", "cut after"].includes(name)),
        1,
      ),
      ...everywhere(asked, [outrun]),
    ].map(({ fault, position }) => {
      return { fault, position, rule: lasting(fault, position), mustComplete: false };
    }),
  ));

test("a cluster that becomes unreachable at any moment fails the run cleanly", () =>
  sweep("Out of reach from a request on", 6, (asked) =>
    everywhere(
      asked,
      passing.filter(({ name }) => name === "cut before"),
    ).map(({ fault, position }) => {
      const rule = fromThenOn(fault, position);
      return { fault, position, rule, mustComplete: false, outOfReach: true };
    }),
  ));

test("qvs repeats a request without an answer", () =>
  sweep("Stalls beyond the time-out", 6, (asked) =>
    everywhere(asked, [stall(4_000)])
      .filter(({ position }) => everything || position % 3 === 0)
      .map(({ fault, position }) => {
        const pace = { answerTimeout: 2_000 };
        return { fault, position, rule: once(fault, position), mustComplete: true, pace };
      }),
  ));

/** Longer than half of a lease, shorter than the time-out of an answer: nothing fails, and the lock stays ours. */
test("qvs waits for an answer that takes 20 s", () =>
  sweep("Stalls within the time-out", 6, (asked) =>
    everywhere(asked, [stall(20_000)])
      .filter(({ position }) => everything || position % 4 === 0)
      .map(({ fault, position }) => {
        return { fault, position, rule: once(fault, position), mustComplete: true };
      }),
  ));
