import { expect, test } from "vitest";
import type { CheckOutcome } from "../../../src/controller/events.ts";
import { assignOwner } from "../../../src/controller/reconcile-deployment.ts";
import type { DeploymentId } from "../../../src/controller/releases-index.ts";
import { textAt } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { sha256 } from "../../../src/world/sha256.ts";
import { fakeCluster, refused } from "../../support/fake-cluster.ts";
import { virtualClock } from "../../support/virtual-clock.ts";
import { configMap, release, run } from "./run-controller.ts";

test("the controller checks each deployment when it is found and after each resync", async () => {
  const cluster = fakeCluster([release("web", 1), release("api", 3)]);
  const running = run({ cluster, inventories: {}, resyncMs: 600_000 });
  await running.clock.sleep(1_300_000);
  await running.stop();
  expect([...running.looks].sort()).toEqual([
    "0 s: shop/api unchanged",
    "0 s: shop/web unchanged",
    "1200 s: shop/api unchanged",
    "1200 s: shop/web unchanged",
    "600 s: shop/api unchanged",
    "600 s: shop/web unchanged",
  ]);
});

test("a listener that throws ends the controller, which leaves no deployment busy and no Lease", async () => {
  const cluster = fakeCluster([release("web", 1), release("api", 3)]);
  const broken = new Error("the log can't be written");
  const running = run({
    cluster,
    inventories: {},
    onReconciled: () => {
      throw broken;
    },
  });
  await expect(running.controller.ended).rejects.toBe(broken);
  const leases = await cluster.list("coordination.k8s.io/v1", "Lease", "shop");
  expect(leases.ok && leases.value.items).toEqual([]);
});

test("a burst of changes to one object causes one check, and changes to unknown objects cause none", async () => {
  const objects = [configMap("a", "web"), configMap("b", "web"), configMap("z", "other")];
  const cluster = fakeCluster([release("web", 1), ...objects]);
  const running = run({ cluster, inventories: { web: ["a", "b"] } });
  await running.clock.sleep(10_000);
  for (let time = 0; time < 20; time += 1) cluster.put(configMap("a", "web", `wrong ${time}`));
  cluster.put(configMap("z", "other", "whatever"));
  await running.clock.sleep(10_000);
  expect(running.looks).toEqual(["0 s: shop/web unchanged", "11 s: shop/web unchanged"]);
  expect(running.controller.state()).toMatchObject({ owned: 1, objects: 2, watches: 2 });
  await running.stop();
});

test("the controller treats a deleted object and a recreated one as changes", async () => {
  const cluster = fakeCluster([release("web", 1), configMap("a", "web")]);
  const running = run({ cluster, inventories: { web: ["a"] } });
  await running.clock.sleep(10_000);
  cluster.remove({ apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "a" });
  await running.clock.sleep(10_000);
  cluster.put(configMap("a", "web"));
  await running.clock.sleep(10_000);
  await running.stop();
  expect(running.looks).toEqual([0, 11, 21].map((s) => `${s} s: shop/web unchanged`));
});

test("the controller never checks a deployment twice at once, and checks later changes afterwards", async () => {
  const cluster = fakeCluster([release("web", 1), configMap("a", "web")]);
  const clock = virtualClock();
  let under = 0;
  let most = 0;
  const look = async (): Promise<CheckOutcome> => {
    under += 1;
    most = Math.max(most, under);
    await clock.sleep(5_000);
    under -= 1;
    return { type: "unchanged" };
  };
  const running = run({ cluster, clock, inventories: { web: ["a"] }, look });
  for (let time = 0; time < 8; time += 1) {
    await clock.sleep(1_500);
    cluster.put(configMap("a", "web", `wrong ${time}`));
  }
  await clock.sleep(30_000);
  await running.stop();
  expect(most).toBe(1);
  expect(running.looks).toEqual([5, 10, 15, 20].map((s) => `${s} s: shop/web unchanged`));
});

test("frequent changes don't shorten the backoff after failures", { tags: "slow" }, async () => {
  const cluster = fakeCluster([release("web", 1), configMap("a", "web")]);
  const look = (): CheckOutcome => ({ type: "failed", why: "no" });
  const running = run({ cluster, inventories: { web: ["a"] }, look });
  for (let time = 0; time < 1_200; time += 1) {
    await running.clock.sleep(1_000);
    cluster.put(configMap("a", "web", `wrong ${time}`));
  }
  await running.stop();
  expect(running.looks).toEqual(
    [0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 811, 1111].map((s) => `${s} s: shop/web failed`),
  );
});

