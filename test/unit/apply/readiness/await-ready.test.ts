import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { awaitReady, type WaitOptions } from "../../../../src/apply/readiness/await-ready.ts";
import type { Status } from "../../../../src/apply/readiness/status/conditions.ts";
import { createWatches } from "../../../../src/apply/readiness/watches.ts";
import { createHealthEvaluator } from "../../../../src/health/evaluator.ts";
import type { Json } from "../../../../src/model/json.ts";
import { isKubeObject, type KubeObject } from "../../../../src/model/object.ts";
import { type FakeCluster, fakeCluster } from "../../../support/fake-cluster.ts";
import { virtualClock } from "../../../support/virtual-clock.ts";

const address = { apiVersion: "acme.example/v1", kind: "Widget", namespace: "shop", name: "w" };

/**
 * Creates a custom resource without generations, so that only its resourceVersion distinguishes old
 * from new.
 */
function widget(version: number, isReady: boolean, uid = "u"): KubeObject {
  const object: Json = parse(`
    apiVersion: acme.example/v1
    kind: Widget
    metadata: {name: w, namespace: shop, uid: ${uid}, resourceVersion: "${version}"}
    status: {conditions: [{type: Ready, status: "${isReady ? "True" : "False"}", reason: Working}]}`);
  if (!isKubeObject(object)) throw new Error("not an object");
  return object;
}

/** Creates a cluster whose watch reports the given objects, one every second. */
function saying(clock: ReturnType<typeof virtualClock>, ...states: readonly KubeObject[]) {
  const cluster: FakeCluster = {
    ...fakeCluster([widget(0, false)]),
    async *watch() {
      for (const object of states) {
        yield { ok: true, value: { type: "MODIFIED", object } };
        await clock.sleep(1000);
      }
      await new Promise(() => {});
    },
  };
  return cluster;
}

async function wait(
  cluster: FakeCluster,
  clock: ReturnType<typeof virtualClock>,
  written = widget(5, false),
  more: Partial<WaitOptions> = {},
) {
  const began = clock.now().getTime();
  const lastReported: string[] = [];
  const readiness = await awaitReady(written, {
    cluster,
    clock,
    watches: createWatches(cluster),
    health: createHealthEvaluator(),
    signal: new AbortController().signal,
    timeoutMs: 600_000,
    affected: true,
    onWaiting: (why) => lastReported.push(why),
    ...more,
  });
  const seconds = Math.round((clock.now().getTime() - began) / 1000);
  const why = readiness.state === "ready" ? "" : `: ${readiness.why}`;
  if (readiness.state === "ready" && readiness.notice !== undefined)
    return { end: `ready (${readiness.notice})`, seconds, lastReported };
  return { end: `${readiness.state}${why}`, seconds, lastReported };
}

describe("waiting for an object", () => {
  it("doesn't end with an older state that was ready", async () => {
    const clock = virtualClock();
    const cluster = saying(clock, widget(4, true), widget(6, false), widget(7, true));
    expect(await wait(cluster, clock)).toEqual({
      end: "ready",
      seconds: 2,
      lastReported: ["Working"],
    });
  });

  it("doesn't end with an older object of the same name", async () => {
    const clock = virtualClock();
    const cluster = saying(clock, widget(4, true, "before"), widget(7, true));
    expect(await wait(cluster, clock)).toMatchObject({ end: "ready", seconds: 1 });
  });

  it("ends at once for an object that isn't awaited", async () => {
    const clock = virtualClock();
    const cluster = saying(clock, widget(6, false));
    expect(await wait(cluster, clock, widget(5, false), { isUnawaited: true })).toEqual({
      end: "ready (not awaited because of its annotation wait)",
      seconds: 0,
      lastReported: [],
    });
  });

  it("has no notice for an object that isn't awaited and is ready", async () => {
    const clock = virtualClock();
    const cluster = saying(clock, widget(6, false));
    const end = await wait(cluster, clock, widget(5, true), { isUnawaited: true });
    expect(end).toMatchObject({ end: "ready" });
  });

  it("still needs a field that another object refers to", async () => {
    const clock = virtualClock();
    const cluster = saying(clock, widget(6, false), widget(7, false));
    const requirement = ({ metadata }: KubeObject): Status | undefined =>
      metadata.resourceVersion === "7" ? undefined : { state: "waiting", why: "no address" };
    const end = await wait(cluster, clock, widget(5, false), { isUnawaited: true, requirement });
    expect(end).toMatchObject({ seconds: 1, lastReported: ["no address"] });
    expect(end.end).toBe("ready (not awaited because of its annotation wait)");
  });

  it("fails when a failure lasts for the tolerated time", async () => {
    const clock = virtualClock();
    const cluster = saying(clock, widget(6, false));
    expect(await wait(cluster, clock, widget(5, false), { toleratedMs: 92_000 })).toEqual({
      end: "failed: Working (not recovered within 92 s)",
      seconds: 92,
      lastReported: ["Working"],
    });
  });

  it("fails immediately when another object replaces it", async () => {
    const clock = virtualClock();
    const cluster = saying(clock, widget(6, false), widget(8, true, "other"));
    expect(await wait(cluster, clock)).toMatchObject({
      end: "failed: another object took its place while qvs waited for it",
      seconds: 1,
    });
  });

  it("fails immediately when the object is deleted", async () => {
    const clock = virtualClock();
    const cluster = fakeCluster([widget(0, false)]);
    cluster.put(widget(0, false));
    void clock.sleep(60_000).then(() => cluster.remove(address));
    expect(await wait(cluster, clock)).toMatchObject({
      end: "failed: it was deleted while qvs waited for it",
      seconds: 60,
    });
  });

  it("fails soon when the object was deleted before the watch began", async () => {
    const clock = virtualClock();
    expect(await wait(fakeCluster(), clock)).toMatchObject({
      end: "failed: it was deleted while qvs waited for it",
      seconds: 5,
    });
  });

  it("ends for a Job that completed and then deleted itself", async () => {
    const clock = virtualClock();
    const job = (version: number, isComplete: boolean): KubeObject => ({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "w", namespace: "shop", uid: "u", resourceVersion: String(version) },
      status: { conditions: [{ type: "Complete", status: isComplete ? "True" : "False" }] },
    });
    const endings = [job(6, true), job(6, false)].map(async (last) => {
      const cluster: FakeCluster = {
        ...fakeCluster(),
        async *watch() {
          yield { ok: true, value: { type: "DELETED", object: last } };
          await new Promise(() => {});
        },
      };
      return (await wait(cluster, clock, job(5, false))).end;
    });
    expect(await Promise.all(endings)).toEqual([
      "ready",
      "failed: it was deleted while qvs waited for it",
    ]);
  });
});
