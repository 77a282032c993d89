import { expect, test } from "vitest";
import {
  acquireLock,
  type LockRequest,
} from "../../../../../src/io/kubernetes/lease/acquire-lock.ts";
import type { ApiResult } from "../../../../../src/model/cluster/api/api-failure.ts";
import type { YieldRules } from "../../../../../src/model/cluster/deployment-lock.ts";
import { at, textAt } from "../../../../../src/model/json.ts";
import type { KubeObject } from "../../../../../src/model/object.ts";
import type { Clock } from "../../../../../src/ports/clock.ts";
import { virtualClock } from "../../../../support/virtual-clock.ts";

const commit = (letter: string) => letter.repeat(40);

/** Creates one Lease in memory, with the server's rules for create and replace. */
function leaseStore() {
  let version = 1;
  let lease: KubeObject | undefined;
  const refuse = (reason: "conflict" | "already-exists" | "forbidden"): ApiResult<KubeObject> => ({
    ok: false,
    failure: { reason, status: 0, message: reason, causes: [] },
  });
  const save = (object: KubeObject): ApiResult<KubeObject> => {
    version += 1;
    lease = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    return { ok: true, value: lease };
  };
  return {
    refuse,
    holder: () => textAt(lease, "spec", "holderIdentity"),
    note: () => textAt(lease, "metadata", "annotations", "vs.axis-dev.io/give-way"),
    renewed: () => textAt(lease, "spec", "renewTime"),
    annotate: (annotations: Record<string, string>) => {
      if (lease === undefined) return;
      const old = at(lease, "metadata", "annotations") as Record<string, string> | undefined;
      save({ ...lease, metadata: { ...lease.metadata, annotations: { ...old, ...annotations } } });
    },
    read: async (): Promise<ApiResult<KubeObject | undefined>> => ({ ok: true, value: lease }),
    create: async (object: KubeObject) =>
      lease === undefined ? save(object) : refuse("already-exists"),
    replace: async (object: KubeObject) =>
      textAt(object, "metadata", "resourceVersion") === String(version)
        ? save(object)
        : refuse("conflict"),
    delete: async (): Promise<ApiResult<undefined>> => {
      throw new Error("No run yields by deleting the lock.");
    },
  };
}

/**
 * Returns the rules of a run that asks each holder with an older commit, and yields to every
 * request.
 */
function rules(own: string, changed: Partial<YieldRules> = {}): YieldRules {
  return {
    self: { does: "deploy", commit: commit(own) },
    mayChallenge: async (holder) => (holder.commit ?? "") < commit(own),
    yieldsTo: async () => true,
    ...changed,
  };
}

function request(clock: Clock, own: string, changed: Partial<LockRequest> = {}): LockRequest {
  return {
    deployment: "shop",
    namespace: "prod",
    holder: `run ${own}`,
    clock,
    onWaiting: () => undefined,
    wait: true,
    signal: new AbortController().signal,
    yieldRules: rules(own),
    ...changed,
  };
}

function seconds(clock: Clock): number {
  return (clock.now().getTime() - Date.parse("2026-01-01T00:00:00Z")) / 1000;
}

test("a newer run asks the holder and gets the lock within seconds", async () => {
  const [store, clock] = [leaseStore(), virtualClock()];
  const requests: string[] = [];
  const first = await acquireLock(store, request(clock, "a"));
  const second = acquireLock(
    store,
    request(clock, "b", { onYieldRequested: (holder) => requests.push(holder) }),
  );
  await new Promise<void>((resolve) =>
    first.yieldRequested.addEventListener("abort", () => resolve()),
  );
  expect(seconds(clock)).toBeLessThanOrEqual(10);
  expect(requests).toEqual(["run a"]);
  expect(first.challenger()).toEqual({ does: "deploy", commit: commit("b"), by: "run b" });
  expect(first.lost.aborted).toBe(false);
  await first.release();
  const lock = await second;
  expect(seconds(clock)).toBeLessThanOrEqual(10);
  expect(lock.yieldRequested.aborted).toBe(false);
  expect(store.note()).toBeUndefined();
  await lock.release();
});