test("a change during a failing check doesn't shorten the backoff", async () => {
  const cluster = fakeCluster([release("web", 1), configMap("a", "web")]);
  const clock = virtualClock();
  const look = async (): Promise<CheckOutcome> => {
    await clock.sleep(1_500);
    return { type: "failed", why: "no" };
  };
  const running = run({ cluster, clock, inventories: { web: ["a"] }, look });
  for (let time = 0; time < 600; time += 1) {
    await clock.sleep(100);
    cluster.put(configMap("a", "web", `wrong ${time}`));
  }
  await running.stop();
  // 1.5 s, and then pauses of 1, 2, 4, 8, 16 and 32 s.
  expect(running.looks).toEqual([2, 4, 8, 13, 23, 40].map((s) => `${s} s: shop/web failed`));
});

test("corrections that newer edits overtake continue at a limited rate", async () => {
  const cluster = fakeCluster([release("web", 1), configMap("a", "web")]);
  const look = (): CheckOutcome => ({ type: "overtaken", objects: [], why: "newer" });
  const running = run({ cluster, inventories: { web: ["a"] }, look });
  for (let time = 0; time < 1_200; time += 1) {
    await running.clock.sleep(1_000);
    cluster.put(configMap("a", "web", `wrong ${time}`));
  }
  await running.stop();
  const times = running.looks.map((line) => Number.parseInt(line, 10));
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(pauses.slice(0, 9)).toEqual(Array(9).fill(1));
  expect(pauses.slice(9, 14)).toEqual([1, 2, 4, 8, 16]);
  expect(Math.max(...pauses)).toBe(60);
});

test("a temporary failure is retried every 30 seconds, and a new release is checked immediately", async () => {
  const cluster = fakeCluster([release("web", 1), release("api", 1)]);
  const look = ({ name }: DeploymentId): CheckOutcome =>
    name === "web" ? { type: "unreachable", why: "away" } : { type: "refused", why: "no" };
  const running = run({ cluster, inventories: {}, look });
  await running.clock.sleep(400_000);
  cluster.put(release("api", 2));
  await running.clock.sleep(2_000);
  await running.stop();
  const of = (text: string) => running.looks.filter((line) => line.includes(text));
  expect(of("web").slice(-2)).toEqual([
    "361 s: shop/web unreachable",
    "391 s: shop/web unreachable",
  ]);
  expect(of("api").slice(-2)).toEqual(["255 s: shop/api refused", "401 s: shop/api refused"]);
});

test("corrections against another writer become slow, and a quiet period makes them fast again", async () => {
  const cluster = fakeCluster([release("web", 1), configMap("a", "web")]);
  const look = (): CheckOutcome => ({ type: "corrected", objects: ["core:ConfigMap::shop/a"] });
  const running = run({ cluster, inventories: { web: ["a"] }, look });
  for (let time = 0; time < 600; time += 1) {
    await running.clock.sleep(1_000);
    cluster.put(configMap("a", "web", `wrong ${time}`));
  }
  await running.stop();
  const within = (from: number, to: number) =>
    running.looks.filter(
      (line) => Number.parseInt(line, 10) >= from && Number.parseInt(line, 10) < to,
    );
  expect(within(0, 20).length).toBeGreaterThan(8);
  expect(within(200, 600).length).toBeLessThan(9);
});

test("a release of another run is a change, and an annotation on the current release isn't", async () => {
  const cluster = fakeCluster([release("web", 1)]);
  const running = run({ cluster, inventories: {} });
  await running.clock.sleep(10_000);
  const noted = release("web", 1);
  cluster.put({ ...noted, metadata: { ...noted.metadata, annotations: { note: "seen" } } });
  await running.clock.sleep(10_000);
  cluster.put(release("web", 2, "pending"));
  await running.clock.sleep(10_000);
  cluster.put(release("web", 2, "succeeded"));
  await running.clock.sleep(10_000);
  cluster.put(release("web", 3, "failed"));
  await running.clock.sleep(10_000);
  await running.stop();
  expect(running.looks).toEqual([
    "0 s: shop/web unchanged",
    "21 s: shop/web waiting",
    "31 s: shop/web unchanged",
    "41 s: shop/web waiting",
  ]);
});

test("a deployment without releases is forgotten with its watches, and a new one is found", async () => {
  const cluster = fakeCluster([release("web", 1), configMap("a", "web")]);
  const running = run({ cluster, inventories: { web: ["a"] }, resyncMs: 60_000 });
  await running.clock.sleep(10_000);
  cluster.remove({ apiVersion: "v1", kind: "Secret", namespace: "shop", name: "qvs.web.v1" });
  cluster.put(release("api", 1));
  await running.clock.sleep(30_000);
  expect(running.controller.state()).toMatchObject({ owned: 1, objects: 0, watches: 1 });
  await running.stop();
  expect(running.looks).toEqual(["0 s: shop/web unchanged", "11 s: shop/api unchanged"]);
  const changes = running.events.filter(({ type }) => type.startsWith("deployment-"));
  expect(changes).toEqual([
    { type: "deployment-found", deployment: "shop/web" },
    { type: "deployment-dropped", deployment: "shop/web" },
    { type: "deployment-found", deployment: "shop/api" },
  ]);
});

