import { expect, test } from "vitest";
import { applyPlan } from "../../../../src/apply/apply-plan.ts";
import type { ApplyContext } from "../../../../src/apply/run.ts";
import { failureDetail } from "../../../../src/apply/summarize-run.ts";
import type {
  DeploymentCheck,
  HttpCheck,
} from "../../../../src/model/deployments/deployment-checks.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { CheckGate } from "../../../../src/model/plan/plan.ts";
import type { ServiceRequest } from "../../../../src/ports/kubernetes.ts";
import type { ProbeAnswer } from "../../../../src/ports/probe.ts";
import { checkPorts } from "../../../support/check-ports.ts";
import { type FakeCluster, fakeCluster } from "../../../support/fake-cluster.ts";
import { planFrom, settledObject } from "../../../support/plan/plan-from-text.ts";
import { virtualClock } from "../../../support/virtual-clock.ts";

const never = new AbortController().signal;

const http: HttpCheck = {
  ...{ type: "http", name: "web", headers: [], status: [] },
  target: { type: "service", service: "web", port: "80", scheme: "http", path: "/" },
  ...{ intervalMs: 5000, holdMs: 0, timeoutMs: 60_000 },
};
const job: DeploymentCheck = {
  ...{ type: "job", name: "smoke", timeoutMs: 60_000 },
  spec: { template: { spec: { containers: [{ name: "main", image: "acme/smoke:1" }] } } },
};

const answer = (status: number): ProbeAnswer => ({
  ...{ type: "answered", status, body: "", isCut: false, latencyMs: 1 },
});

interface Run {
  readonly cluster?: FakeCluster;
  readonly signal?: AbortSignal;
  readonly lost?: AbortSignal;
  readonly plan?: string;
  readonly gates?: readonly CheckGate[];
  /** Answers the requests to Services, by their time in seconds. */
  readonly answers?: (seconds: number, request: ServiceRequest) => ProbeAnswer;
}

const change = "app update ConfigMap new\napp delete ConfigMap old";

/** Applies a plan with checks, and returns the events. */
async function apply(checks: readonly DeploymentCheck[], run: Run = {}) {
  const { cluster = fakeCluster(), signal = never, lost = never, answers } = run;
  const clock = virtualClock();
  const began = clock.elapsed();
  const planned = planFrom(cluster, run.plan ?? change);
  const world: ApplyContext = {
    ...checkPorts,
    cluster: {
      ...cluster,
      getFromService: async (request) =>
        answers?.((clock.elapsed() - began) / 1000, request) ?? answer(200),
    },
    ...{ clock, progress: { report: () => {} }, signal, lost },
  };
  const plan = { ...planned, checks, hasCheckJobs: true, gates: run.gates ?? [] };
  const result = await applyPlan(plan, world, { concurrency: 4, timeoutMs: 600_000 });
  return {
    result,
    seconds: (clock.elapsed() - began) / 1000,
    isDeleted: cluster.get("core:ConfigMap::shop/old") === undefined,
    failures: result.failures.map((each) => `${each.name}: ${failureDetail(each)}`),
  };
}

test("a check that passes lets the run delete the old object", async () => {
  const done = await apply([http]);
  expect([done.result.succeeded, done.isDeleted, done.seconds]).toEqual([true, true, 0]);
});

test("a check that doesn't pass in time keeps the old object and is the failure", async () => {
  const done = await apply([http], { answers: () => answer(503) });
  expect([done.result.succeeded, done.isDeleted, done.seconds]).toEqual([false, false, 60]);
  expect(done.failures).toEqual([
    "Check shop/web: not passed after 60 s: status 503 instead of 200 to 299: 503: 1 ms",
  ]);
  expect(done.result.stopped).toBeUndefined();
});

test("a check that passes later needs no failure", async () => {
  const done = await apply([http], { answers: (seconds) => answer(seconds < 12 ? 503 : 200) });
  expect([done.result.succeeded, done.isDeleted, done.seconds]).toEqual([true, true, 15]);
  expect(done.result.passedChecks).toEqual([
    {
      ...{ name: "web", type: "http", at: expect.stringMatching(/^\d{4}-.*Z$/), attempts: 4 },
      evidence: [
        { label: "status", value: "200" },
        { label: "latency", value: "1 ms" },
      ],
    },
  ]);
});

test("an answer that isn't as expected starts the required time again", async () => {
  const check = { ...http, holdMs: 20_000 };
  const done = await apply([check], { answers: (seconds) => answer(seconds === 10 ? 500 : 200) });
  expect([done.result.succeeded, done.seconds]).toEqual([true, 35]);
  const failed = await apply([check], {
    answers: (seconds) => answer(seconds % 15 === 10 ? 500 : 200),
  });
  expect(failed.failures).toEqual([
    "Check shop/web: not passed after 60 s: it didn't pass for 20 s: 200: 1 ms",
  ]);
});

test("the first check that fails ends the others", async () => {
  const slow = { ...http, name: "slow", timeoutMs: 600_000 };
  const done = await apply([slow, http], { answers: () => answer(503) });
  expect([done.seconds, done.failures.length, done.isDeleted]).toEqual([60, 1, false]);
  expect(done.result).not.toHaveProperty("passedChecks");
});

