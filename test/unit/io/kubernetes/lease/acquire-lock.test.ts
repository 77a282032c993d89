import { expect, test } from "vitest";
import {
  acquireLock,
  type LockRequest,
} from "../../../../../src/io/kubernetes/lease/acquire-lock.ts";
import type { ApiFailure, ApiResult } from "../../../../../src/model/cluster/api/api-failure.ts";
import { at, type JsonObject, textAt } from "../../../../../src/model/json.ts";
import type { KubeObject, ObjectAddress } from "../../../../../src/model/object.ts";
import type { Clock } from "../../../../../src/ports/clock.ts";
import { virtualClock } from "../../../../support/virtual-clock.ts";

/** Creates one Lease in memory, with the server's rules for create and replace. */
function leaseStore(spec?: JsonObject) {
  let version = 1;
  let lease: KubeObject | undefined;
  let failing: ApiFailure["reason"] | undefined;
  const save = (object: KubeObject): ApiResult<KubeObject> => {
    version += 1;
    lease = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    return { ok: true, value: lease };
  };
  const write = async (object: KubeObject, allowed: () => ApiFailure["reason"] | undefined) => {
    const refused = failing ?? allowed();
    return refused === undefined ? save(object) : refusal(refused);
  };
  if (spec !== undefined) save({ ...bare, spec });
  return {
    put: (changed: JsonObject) =>
      save({ ...bare, spec: { ...(lease?.spec as JsonObject), ...changed } }),
    remove: () => {
      lease = undefined;
    },
    fail: (reason: ApiFailure["reason"] | undefined) => {
      failing = reason;
    },
    spec: (field: string) => at(lease, "spec", field),
    read: async (): Promise<ApiResult<KubeObject | undefined>> =>
      failing === undefined ? { ok: true, value: lease } : refusal(failing),
    create: (object: KubeObject) =>
      write(object, () => (lease === undefined ? undefined : "already-exists")),
    replace: (object: KubeObject) =>
      write(object, () => {
        const sent = textAt(object, "metadata", "resourceVersion");
        return sent === String(version) && lease !== undefined ? undefined : "conflict";
      }),
    delete: async (
      _: ObjectAddress,
      _uid: string,
      sent?: string,
    ): Promise<ApiResult<undefined>> => {
      if (failing !== undefined) return refusal(failing);
      if (sent !== String(version)) return refusal("conflict");
      lease = undefined;
      return { ok: true, value: undefined };
    },
  };
}

const bare: KubeObject = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "qvs-shop", namespace: "prod" },
};

function refusal(reason: ApiFailure["reason"]) {
  return {
    ok: false as const,
    failure: { reason, status: 0, message: `it is ${reason}`, causes: [] },
  };
}

const start = "2026-01-01T00:00:00.000000Z";
const heldByAnn = {
  holderIdentity: "ann@laptop",
  leaseDurationSeconds: 30,
  acquireTime: "2025-12-31T23:58:00.000000Z",
  renewTime: start,
};

function request(clock: Clock, changes: Partial<LockRequest> = {}): LockRequest {
  return {
    deployment: "shop",
    namespace: "prod",
    holder: "us",
    clock,
    onWaiting: () => undefined,
    wait: true,
    signal: new AbortController().signal,
    ...changes,
  };
}

function seconds(clock: Clock): number {
  return (clock.now().getTime() - Date.parse(start)) / 1000;
}

/** Renews the lock of another run, Ann's, until a time in seconds. */
async function keepRenewing(
  store: ReturnType<typeof leaseStore>,
  clock: Clock,
  until: number,
  behind = 0,
) {
  while (seconds(clock) < until) {
    await clock.sleep(10_000);
    store.put({ renewTime: new Date(clock.now().getTime() - behind).toISOString() });
  }
}

test("a run acquires, renews and releases a free lock", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock));
  expect(store.spec("holderIdentity")).toBe("us");
  expect(store.spec("renewTime")).toBe("2026-01-01T00:00:00.000000Z");
  await clock.sleep(95_000);
  expect(store.spec("renewTime")).toBe("2026-01-01T00:01:30.000000Z");
  expect(store.spec("acquireTime")).toBe("2026-01-01T00:00:00.000000Z");
  await lock.release();
  expect(store.spec("holderIdentity")).toBeUndefined();
  expect(lock.lost.aborted).toBe(false);
});

