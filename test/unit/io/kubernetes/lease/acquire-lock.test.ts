import { expect, test } from "vitest";
import {
  acquireLock,
  type LockRequest,
} from "../../../../../src/io/kubernetes/lease/acquire-lock.ts";
import type { ApiFailure, ApiResult } from "../../../../../src/model/cluster/api-failure.ts";
import { at, type JsonObject, textAt } from "../../../../../src/model/json.ts";
import type { KubeObject, ObjectAddress } from "../../../../../src/model/object.ts";
import type { Clock } from "../../../../../src/ports/clock.ts";
import { virtualClock } from "../../../../support/virtual-clock.ts";

/** One Lease in memory, with the server's rules for create and replace. */
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

/** Ann's run, which lives for some seconds. */
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

test("a lock that nobody holds is taken, kept and released", async () => {
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

test("a lock that was given back is taken at once", async () => {
  const store = leaseStore({ leaseDurationSeconds: 30, leaseTransitions: 4 });
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock, { wait: false }));
  expect(seconds(clock)).toBe(0);
  expect(store.spec("leaseTransitions")).toBe(5);
  await lock.release();
});

test("a run that died is waited out by our own clock, whatever its clock said", async () => {
  const store = leaseStore({ ...heldByAnn, renewTime: "2031-01-01T00:00:00.000000Z" });
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock));
  expect(seconds(clock)).toBe(30);
  await lock.release();
});

test("a run that is alive is waited for, and named once", async () => {
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

test("a Lease that is deleted while we wait for it is free", async () => {
  const store = leaseStore(heldByAnn);
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock, { onWaiting: store.remove }));
  expect(seconds(clock)).toBe(2);
  await lock.release();
});

test("without waiting, a run that is alive is named with the time it started", async () => {
  const acquired = acquireLock(leaseStore(heldByAnn), request(virtualClock(), { wait: false }));
  await expect(acquired).rejects.toThrow(
    'Deployment "shop" is locked by ann@laptop\n  since: 2025-12-31T23:58:00Z',
  );
});

test("without waiting, a run whose clock is behind is found out to be alive", async () => {
  const store = leaseStore({ ...heldByAnn, renewTime: "2025-06-01T00:00:00.000000Z" });
  const clock = virtualClock();
  const alive = keepRenewing(store, clock, 20, 3_600_000);
  await expect(acquireLock(store, request(clock, { wait: false }))).rejects.toThrow("ann@laptop");
  await alive;
});

test("without waiting, a run that died long ago is no obstacle", async () => {
  const store = leaseStore({ ...heldByAnn, renewTime: "2025-06-01T00:00:00.000000Z" });
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock, { wait: false }));
  expect(seconds(clock)).toBe(30);
  await lock.release();
});

test("of two that take it at the same time one gets it", async () => {
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

test("waiting ends when it is called off", async () => {
  const store = leaseStore(heldByAnn);
  const clock = virtualClock();
  const abort = new AbortController();
  const onWaiting = () => abort.abort(new Error("called off"));
  const acquired = acquireLock(store, request(clock, { signal: abort.signal, onWaiting }));
  await expect(acquired).rejects.toThrow("called off");
});

test("the lock is lost when somebody else has taken it", async () => {
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

test("somebody who only annotates the Lease takes nothing away", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock));
  store.put({});
  await clock.sleep(13_000);
  expect(lock.lost.aborted).toBe(false);
  expect(store.spec("renewTime")).toBe("2026-01-01T00:00:12.000000Z");
  await lock.release();
});

test("a lock that can't be released gives the reason, and a released one gives none", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const first = await acquireLock(store, request(clock));
  expect(await first.release()).toBeUndefined();
  const second = await acquireLock(store, request(clock));
  store.fail("forbidden");
  expect(await second.release()).toBe("it is forbidden");
});

test("the lock of a deleted deployment is deleted, or freed where that is not allowed", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock));
  expect(await lock.release("delete")).toBeUndefined();
  expect(await store.read()).toEqual({ ok: true, value: undefined });
  const guarded = { ...store, delete: async () => refusal("forbidden") };
  const kept = await acquireLock(guarded, request(clock));
  expect(await kept.release("delete")).toBeUndefined();
  expect([store.spec("leaseDurationSeconds"), store.spec("holderIdentity")]).toEqual([
    30,
    undefined,
  ]);
});

test("a deleted deployment leaves a lock alone that another run has by now", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock));
  store.put(heldByAnn);
  expect(await lock.release("delete")).toBeUndefined();
  expect(store.spec("holderIdentity")).toBe("ann@laptop");
});

