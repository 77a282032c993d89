import { expect, test } from "vitest";
import { joinGroup } from "../../../src/controller/membership.ts";
import { idOf } from "../../../src/model/object.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { type FakeCluster, fakeCluster, refused } from "../../support/fake-cluster.ts";
import { virtualClock } from "../../support/virtual-clock.ts";

const namespace = "qvs-system";
const unavailable = refused("unreachable", 0, "no answer");

interface Replica {
  readonly log: readonly string[];
  kill(): void;
  stop(): Promise<void>;
  /** Starts or ends an outage in which its requests get no answer. */
  cut(isCut: boolean): void;
  /** Sets the duration of its requests, in milliseconds. */
  slow(latency: number): void;
  isMember(): boolean;
}

/**
 * Creates a replica whose log has the seconds since the start. `kill` ends it like SIGKILL, without
 * releasing its Leases.
 */
function replica(cluster: FakeCluster, clock: Clock, identity: string): Replica {
  const log: string[] = [];
  const stop = new AbortController();
  let isCut = false;
  let latency = 0;
  let isKilled = false;
  const dead = new Promise<never>(() => {});
  const through = <T>(work: () => Promise<T>): Promise<T> => {
    if (isKilled) return dead;
    if (isCut) return Promise.resolve(unavailable as T);
    return latency === 0 ? work() : clock.sleep(latency).then(work);
  };
  const membership = joinGroup({
    cluster: {
      create: (object) => through(() => cluster.create(object)),
      read: (address) => through(() => cluster.read(address)),
      replace: (object) => through(() => cluster.replace(object)),
      list: (...query) => through(() => cluster.list(...query)),
      delete: (...object) => through(() => cluster.delete(...object)),
    },
    clock,
    signal: stop.signal,
    namespace,
    group: "qvs",
    identity,
    leaseMs: 15_000,
    onChange: (members) => {
      if (isKilled) return;
      log.push(`${secondsOf(clock)} s: ${[...members].join(" ") || "none"}`);
    },
    onTrouble: () => {},
  });
  return {
    log,
    kill: () => {
      isKilled = true;
    },
    stop: async () => {
      stop.abort();
      await membership.ended;
    },
    cut: (cut) => {
      isCut = cut;
    },
    slow: (ms) => {
      latency = ms;
    },
    isMember: membership.isMember,
  };
}

function secondsOf(clock: Clock): number {
  return Math.round((clock.now().getTime() - Date.parse("2026-01-01T00:00:00Z")) / 1000);
}

test("replicas discover each other, and a stopped one is missed at the next check", async () => {
  const [cluster, clock] = [fakeCluster(), virtualClock()];
  const a = replica(cluster, clock, "a");
  const b = replica(cluster, clock, "b");
  await clock.sleep(12_000);
  expect(a.log.at(-1)).toMatch(/: a b$/);
  expect(b.log.at(-1)).toMatch(/: a b$/);
  await b.stop();
  const stopped = secondsOf(clock);
  await clock.sleep(5_000);
  expect(a.log.at(-1)).toMatch(/: a$/);
  expect(secondsOf(clock) - stopped).toBe(5);
  await a.stop();
  await clock.sleep(1_000);
  expect(cluster.get(`coordination.k8s.io:Lease::${namespace}/qvs-a`)).toBeUndefined();
});

test("a killed replica is removed when its Lease hasn't changed for its duration, not earlier", async () => {
  const [cluster, clock] = [fakeCluster(), virtualClock()];
  const a = replica(cluster, clock, "a");
  const b = replica(cluster, clock, "b");
  await clock.sleep(12_000);
  b.kill();
  await clock.sleep(12_000);
  expect(a.log.at(-1)).toMatch(/: a b$/);
  await clock.sleep(9_000);
  expect(a.log.at(-1)).toMatch(/: a$/);
  await a.stop();
});

test("a replica that can't renew its Lease steps down before the others remove it, and joins again", async () => {
  const [cluster, clock] = [fakeCluster(), virtualClock()];
  const a = replica(cluster, clock, "a");
  const b = replica(cluster, clock, "b");
  await clock.sleep(12_000);
  b.cut(true);
  await clock.sleep(10_500);
  expect([a.log.at(-1), b.log.at(-1), b.isMember()]).toEqual([
    expect.stringMatching(/: a b$/),
    expect.stringMatching(/: none$/),
    false,
  ]);
  await clock.sleep(15_000);
  expect(a.log.at(-1)).toMatch(/: a$/);
  b.cut(false);
  await clock.sleep(11_000);
  expect([a.log.at(-1), b.log.at(-1)]).toEqual([
    expect.stringMatching(/: a b$/),
    expect.stringMatching(/: a b$/),
  ]);
  await Promise.all([a.stop(), b.stop()]);
});

test("a replica that loses leadership between two renewals detects it and starts the skipped work afterwards", async () => {
  const [cluster, clock] = [fakeCluster(), virtualClock()];
  const a = replica(cluster, clock, "a");
  await clock.sleep(4_000);
  // One renewal fails, and the next one is answered after the deadline for stepping down.
  a.cut(true);
  await clock.sleep(2_000);
  a.cut(false);
  a.slow(1_000);
  await clock.sleep(4_500);
  expect(a.isMember()).toBe(false);
  await clock.sleep(2_000);
  expect(a.isMember()).toBe(true);
  expect(a.log).toEqual(["0 s: a", "11 s: none", "12 s: a"]);
});

test("a Lease that was deleted or changed is acquired again", async () => {
  const [cluster, clock] = [fakeCluster(), virtualClock()];
  const a = replica(cluster, clock, "a");
  await clock.sleep(1_000);
  const key = `coordination.k8s.io:Lease::${namespace}/qvs-a`;
  const lease = cluster.get(key);
  if (lease === undefined) throw new Error("there is no Lease");
  cluster.put({ ...lease, spec: { ...(lease.spec as object), holderIdentity: "somebody" } });
  await clock.sleep(5_000);
  expect(cluster.get(key)?.spec).toMatchObject({ holderIdentity: "a" });
  cluster.remove({ apiVersion: "coordination.k8s.io/v1", ...idOf(lease) });
  await clock.sleep(5_000);
  expect([cluster.get(key)?.spec, a.isMember()]).toMatchObject([{ holderIdentity: "a" }, true]);
  expect(a.log).toEqual(["0 s: a"]);
  await a.stop();
});

test("the Lease of a dead replica is deleted after a while", async () => {
  const [cluster, clock] = [fakeCluster(), virtualClock()];
  const a = replica(cluster, clock, "a");
  const b = replica(cluster, clock, "b");
  await clock.sleep(12_000);
  b.kill();
  await clock.sleep(200_000);
  const key = `coordination.k8s.io:Lease::${namespace}/qvs-b`;
  expect(cluster.get(key)).toBeDefined();
  await clock.sleep(150_000);
  expect(cluster.get(key)).toBeUndefined();
  await a.stop();
});