test("a released lock is acquired immediately", async () => {
  const store = leaseStore({ leaseDurationSeconds: 30, leaseTransitions: 4 });
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock, { wait: false }));
  expect(seconds(clock)).toBe(0);
  expect(store.spec("leaseTransitions")).toBe(5);
  await lock.release();
});

test("qvs waits for the lock of a dead run by its own clock, whatever the other clock showed", async () => {
  const store = leaseStore({ ...heldByAnn, renewTime: "2031-01-01T00:00:00.000000Z" });
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock));
  expect(seconds(clock)).toBe(30);
  await lock.release();
});

test("qvs waits for a live run and reports it once", async () => {
  const store = leaseStore(heldByAnn);
  const clock = virtualClock();
  const waits: string[] = [];
  const alive = keepRenewing(store, clock, 60);
  const lock = await acquireLock(
    store,
    request(clock, { onWaiting: (holder) => waits.push(holder) }),
  );
  await alive;
  expect(seconds(clock)).toBeGreaterThanOrEqual(90);
  expect(waits).toEqual(["ann@laptop"]);
  await lock.release();
});

test("a Lease that is deleted during the wait is free", async () => {
  const store = leaseStore(heldByAnn);
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock, { onWaiting: store.remove }));
  expect(seconds(clock)).toBe(2);
  await lock.release();
});

test("without waiting, a live run is reported with its start time", async () => {
  const acquired = acquireLock(leaseStore(heldByAnn), request(virtualClock(), { wait: false }));
  await expect(acquired).rejects.toThrow(
    'Deployment "shop" is locked by ann@laptop\n  since: 2025-12-31T23:58:00Z',
  );
});

test("without waiting, a live run with a slow clock is detected", async () => {
  const store = leaseStore({ ...heldByAnn, renewTime: "2025-06-01T00:00:00.000000Z" });
  const clock = virtualClock();
  const alive = keepRenewing(store, clock, 20, 3_600_000);
  await expect(acquireLock(store, request(clock, { wait: false }))).rejects.toThrow("ann@laptop");
  await alive;
});

test("without waiting, a run that died long ago doesn't block", async () => {
  const store = leaseStore({ ...heldByAnn, renewTime: "2025-06-01T00:00:00.000000Z" });
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock, { wait: false }));
  expect(seconds(clock)).toBe(30);
  await lock.release();
});

test("one of two concurrent runs gets the lock", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const first = await acquireLock(store, request(clock));
  const late = { ...store, read: async () => ({ ok: true as const, value: undefined }) };
  let reads = 0;
  const racing = {
    ...store,
    read: () => {
      reads += 1;
      return reads === 1 ? late.read() : store.read();
    },
  };
  const second = acquireLock(racing, request(clock, { holder: "other", wait: false }));
  await expect(second).rejects.toThrow("is locked by us");
  await first.release();
});

test("cancellation ends the wait", async () => {
  const store = leaseStore(heldByAnn);
  const clock = virtualClock();
  const abort = new AbortController();
  const onWaiting = () => abort.abort(new Error("called off"));
  const acquired = acquireLock(store, request(clock, { signal: abort.signal, onWaiting }));
  await expect(acquired).rejects.toThrow("called off");
});

test("the lock is lost when another run has acquired it", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock));
  store.put(heldByAnn);
  await clock.sleep(11_000);
  expect(lock.lost.aborted).toBe(true);
  await lock.release();
  expect(store.spec("holderIdentity")).toBe("ann@laptop");
});

test("the lock is lost when its Lease is deleted", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock));
  store.remove();
  await clock.sleep(11_000);
  expect(lock.lost.aborted).toBe(true);
});

test("an annotation on the Lease doesn't lose the lock", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock));
  store.put({});
  await clock.sleep(13_000);
  expect(lock.lost.aborted).toBe(false);
  expect(store.spec("renewTime")).toBe("2026-01-01T00:00:12.000000Z");
  await lock.release();
});

test("a failed release reports the reason, and a successful one reports nothing", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const first = await acquireLock(store, request(clock));
  expect(await first.release()).toBeUndefined();
  const second = await acquireLock(store, request(clock));
  store.fail("forbidden");
  expect(await second.release()).toBe("it is forbidden");
});

