import { beforeAll, expect, type TestContext, test } from "vitest";
import { openCluster } from "../../src/io/kubernetes/cluster.ts";
import { connect } from "../../src/io/kubernetes/kubeconfig/connect.ts";
import type { Pace } from "../../src/io/kubernetes/transport/limits.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { expireLock } from "../support/cluster/expire-lock.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { type ApiProxy, type Rule, startApiProxy } from "../support/servers/api-proxy.ts";
import { type ClusterState, readState } from "./cluster-state.ts";
import { type Demo, demoIn, otherVersion, type Version } from "./demo.ts";
import { type Fault, outrun, passing, stall, watchFaults } from "./faults.ts";
import { flawsOfFailure, flawsOfPostponing, flawsOfSuccess, flawsOfWords } from "./judge.ts";
import type { NumberedRequest } from "./numbered-request.ts";
import { type RunEnd, useDeploy } from "./run-deploy.ts";
import { inLanes, type Row, tableOf } from "./table.ts";

/**
 * Injects each fault into each request of a deployment, one at a time. Two versions are deployed
 * alternately: the run with the fault completes or fails cleanly, and the next run completes.
 */
const cluster = useCluster();
const deploy = useDeploy();
/** With QVS_SWEEPS=all, no position is left out. */
const everything = process.env.QVS_SWEEPS === "all";
let direct: Cluster;

beforeAll(async () => {
  const kubeconfig = { path: cluster.kubeconfigFor("kubectl") };
  direct = openCluster(await connect({ kubeconfig, env: {} }));
});

/** The hook that removes the files of one test. Other tests run at the same time. */
type OnFinished = TestContext["onTestFinished"];

/** One namespace in which positions are tried one after the other. */
interface Lane {
  readonly demo: Demo;
  version: Version;
  runs: number;
}

/** The objects after runs without a fault, and the requests of these runs. */
interface Reference {
  readonly objects: Readonly<Record<Version, string>>;
  readonly requests: readonly NumberedRequest[];
}

interface Position {
  readonly position: number;
  readonly fault: Fault;
  /** Returns the rule for a run, which injects the fault at this position. */
  readonly rule: (fires: (request: NumberedRequest) => void) => Rule;
  /** True if the run must succeed despite the fault. */
  readonly mustComplete: boolean;
  /** True if the cluster stays unreachable: the run can't record its end or release its lock. */
  readonly outOfReach?: boolean;
  readonly pace?: Partial<Pace>;
}

async function openLane(onFinished: OnFinished): Promise<Lane> {
  const demo = await demoIn(cluster, undefined, { onFinished });
  const lane: Lane = { demo, version: "green", runs: 0 };
  const first = await run(lane, "blue");
  expect(first.end.text).toBe("");
  return { ...lane, version: "blue" };
}

interface Ran {
  readonly end: RunEnd;
  readonly requests: readonly NumberedRequest[];
}