test("a canceled run doesn't succeed, even without anything to delete", async () => {
  const canceled = new AbortController();
  const done = await apply([http], {
    plan: "app update ConfigMap new",
    signal: canceled.signal,
    answers: () => {
      canceled.abort();
      return answer(503);
    },
  });
  expect([done.result.succeeded, done.result.stopped]).toEqual([false, "cancelled"]);
  expect(done.failures).toEqual([]);
});

test("no check runs if an object isn't ready", async () => {
  const cluster = fakeCluster([], (object) => [{ ...object, status: {} }]);
  let requests = 0;
  const done = await apply([http], {
    cluster,
    plan: "app update Deployment web\napp delete ConfigMap old",
    answers: () => {
      requests += 1;
      return answer(200);
    },
  });
  expect([done.result.succeeded, done.isDeleted, requests]).toEqual([false, false, 0]);
});

/** A check before the ConfigMap `new`, and the time of each request and write. */
async function applyGated(checks: readonly DeploymentCheck[], status: number) {
  const fake = fakeCluster();
  const events: string[] = [];
  const cluster: FakeCluster = {
    ...fake,
    apply: (object, ...rest) => {
      events.push(`apply ${object.metadata.name}`);
      return fake.apply(object, ...rest);
    },
    delete: (address, ...rest) => {
      events.push(`delete ${address.name}`);
      return fake.delete(address, ...rest);
    },
  };
  const gate = { key: "core:Check::shop/web", name: "web", stage: "app", after: [] } as const;
  const gates = [{ ...gate, before: ["core:ConfigMap::shop/new"], digest: "1" }];
  const done = await apply(checks, {
    cluster,
    gates,
    plan: "app update ConfigMap free\napp update ConfigMap new after Check web\napp delete ConfigMap old",
    answers: (_, { target }) => {
      events.push(`request ${target.path}`);
      return answer(status);
    },
  });
  return { ...done, events };
}

const last: HttpCheck = {
  ...http,
  name: "last",
  target: { ...http.target, path: "/last" } as never,
};

test("a check that an object waits for runs once, before this object", async () => {
  const { events, result } = await applyGated([last, http], 200);
  const order = ["request /", "apply new", "request /last", "delete old"];
  expect(events.filter((event) => event !== "apply free")).toEqual(order);
  expect(result.succeeded).toBe(true);
});

test("if it fails, the object isn't applied, and neither the other checks nor the deletions follow", async () => {
  const { events, failures, result } = await applyGated([http, last], 503);
  expect(new Set(events)).toEqual(new Set(["apply free", "request /"]));
  expect(failures).toEqual([
    "Check shop/web: not passed after 60 s: status 503 instead of 200 to 299: 503: 1 ms",
  ]);
  expect(result.results.map(({ key, outcome, detail }) => `${key} ${outcome} ${detail}`)).toContain(
    "core:ConfigMap::shop/new not attempted Check shop/web failed",
  );
});

test("a header has the value that the Secret has at that moment", async () => {
  const cluster = fakeCluster();
  const secret = (value: string): KubeObject => ({
    ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "keys", namespace: "shop" } },
    data: { token: btoa(`${value}\n`) },
  });
  cluster.put(secret("first-value"));
  const sent: string[] = [];
  const check: HttpCheck = {
    ...http,
    headers: [
      { name: "X-Token", secret: "keys", key: "token", prefix: "Key " },
      { name: "Accept", value: "text/plain" },
    ],
  };
  const done = await apply([check], {
    cluster,
    answers: (_, { headers }) => {
      sent.push(headers.map(({ value, isSecret }) => `${value} ${isSecret}`).join(", "));
      cluster.put(secret("second-value"));
      return sent.length === 1 ? { type: "unanswered", why: "first-value is old" } : answer(200);
    },
  });
  expect(done.result.succeeded).toBe(true);
  expect(sent).toEqual([
    "Key first-value true, text/plain false",
    "Key second-value true, text/plain false",
  ]);
  const denied = await apply([check], {
    cluster,
    answers: () => ({ type: "unanswered", why: "the server got second-value" }),
  });
  expect(denied.failures).toEqual([
    "Check shop/web: not passed after 60 s: no answer: the server got (hidden)",
  ]);
  const missing = await apply([check]);
  expect(missing.failures).toEqual([
    "Check shop/web: not passed after 60 s: no answer: Secret keys doesn't exist",
  ]);
});

/** Creates a cluster whose Jobs end in the given way, and records the created Jobs. */
function jobCluster(end: (object: KubeObject) => KubeObject, onCreate = () => {}) {
  const fake = fakeCluster();
  const created: string[] = [];
  const cluster: FakeCluster = {
    ...fake,
    create: async (object, how) => {
      created.push(String(object.metadata.name));
      const answered = await fake.create(object, how);
      if (answered.ok) queueMicrotask(() => fake.put(end(answered.value)));
      onCreate();
      return answered;
    },
  };
  return { cluster, created, jobs: () => jobsIn(fake) };
}