test("the lock of a deleted deployment is deleted, or released without the permission", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock));
  expect(await lock.release("delete")).toBeUndefined();
  expect(await store.read()).toEqual({ ok: true, value: undefined });
  const guarded = { ...store, delete: async () => refusal("forbidden") };
  const secondLock = await acquireLock(guarded, request(clock));
  expect(await secondLock.release("delete")).toBeUndefined();
  expect([store.spec("leaseDurationSeconds"), store.spec("holderIdentity")]).toEqual([
    30,
    undefined,
  ]);
});

test("a deleted deployment keeps a lock that another run has acquired", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock));
  store.put(heldByAnn);
  expect(await lock.release("delete")).toBeUndefined();
  expect(store.spec("holderIdentity")).toBe("ann@laptop");
});

test("a short outage of the cluster doesn't lose the lock", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock));
  store.fail("unreachable");
  await clock.sleep(15_000);
  store.fail(undefined);
  await clock.sleep(5_000);
  expect(lock.lost.aborted).toBe(false);
  expect(store.spec("renewTime")).toBe("2026-01-01T00:00:16.000000Z");
  await lock.release();
});

test("a long outage of the cluster loses the lock before another run can acquire it", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock));
  store.fail("unreachable");
  await clock.sleep(21_000);
  expect(lock.lost.aborted).toBe(true);
});

test("a hanging request loses the lock before another run can acquire it", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const hanging = { ...store, replace: () => new Promise<never>(() => undefined) };
  const lock = await acquireLock(hanging, request(clock));
  await clock.sleep(21_000);
  expect(lock.lost.aborted).toBe(true);
});

/** Returns a store that executes each write immediately, but answers after some seconds. */
function slowToAnswer(
  store: ReturnType<typeof leaseStore>,
  clock: Clock,
  ...delays: readonly number[]
): ReturnType<typeof leaseStore> {
  const left = [...delays];
  const late = async (answer: Promise<ApiResult<KubeObject>>) => {
    const settled = await answer;
    await clock.sleep((left.shift() ?? 0) * 1000);
    return settled;
  };
  return {
    ...store,
    create: (object) => late(store.create(object)),
    replace: (object) => late(store.replace(object)),
  };
}

test("an API server that always answers too late is reported, and qvs stops asking", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const late = slowToAnswer(store, clock, ...Array.from({ length: 20 }, () => 12));
  await expect(acquireLock(late, request(clock))).rejects.toThrow(
    "The API server takes longer to answer than the lock stays valid without a renewal",
  );
});

test("a lock with a slow answer is confirmed before use", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(slowToAnswer(store, clock, 25), request(clock));
  expect(store.spec("acquireTime")).toBe("2026-01-01T00:00:25.000000Z");
  await clock.sleep(60_000);
  expect(lock.lost.aborted).toBe(false);
  await lock.release();
});

test("another run keeps a lock that it acquired during a slow answer", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const acquired = acquireLock(slowToAnswer(store, clock, 40), request(clock, { wait: false }));
  await clock.sleep(35_000);
  store.put({ ...heldByAnn, renewTime: "2026-01-01T00:00:35.000000Z" });
  await expect(acquired).rejects.toThrow("is locked by ann@laptop");
  expect(store.spec("holderIdentity")).toBe("ann@laptop");
});

/** Returns a clock with `set`, which adds `by` seconds from then on. */
function settable(clock: Clock): Clock & { set(by: number): void } {
  let offset = 0;
  return {
    now: () => new Date(clock.now().getTime() + offset),
    elapsed: clock.elapsed,
    sleep: clock.sleep,
    set: (by) => {
      offset = by * 1000;
    },
  };
}

test("a lock isn't acquired too early when the clock was set forward", async () => {
  const store = leaseStore(heldByAnn);
  const real = virtualClock();
  const clock = settable(real);
  const onWaiting = () => clock.set(3_600);
  const lock = await acquireLock(store, request(clock, { onWaiting }));
  expect(seconds(real)).toBe(30);
  await lock.release();
});