async function run(lane: Lane, version: Version, rule?: Rule, pace?: Partial<Pace>): Promise<Ran> {
  lane.runs += 1;
  lane.demo.declareVersion(version);
  const proxy: ApiProxy = await startApiProxy(
    cluster.kubeconfig,
    lane.demo.folder,
    `run-${lane.runs}`,
  );
  if (rule !== undefined) proxy.setRule(rule);
  try {
    const end = await deploy(lane.demo, proxy.kubeconfig, pace);
    await proxy.settled();
    return { end, requests: proxy.requests };
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
  return {
    objects,
    requests: there.requests.length > back.requests.length ? there.requests : back.requests,
  };
}

async function tryPosition(lane: Lane, at: Position, { objects }: Reference): Promise<Row> {
  const { namespace } = lane.demo;
  const version = otherVersion[lane.version];
  const before = await readState(direct, namespace);
  const hits: NumberedRequest[] = [];
  const first = await run(
    lane,
    version,
    at.rule((request) => hits.push(request)),
    at.pace,
  );
  const after = await readState(direct, namespace);
  const wrote = first.requests.some(
    ({ write, resource }) => write !== undefined && !isOwnBook(resource),
  );
  const { end } = first;
  const began = { revision: before.releases[0]?.revision ?? 0, wrote };
  const flaws = [
    ...flawsOfEnd(end, after, objects[version], began).filter((text) => !isExcused(text, hits, at)),
    ...(at.mustComplete && end.code !== 0 ? [`it should have succeeded:\n${end.text}`] : []),
  ];
  lane.version = version;
  const row = {
    position: at.position,
    request: hits[0]?.text ?? "(not reached)",
    fault: at.fault.name,
  };
  // A second run has nothing to do if this one completed and everything is as expected.
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

/** A lock that can't be released expires, and a record that can't be ended stays pending. */
function isExcused(
  text: string,
  hits: readonly NumberedRequest[],
  { outOfReach = false }: Position,
): boolean {
  const lasted = outOfReach || hits.length > 1;
  const met = (resource: string) =>
    outOfReach || hits.some((request) => request.resource === resource);
  if (text.startsWith("the lock is still held")) return lasted && met("leases");
  return text === "the status of its record is pending" && lasted && met("secrets");
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

/** Injects the fault once, into the nth request that it concerns. */
function once(fault: Fault, nth: number): Position["rule"] {
  return fromNth(fault, nth, (request, hit) => request === hit);
}

/** Injects the fault into the nth request that it concerns, and into each repetition of it. */
function lasting(fault: Fault, nth: number): Position["rule"] {
  return fromNth(fault, nth, (request, hit) => request.text === hit.text);
}

/** Injects the fault into the nth request that it concerns, and into every later request. */
function fromThenOn(fault: Fault, nth: number): Position["rule"] {
  return fromNth(fault, nth, () => true);
}

function fromNth(
  fault: Fault,
  nth: number,
  isMeant: (request: NumberedRequest, hit: NumberedRequest) => boolean,
): Position["rule"] {
  return (fires) => {
    let count = 0;
    let hit: NumberedRequest | undefined;
    return (request) => {
      if (fault.concerns(request)) count += 1;
      if (count === nth) hit ??= request;
      if (hit === undefined || !isMeant(request, hit)) return undefined;
      fires(request);
      return fault.interference;
    };
  };
}

async function sweep(
  onFinished: OnFinished,
  title: string,
  lanes: number,
  positions: (requests: readonly NumberedRequest[]) => readonly Position[],
): Promise<void> {
  const opened = await Promise.all(Array.from({ length: lanes }, () => openLane(onFinished)));
  const reference = await referenceOf(opened[0] as Lane);
  const rows = await inLanes(opened, positions(reference.requests), (lane, at) =>
    tryPosition(lane, at, reference),
  );
  console.log(tableOf(title, rows));
  expect(rows.filter(({ flaws }) => flaws.length > 0)).toEqual([]);
}

interface Meeting {
  readonly fault: Fault;
  readonly position: number;
}

/**
 * Returns the pairs of a fault and a request that it concerns. Without QVS_SWEEPS=all, each request
 * has only `each` of the faults, and the faults rotate.
 */
function everywhere(
  requests: readonly NumberedRequest[],
  faults: readonly Fault[],
  each = faults.length,
): readonly Meeting[] {
  return faults.flatMap((fault, which) =>
    requests
      .filter((one) => fault.concerns(one))
      .map((_, index) => ({ fault, position: index + 1 }))
      .filter(({ position }) => everything || (position + which) % faults.length < each),
  );
}

test.concurrent("the run survives a temporary fault at every request", ({ onTestFinished }) =>
  sweep(onTestFinished, "Faults that pass, once each", 6, (requests) =>
    everywhere(requests, passing, 2).map(({ fault, position }) => {
      return { fault, position, rule: once(fault, position), mustComplete: true };
    }),
  ));

test.concurrent("an interrupted watch is resumed", ({ onTestFinished }) =>
  sweep(onTestFinished, "Watches", 4, (requests) =>
    everywhere(requests, watchFaults).flatMap(({ fault, position }) => [
      { fault, position, rule: once(fault, position), mustComplete: true },
    ]),
  ));

test.concurrent("a conflict that the server reports once is resolved", ({ onTestFinished }) =>
  sweep(onTestFinished, "409, once each", 4, (requests) =>
    everywhere(requests, [outrun]).map(({ fault, position }) => {
      return { fault, position, rule: once(fault, position), mustComplete: true };
    }),
  ));

test.concurrent("a persistent fault at one request fails the run cleanly, and the next run completes it", ({
  onTestFinished,
}) =>
  sweep(onTestFinished, "Faults that last, for one request each", 6, (requests) =>
    [
      ...everywhere(
        requests,
        passing.filter(({ name }) => ["500", "cut after"].includes(name)),
        1,
      ),
      ...everywhere(requests, [outrun]),
    ].map(({ fault, position }) => {
      return { fault, position, rule: lasting(fault, position), mustComplete: false };
    }),
  ));

test.concurrent("a cluster that becomes unreachable at any moment fails the run cleanly", ({
  onTestFinished,
}) =>
  sweep(onTestFinished, "Out of reach from a request on", 6, (requests) =>
    everywhere(
      requests,
      passing.filter(({ name }) => name === "cut before"),
    ).map(({ fault, position }) => {
      const rule = fromThenOn(fault, position);
      return { fault, position, rule, mustComplete: false, outOfReach: true };
    }),
  ));

test.concurrent("qvs repeats a request without an answer", ({ onTestFinished }) =>
  sweep(onTestFinished, "Stalls beyond the time-out", 6, (requests) =>
    everywhere(requests, [stall(4_000)])
      .filter(({ position }) => everything || position % 3 === 0)
      .map(({ fault, position }) => {
        const pace = { answerTimeout: 2_000 };
        return { fault, position, rule: once(fault, position), mustComplete: true, pace };
      }),
  ));

/** 20 s is more than half of the lock's duration and less than the timeout: the run keeps its lock. */
test.concurrent("qvs waits for an answer that takes 20 s", ({ onTestFinished }) =>
  sweep(onTestFinished, "Stalls within the time-out", 6, (requests) =>
    everywhere(requests, [stall(20_000)])
      .filter(({ position }) => everything || position % 4 === 0)
      .map(({ fault, position }) => {
        return { fault, position, rule: once(fault, position), mustComplete: true };
      }),
  ));