async function jobsIn(cluster: FakeCluster): Promise<readonly KubeObject[]> {
  const listed = await cluster.list("batch/v1", "Job", "shop");
  return listed.ok ? listed.value.items : [];
}

const failedJob = (object: KubeObject): KubeObject => ({
  ...object,
  status: { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] },
});

test("a Job that succeeds passes, and isn't run again for the same state", async () => {
  const { cluster, created, jobs } = jobCluster(settledObject);
  const first = await apply([job], { cluster });
  expect([first.result.succeeded, first.isDeleted]).toEqual([true, true]);
  const [made] = await jobs();
  expect(made?.metadata).toMatchObject({
    name: expect.stringMatching(/^shop-smoke-[0-9a-f]{10}$/),
    labels: { "vs.axis-dev.io/deployment": "shop", "vs.axis-dev.io/check": "smoke" },
  });
  expect(made?.spec).toMatchObject({
    backoffLimit: 0,
    activeDeadlineSeconds: 60,
    template: { spec: { restartPolicy: "Never" } },
  });
  const again = await apply([job], { cluster, plan: "app unchanged ConfigMap new" });
  expect([again.result.succeeded, created.length]).toEqual([true, 1]);
});

test("a changed object is another state, and its success deletes the earlier Job", async () => {
  const { cluster, created, jobs } = jobCluster(settledObject);
  await apply([job], { cluster });
  await apply([job], { cluster });
  expect(new Set(created).size).toBe(2);
  expect((await jobs()).map(({ metadata }) => metadata.name)).toEqual([created[1]]);
});

test("a Job that fails keeps the old object, and the next run runs it again", async () => {
  let succeeds = false;
  const { cluster, created } = jobCluster((object) =>
    succeeds ? settledObject(object) : failedJob(object),
  );
  const failed = await apply([job], { cluster });
  expect([failed.result.succeeded, failed.isDeleted]).toEqual([false, false]);
  expect(failed.failures).toEqual([expect.stringContaining("BackoffLimitExceeded")]);
  succeeds = true;
  const again = await apply([job], {
    cluster,
    plan: "app unchanged ConfigMap new\napp delete ConfigMap old",
  });
  expect([again.result.succeeded, again.isDeleted, created.length]).toEqual([true, true, 2]);
  expect(created[1]).toBe(created[0]);
});

test("a Job of an earlier run that stays in deletion fails the check at its timeout", async () => {
  const { cluster, created } = jobCluster(failedJob);
  await apply([job], { cluster });
  const stuck: FakeCluster = {
    ...cluster,
    delete: async (address) => {
      const live = await cluster.read(address);
      if (!live.ok || live.value === undefined) throw new Error("no Job");
      const deletionTimestamp = "2026-03-04T10:00:00Z";
      const metadata = { ...live.value.metadata, deletionTimestamp, finalizers: ["acme/hold"] };
      cluster.put({ ...live.value, metadata });
      return { ok: true, value: undefined };
    },
  };
  const plan = "app unchanged ConfigMap new\napp delete ConfigMap old";
  const done = await apply([job], { cluster: stuck, plan });
  expect([done.result.succeeded, done.seconds, created.length]).toEqual([false, 60, 1]);
  expect(done.failures).toEqual([
    expect.stringContaining("of an earlier run is still being deleted"),
  ]);
  expect(done.failures[0]).toContain("acme/hold");
});

test("a run finds the Job of a killed run and waits for it", async () => {
  const lost = new AbortController();
  const { cluster, created, jobs } = jobCluster(
    (object) => object,
    () => lost.abort(),
  );
  const killed = await apply([job], { cluster, lost: lost.signal });
  expect(killed.result.stopped).toBe("lock lost");
  const [running] = await jobs();
  expect(running?.metadata.name).toBe(created[0]);
  const next = apply([job], {
    cluster,
    plan: "app unchanged ConfigMap new\napp delete ConfigMap old",
  });
  if (running !== undefined) cluster.put(settledObject(running));
  const done = await next;
  expect([done.result.succeeded, done.isDeleted, created.length]).toEqual([true, true, 1]);
});

test("a canceled run deletes its Job", async () => {
  const canceled = new AbortController();
  const { cluster, created, jobs } = jobCluster(
    (object) => object,
    () => canceled.abort(),
  );
  const { result } = await apply([job], { cluster, signal: canceled.signal });
  expect([result.stopped, created.length]).toEqual(["cancelled", 1]);
  expect(await jobs()).toEqual([]);
});

test("a Job that isn't the check's own is neither awaited nor deleted", async () => {
  const { cluster, created, jobs } = jobCluster(failedJob);
  await apply([job], { cluster });
  const [own] = await jobs();
  if (own === undefined) throw new Error("no Job");
  cluster.put({ ...own, metadata: { ...own.metadata, labels: {} } });
  const done = await apply([job], { cluster, plan: "app unchanged ConfigMap new" });
  expect(done.failures).toEqual([
    `Check shop/smoke: Job shop/${created[0]} isn't its Job, although it has the name`,
  ]);
  expect((await jobs()).length).toBe(1);
});