test("a cluster that is away for a moment costs nothing", async () => {
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

test("a cluster that stays away costs the lock before others may take it", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(store, request(clock));
  store.fail("unreachable");
  await clock.sleep(21_000);
  expect(lock.lost.aborted).toBe(true);
});

test("a request that hangs costs the lock before others may take it", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const hanging = { ...store, replace: () => new Promise<never>(() => undefined) };
  const lock = await acquireLock(hanging, request(clock));
  await clock.sleep(21_000);
  expect(lock.lost.aborted).toBe(true);
});

/** Each write is carried out at once, but its answer takes some seconds. */
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

test("a cluster that always answers too late for a lock is reported, not asked for ever", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const late = slowToAnswer(store, clock, ...Array.from({ length: 20 }, () => 12));
  await expect(acquireLock(late, request(clock))).rejects.toThrow(
    "The API server takes longer to answer than the lock stays valid without a renewal",
  );
});

test("a lock whose answer was long on its way is confirmed before it counts", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(slowToAnswer(store, clock, 25), request(clock));
  expect(store.spec("acquireTime")).toBe("2026-01-01T00:00:25.000000Z");
  await clock.sleep(60_000);
  expect(lock.lost.aborted).toBe(false);
  await lock.release();
});

test("a lock that others have outwaited while its answer was on its way is theirs", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const acquired = acquireLock(slowToAnswer(store, clock, 40), request(clock, { wait: false }));
  await clock.sleep(35_000);
  store.put({ ...heldByAnn, renewTime: "2026-01-01T00:00:35.000000Z" });
  await expect(acquired).rejects.toThrow("is locked by ann@laptop");
  expect(store.spec("holderIdentity")).toBe("ann@laptop");
});

/** A clock that somebody sets: `by` seconds are added from then on. */
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

test("a lock is not taken before its time because our clock was set forward", async () => {
  const store = leaseStore(heldByAnn);
  const real = virtualClock();
  const clock = settable(real);
  const onWaiting = () => clock.set(3_600);
  const lock = await acquireLock(store, request(clock, { onWaiting }));
  expect(seconds(real)).toBe(30);
  await lock.release();
});

test("a lock is renewed in time although our clock was set back during a renewal", async () => {
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

test("a request that hangs costs the lock although our clock was set back", async () => {
  const store = leaseStore();
  const real = virtualClock();
  const clock = settable(real);
  const hanging = { ...store, replace: () => new Promise<never>(() => undefined) };
  const lock = await acquireLock(hanging, request(clock));
  clock.set(-3_600);
  await real.sleep(31_000);
  expect(lock.lost.aborted).toBe(true);
});

test("after a long sleep of the machine the lock counts as lost before any timer runs", async () => {
  const store = leaseStore();
  const clock = settable(virtualClock());
  const lock = await acquireLock(store, request(clock));
  expect([lock.isHeld(), lock.lost.aborted]).toEqual([true, false]);
  clock.set(19.9);
  expect([lock.isHeld(), lock.lost.aborted]).toEqual([true, false]);
  clock.set(20);
  expect([lock.isHeld(), lock.lost.aborted]).toEqual([false, true]);
});

test("renewals that are answered late do not lose the lock", async () => {
  const store = leaseStore();
  const clock = virtualClock();
  const lock = await acquireLock(slowToAnswer(store, clock, 0, 9, 9, 9, 9), request(clock));
  await clock.sleep(70_000);
  expect(lock.lost.aborted).toBe(false);
  await lock.release();
});

test("releasing a lock without an answer ends when it has expired anyway", async () => {
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

test("somebody who annotates the Lease at the end does not keep it from being freed", async () => {
  const store = leaseStore();
  const lock = await acquireLock(store, request(virtualClock()));
  store.put({});
  await lock.release();
  expect(store.spec("holderIdentity")).toBeUndefined();
});

test("a Lease that says to count for ever is taken like any other that nobody renews", async () => {
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

test("a lock that is free and yet never to be had is distinguished from one that is held", async () => {
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
] as const)("a cluster that answers %s gives advice", async (reason, advice) => {
  const store = leaseStore();
  store.fail(reason);
  await expect(acquireLock(store, request(virtualClock()))).rejects.toThrow(advice);
});

test("a lock that can't be renewed is lost in time although our clock is set back again and again", async () => {
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

test("a lock isn't held any more after the machine slept for longer than it lasts", async () => {
  const store = leaseStore();
  const real = virtualClock();
  const clock = settable(real);
  const lock = await acquireLock(store, request(clock));
  // Linux's monotonic clock stands still while the machine sleeps.
  clock.set(60);
  expect(lock.isHeld()).toBe(false);
});