test("a renewal keeps the annotations of others and continues", async () => {
  const [store, clock] = [leaseStore(), virtualClock()];
  const first = await acquireLock(
    store,
    request(clock, "a", { yieldRules: rules("a", { yieldsTo: async () => false }) }),
  );
  const waiting = new AbortController();
  const second = acquireLock(store, request(clock, "b", { signal: waiting.signal }));
  second.catch(() => undefined);
  await clock.sleep(65_000);
  expect(first.lost.aborted).toBe(false);
  expect(first.yieldRequested.aborted).toBe(false);
  expect(store.note()).toContain("run b");
  expect(store.renewed() ?? "").toMatch(/^2026-01-01T00:(00:5|01:0)/);
  waiting.abort(new Error("enough"));
  await expect(second).rejects.toThrow("enough");
  await first.release();
});

test("the lock of a dead holder that was asked expires as usual", async () => {
  const [store, clock] = [leaseStore(), virtualClock()];
  const first = await acquireLock(store, request(clock, "a"));
  const dead = { ...store };
  await first.release();
  const object = (await store.read()) as { value: KubeObject };
  const { metadata } = object.value;
  await dead.replace({
    ...object.value,
    metadata: {
      ...metadata,
      annotations: {
        "vs.axis-dev.io/run": JSON.stringify({ does: "deploy", commit: commit("a") }),
      },
    },
    spec: { holderIdentity: "dead", leaseDurationSeconds: 30, acquireTime: "then" },
  });
  const began = seconds(clock);
  const lock = await acquireLock(store, request(clock, "b"));
  expect(seconds(clock) - began).toBe(30);
  await lock.release();
});

test("a run that isn't allowed to write the request waits", async () => {
  const [store, clock] = [leaseStore(), virtualClock()];
  const first = await acquireLock(store, request(clock, "a"));
  let tries = 0;
  const forbidden = {
    ...store,
    replace: async (object: KubeObject) => {
      if (store.holder() !== "run a") return store.replace(object);
      tries += 1;
      return store.refuse("forbidden");
    },
  };
  const second = acquireLock(forbidden, request(clock, "b"));
  await clock.sleep(15_000);
  expect([tries, first.yieldRequested.aborted, first.lost.aborted]).toEqual([1, false, false]);
  await first.release();
  await (await second).release();
});

test.each([
  ["another holder", { holderIdentity: "run x" }],
  ["an earlier lock of this holder", { acquireTime: "2025-01-01T00:00:00.000000Z" }],
  ["nobody", { holderIdentity: undefined, acquireTime: undefined }],
  ["this holder, without a run", { by: undefined }],
  ["this holder, with an unknown action", { does: "delete" }],
])("a request for %s is ignored", async (_name, changed) => {
  const [store, clock] = [leaseStore(), virtualClock()];
  const lock = await acquireLock(store, request(clock, "a"));
  const note = {
    holderIdentity: "run a",
    acquireTime: "2026-01-01T00:00:00.000000Z",
    by: "run b",
    does: "deploy",
    commit: commit("b"),
  };
  store.annotate({ "vs.axis-dev.io/give-way": JSON.stringify({ ...note, ...changed }) });
  await clock.sleep(25_000);
  expect(lock.yieldRequested.aborted).toBe(false);
  store.annotate({ "vs.axis-dev.io/give-way": "{" });
  await clock.sleep(5_000);
  expect([lock.yieldRequested.aborted, lock.lost.aborted]).toEqual([false, false]);
  store.annotate({ "vs.axis-dev.io/give-way": JSON.stringify(note) });
  await clock.sleep(5_000);
  expect(lock.yieldRequested.aborted).toBe(true);
  await lock.release();
});

test("the newest of two waiting runs is the last to ask", async () => {
  const [store, clock] = [leaseStore(), virtualClock()];
  const deaf = rules("a", { yieldsTo: async () => false });
  const first = await acquireLock(store, request(clock, "a", { yieldRules: deaf }));
  const enough = new AbortController();
  const waiting = ["b", "c"].map((own) =>
    acquireLock(store, request(clock, own, { signal: enough.signal })).catch(() => undefined),
  );
  await clock.sleep(20_000);
  expect(store.note()).toContain("run c");
  enough.abort();
  await Promise.all(waiting);
  await first.release();
});