test("replicas share the deployments, and a replica adopts those of a stopped one", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `web-${index}`);
  const cluster = fakeCluster(names.map((name) => release(name, 1)));
  const clock = virtualClock();
  const one = run({ cluster, clock, identity: "one", inventories: {} });
  const two = run({ cluster, clock, identity: "two", inventories: {} });
  await clock.sleep(30_000);
  const shares = [one, two].map(({ controller }) => controller.state().owned);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBe(20);
  expect(Math.min(...shares)).toBeGreaterThan(4);
  const before = one.looks.length;
  await two.stop();
  await clock.sleep(6_000);
  expect(one.controller.state().owned).toBe(20);
  expect(one.looks.length - before).toBe(shares[1]);
  await one.stop();
});

test("the deployments of a dead or unreachable replica are reassigned when its Lease expires", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `web-${index}`);
  const ghost: KubeObject = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name: "qvs-ghost",
      namespace: "shop",
      labels: { "vs.axis-dev.io/controller-group": "qvs" },
    },
    spec: { holderIdentity: "ghost", renewTime: "2026-01-01T00:00:00.000000Z" },
  };
  const cluster = fakeCluster([ghost, ...names.map((name) => release(name, 1))]);
  const clock = virtualClock();
  const both = ["one", "two"].map((identity) => run({ cluster, clock, identity, inventories: {} }));
  await clock.sleep(12_000);
  const owned = () => both.reduce((sum, { controller }) => sum + controller.state().owned, 0);
  const isOfGhost = (name: string) =>
    assignOwner(`shop/${name}`, ["ghost", "one", "two"], sha256) === "ghost";
  const orphans = names.filter(isOfGhost).length;
  expect([orphans > 0, owned()]).toEqual([true, 20 - orphans]);
  await clock.sleep(10_000);
  expect(owned()).toBe(20);
  const looks = both.flatMap((one) => one.looks.map((line) => line.split(" ")[2]));
  expect(new Set(looks).size).toBe(20);
  await Promise.all(both.map((one) => one.stop()));
});

test("a deployment that another replica adopts while its inventory is read is neither watched nor corrected", async () => {
  const all = Array.from({ length: 10 }, (_, index) => `web-${index}`);
  const isOfTwo = (name: string) => assignOwner(`shop/${name}`, ["one", "two"], sha256) === "two";
  const names = all.filter(isOfTwo).slice(0, 2);
  const cluster = fakeCluster(names.map((name) => release(name, 1)));
  const clock = virtualClock();
  const inventories = Object.fromEntries(names.map((name) => [name, ["a"]]));
  const one = run({ cluster, clock, identity: "one", inventories, readMs: 20_000 });
  await clock.sleep(3_000);
  const two = run({ cluster, clock, identity: "two", inventories });
  await clock.sleep(600_000);
  expect([one.looks, one.controller.state().objects]).toEqual([[], 0]);
  expect(two.looks).toHaveLength(2);
  expect(one.events.map(({ type }) => type).slice(-3)).toEqual([
    "members",
    "deployment-dropped",
    "deployment-dropped",
  ]);
  await Promise.all([one.stop(), two.stop()]);
});

test("a stop waits for running checks and releases the Lease", async () => {
  const cluster = fakeCluster([release("web", 1)]);
  const clock = virtualClock();
  const lease = () => cluster.get("coordination.k8s.io:Lease::shop/qvs-one");
  let heldAtEnd: unknown;
  const look = async (): Promise<CheckOutcome> => {
    await clock.sleep(40_000);
    heldAtEnd = textAt(lease(), "spec", "renewTime");
    return { type: "unchanged" };
  };
  const running = run({ cluster, clock, inventories: {}, look });
  await clock.sleep(5_000);
  await running.stop();
  await clock.sleep(1_000);
  // Until then, no other replica acquires it.
  expect([heldAtEnd, lease()]).toEqual(["2026-01-01T00:00:35.000000Z", undefined]);
});

test("a release during an expired Lease is checked after the renewal", async () => {
  const cluster = fakeCluster([release("web", 1), configMap("a", "web")]);
  let isCut = false;
  const running = run({
    cluster: {
      ...cluster,
      replace: (...args) =>
        isCut ? Promise.resolve(refused("unreachable", 0, "no answer")) : cluster.replace(...args),
    },
    inventories: { web: ["a"] },
  });
  await running.clock.sleep(10_000);
  isCut = true;
  await running.clock.sleep(20_000);
  expect(running.controller.state().isMember).toBe(false);
  cluster.put(release("web", 2));
  await running.clock.sleep(5_000);
  isCut = false;
  await running.clock.sleep(20_000);
  await running.stop();
  expect(running.looks).toEqual(["0 s: shop/web unchanged", "35 s: shop/web unchanged"]);
});