test("a lock is renewed in time when the clock was set back during a renewal", async () => {
  const store = leaseStore();
  const real = virtualClock();
  const clock = settable(real);
  const lock = await acquireLock(slowToAnswer(store, real, 0, 5), request(clock));
  await real.sleep(12_000);
  clock.set(-3_600);
  await real.sleep(14_000);
  expect(store.spec("renewTime")).toBe("2025-12-31T23:00:20.000000Z");
  await lock.release();
});

test("a hanging request loses the lock when the clock was set back", async () => {
  const store = leaseStore();
  const real = virtualClock();
  const clock = settable(real);
  const hanging = { ...store, replace: () => new Promise<never>(() => undefined) };
  const lock = await acquireLock(hanging, request(clock));
  clock.set(-3_600);
  await real.sleep(31_000);
  expect(lock.lost.aborted).toBe(true);
});

test("the lock is lost before any timer runs after the machine has slept", async () => {
  const store = leaseStore();
  const clock = settable(virtualClock());
  const lock = await acquireLock(store, request(clock));
  expect([lock.isHeld(), lock.lost.aborted]).toEqual([true, false]);
  clock.set(19.9);
  expect([lock.isHeld(), lock.lost.aborted]).toEqual([true, false]);
  clock.set(20);
  expect([lock.isHeld(), lock.lost.aborted]).toEqual([false, true]);
});

test("late answers to renewals don't lose the lock", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(slowToAnswer(store, clock, 0, 9, 9, 9, 9), request(clock));
  await clock.sleep(70_000);
  expect(lock.lost.aborted).toBe(false);
  await lock.release();
});

test("a release without an answer ends when the lock expires", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const replace = (lease: KubeObject) =>
    textAt(lease, "spec", "holderIdentity") === undefined
      ? new Promise<never>(() => undefined)
      : store.replace(lease);
  const lock = await acquireLock({ ...store, replace }, request(clock));
  await lock.release();
  expect(seconds(clock)).toBe(30);
});

test("a concurrent annotation doesn't prevent the release of the Lease", async () => {
  const store = leaseStore();
  const lock = await acquireLock(store, request(virtualClock()));
  store.put({});
  await lock.release();
  expect(store.spec("holderIdentity")).toBeUndefined();
});

test("a Lease with an endless duration is acquired if no run renews it", async () => {
  const clock = virtualClock();
  const store = leaseStore({
    ...heldByAnn,
    leaseDurationSeconds: 2_147_483_647,
    renewTime: "2099-01-01T00:00:00.000000Z",
  });
  await acquireLock(store, request(clock));
  expect(store.spec("holderIdentity")).toBe("us");
  expect(seconds(clock)).toBe(30);
});

test("a free lock with constant conflicts is distinguished from a held one", async () => {
  const store = leaseStore({ leaseDurationSeconds: 30 });
  const guarded = { ...store, replace: async () => refusal("conflict") };
  await expect(acquireLock(guarded, request(virtualClock()))).rejects.toThrow(
    "The lock is free, but the API server reports a conflict each time",
  );
});

test.each([
  ["forbidden", "Allow get, create and update on leases.coordination.k8s.io in namespace prod"],
  ["not-found", "Create the namespace prod"],
  ["unreachable", "Check that the cluster is running"],
] as const)("the error for the cluster's answer %s contains advice", async (reason, advice) => {
  const store = leaseStore();
  store.fail(reason);
  await expect(acquireLock(store, request(virtualClock()))).rejects.toThrow(advice);
});

test("an unrenewable lock is lost in time when the clock is set back repeatedly", async () => {
  const store = leaseStore();
  const real = virtualClock();
  const clock = settable(real);
  const lock = await acquireLock(store, request(clock));
  store.put({ ...heldByAnn });
  for (let step = 1; step <= 3; step += 1) {
    clock.set(-7 * step);
    await real.sleep(7_000);
  }
  expect(lock.isHeld()).toBe(false);
});

test("a lock isn't held after the machine has slept for longer than its duration", async () => {
  const store = leaseStore();
  const real = virtualClock();
  const clock = settable(real);
  const lock = await acquireLock(store, request(clock));
  // Linux's monotonic clock stops while the machine sleeps.
  clock.set(60);
  expect(lock.isHeld()).toBe(false);
});
