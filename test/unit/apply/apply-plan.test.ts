import { describe, expect, it } from "vitest";
import { applyPlan } from "../../../src/apply/apply-plan.ts";
import type { ApplyContext } from "../../../src/apply/run.ts";
import type { ApplyResult } from "../../../src/apply/summarize-run.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import type { Change, Plan } from "../../../src/model/plan/plan.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { checkPorts } from "../../support/check-ports.ts";
import { type FakeCluster, fakeCluster, refused } from "../../support/fake-cluster.ts";
import { brokenPod, planFrom, settledObject } from "../../support/plan/plan-from-text.ts";
import { virtualClock } from "../../support/virtual-clock.ts";

const never = new AbortController().signal;

function apply(
  cluster: FakeCluster,
  plan: Plan,
  {
    signal = never,
    lost = never,
    superseded = never,
    concurrency = 16,
    noProgressMs,
    clock = virtualClock(),
    progress = { report: () => {} },
  }: Partial<Pick<ApplyContext, "signal" | "lost" | "superseded" | "clock" | "progress">> & {
    readonly concurrency?: number;
    readonly noProgressMs?: number;
  } = {},
): Promise<ApplyResult> {
  const world = { cluster, ...checkPorts, clock, progress, signal, lost, superseded };
  return applyPlan(plan, world, { concurrency, timeoutMs: 600_000, noProgressMs });
}

/** Settles all objects immediately, except those with these names. */
function settlingExcept(...names: readonly string[]) {
  return (object: KubeObject) => {
    const name = String(object.metadata.name);
    return names.includes(name) ? [{ ...object, status: {} }] : [settledObject(object)];
  };
}

/** Returns a Deployment that has exceeded its deadline, because its only Pod can't start. */
function stuckDeployment(): KubeObject {
  const condition = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop", generation: 1 },
    spec: { replicas: 1, selector: { matchLabels: { app: "web" } } },
    status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, conditions: [condition] },
  };
}

/** Lets time stand still: only events end a sleep. */
const slowly: Clock["sleep"] = (_, signal) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });

function outcomes(result: ApplyResult): string {
  return result.results
    .map(({ key, outcome, detail }) => `${key}: ${outcome}${detail === "" ? "" : ` (${detail})`}`)
    .join("\n");
}

/** Applies a plan on a clock that only sleeps advance. Returns the requests with their times. */
async function timedApply(
  plan: string,
  adapt: (change: Change) => Change,
): Promise<{ readonly requests: readonly string[] }> {
  const cluster = fakeCluster([], settlingExcept());
  const planned = planFrom(cluster, plan);
  const clock = virtualClock();
  const start = clock.now().getTime();
  const requests: string[] = [];
  const timed: FakeCluster = {
    ...cluster,
    apply: async (object, options) => {
      const seconds = (clock.now().getTime() - start) / 1000;
      const what = `${object.kind} ${object.metadata.name}`;
      requests.push(`${options.dryRun ? "ask" : "apply"} ${what} after ${seconds} s`);
      return cluster.apply(object, options);
    },
  };
  await apply(timed, { ...planned, changes: planned.changes.map(adapt) }, { clock });
  return { requests };
}

function text(block: string): string {
  return block.replace(/^\s+/gm, "").trim();
}

it("sends a dry-run of a custom resource before the write if this run changes its CustomResourceDefinition", async () => {
  const { requests } = await timedApply(
    `app update CustomResourceDefinition widgets
     app update Widget a after CustomResourceDefinition widgets`,
    (change) => ({ ...change, predicted: change.desired }),
  );
  expect(requests).toEqual([
    "apply CustomResourceDefinition widgets after 0 s",
    "ask Widget a after 1 s",
    "apply Widget a after 1 s",
  ]);
});

it("lets a changed ServiceAccount reach the API server's caches before its Pods are created", async () => {
  const { requests } = await timedApply(
    `app update ServiceAccount runner
     app update ConfigMap settings
     app create Job runner after ServiceAccount runner
     app create Job other after ConfigMap settings`,
    (change) =>
      change.id.kind === "ServiceAccount"
        ? { ...change, desired: { ...change.desired, automountServiceAccountToken: false } }
        : change,
  );
  expect(requests).toEqual([
    "apply ServiceAccount runner after 0 s",
    "apply ConfigMap settings after 0 s",
    "apply Job other after 0 s",
    "apply Job runner after 1 s",
  ]);
});

describe("the order of writes", () => {
  const cases = [
    {
      name: "a ConfigMap with a new name is created before the Deployment that reads it, and the old one is deleted last",
      plan: `
        app create ConfigMap new
        app update Deployment web after ConfigMap new
        app delete ConfigMap old`,
      writes: `
        apply ConfigMap shop/new
        apply Deployment shop/web
        delete ConfigMap shop/old`,
    },
    {
      name: "the application waits for all of its setup, also without an edge",
      plan: `
        appSetup create Job migrate
        appSetup create ConfigMap a after Job migrate
        app create Service web`,
      writes: `
        apply Job shop/migrate
        apply ConfigMap shop/a
        apply Service shop/web`,
    },
    {
      name: "dependents are deleted first, and the application before its setup",
      plan: `
        appSetup delete Secret base
        app delete ConfigMap c
        app delete Deployment web
        app delete ConfigMap b after Deployment web
        app delete ConfigMap a after ConfigMap b`,
      writes: `
        delete Deployment shop/web
        delete ConfigMap shop/c
        delete ConfigMap shop/b
        delete ConfigMap shop/a
        delete Secret shop/base`,
    },
    {
      name: "unchanged objects aren't written",
      plan: `
        appSetup unchanged ConfigMap a
        app unchanged Deployment web after ConfigMap a`,
      writes: "",
    },
  ];
  it.each(cases)("$name", async ({ plan, writes }) => {
    const cluster = fakeCluster([], settlingExcept());
    const result = await apply(cluster, planFrom(cluster, plan));
    expect(cluster.writes.join("\n")).toBe(text(writes));
    expect(result).toMatchObject({ succeeded: true, failures: [], stopped: undefined });
  });

  it("a Deployment is written only after the Job before it has completed", async () => {
    const states: string[] = [];
    const cluster = fakeCluster([], settlingExcept());
    cluster.onWrite((write) => {
      if (write.startsWith("apply Deployment")) {
        states.push(JSON.stringify(cluster.get("batch:Job::shop/migrate")?.status));
      }
    });
    const plan = planFrom(
      cluster,
      `app create Job migrate
       app create Deployment web after Job migrate`,
    );
    await apply(cluster, plan);
    expect(states).toEqual([`{"conditions":[{"type":"Complete","status":"True"}]}`]);
  });

  it("objects of one kind and namespace share one watch", async () => {
    const cluster = fakeCluster([], settlingExcept());
    const plan = planFrom(
      cluster,
      `app create Job a
       app create Job b
       app create Job c`,
    );
    await apply(cluster, plan);
    expect(cluster.watches).toEqual(["batch/v1 Job shop"]);
  });

  it.each([
    {
      secret: "update",
      does: "changes",
      verdict: "given time",
      expected: "apps:Deployment::shop/web: unchanged",
    },
    {
      secret: "unchanged",
      does: "stays",
      verdict: "given up",
      expected: "apps:Deployment::shop/web: failed (ProgressDeadlineExceeded (new 1/1, 0 ready))",
    },
  ])("a blocked Deployment is $verdict if its Secret $does", async ({ secret, expected }) => {
    const cluster = fakeCluster([], settlingExcept());
    const stuck = stuckDeployment();
    cluster.put(stuck);
    cluster.onWrite(() => void cluster.put(settledObject(stuck)));
    const plan = planFrom(
      cluster,
      `app ${secret} Secret login
       app unchanged Deployment web after Secret login`,
    );
    expect(outcomes(await apply(cluster, plan)).split("\n")[1]).toBe(expected);
    expect(cluster.watches.length > 0).toBe(secret === "update");
  });

  it.each([
    ["create", "qvs-shop-app", "", "created"],
    ["create", "kube-controller-manager", "status", "created"],
    ["create", "flux", "", "created (flux created it after the plan was made; it is now shared)"],
    ["replace", "flux", "", "replaced (flux created it after the plan was made; it is now shared)"],
  ])(
    "%s, and %s is named as owner (subresource %j): %s",
    async (action, manager, subresource, told) => {
      const cluster = fakeCluster();
      const plan = planFrom(cluster, `app ${action} ConfigMap a`);
      const owner = { manager, subresource, operation: "Update", fieldsV1: {} };
      const joining: FakeCluster = {
        ...cluster,
        async apply(object, options) {
          const managedFields = [owner];
          return cluster.apply(
            { ...object, metadata: { ...object.metadata, managedFields } },
            options,
          );
        },
      };
      expect(outcomes(await apply(joining, plan))).toBe(`core:ConfigMap::shop/a: ${told}`);
    },
  );

  it("all objects are written, at most as many at once as the concurrency allows", async () => {
    const cluster = fakeCluster();
    let most = 0;
    let running = 0;
    const counting: FakeCluster = {
      ...cluster,
      async apply(object, options) {
        most = Math.max(most, ++running);
        const answer = await cluster.apply(object, options);
        running -= 1;
        return answer;
      },
    };
    const lines = Array.from({ length: 20 }, (_, index) => `app create ConfigMap c${index}`);
    await apply(counting, planFrom(counting, lines.join("\n")), { concurrency: 3 });
    expect(most).toBe(3);
    expect(cluster.writes).toHaveLength(20);
  });

  it("a plan with an object before its dependency is a bug", async () => {
    const cluster = fakeCluster([], settlingExcept());
    const plan = planFrom(
      cluster,
      `app create ConfigMap a after ConfigMap b
       app create ConfigMap b`,
    );
    await expect(apply(cluster, plan)).rejects.toThrow(/lists core:ConfigMap::shop\/a before/);
    expect(cluster.writes).toEqual([]);
  });
});

describe("an object fails", () => {
  it("a Deployment that never becomes ready keeps all old objects", async () => {
    const cluster = fakeCluster([], settlingExcept("web"));
    const plan = planFrom(
      cluster,
      `app create ConfigMap new
       app update Deployment web after ConfigMap new
       app update Service web after Deployment web
       app delete ConfigMap old`,
    );
    cluster.put(brokenPod());
    const result = await apply(cluster, plan);
    expect(cluster.writes.join("\n")).toBe(
      text(`apply ConfigMap shop/new
            apply Deployment shop/web`),
    );
    const why =
      "not ready after 600 s: its controller hasn't observed it yet; Pod web-1: container web: ImagePullBackOff: not found";
    expect(outcomes(result)).toBe(
      text(`core:ConfigMap::shop/new: created
            apps:Deployment::shop/web: failed (${why})
            core:Service::shop/web: not attempted (Deployment shop/web failed)
            core:ConfigMap::shop/old: not attempted (Deployment shop/web failed)`),
    );
    expect(result.succeeded).toBe(false);
    expect(result.stillServing).toEqual([
      "Deployment shop/web: 0/1 available, not serving",
      "not updated, same as before: Service shop/web",
      "not deleted: ConfigMap shop/old",
    ]);
  });

  it("a Deployment without progress fails before the timeout", async () => {
    const cluster = fakeCluster([], settlingExcept("web"));
    const plan = planFrom(cluster, "app create ConfigMap new\napp update Deployment web");
    cluster.put(brokenPod());
    const result = await apply(cluster, plan, { noProgressMs: 60_000 });
    const why =
      "no progress for 60 s: its controller hasn't observed it yet; Pod web-1: container web: ImagePullBackOff: not found";
    expect(outcomes(result)).toBe(
      text(`core:ConfigMap::shop/new: created
            apps:Deployment::shop/web: failed (${why})`),
    );
  });

  it("a deletion without progress fails before the timeout", async () => {
    const cluster = fakeCluster();
    const blocked = planFrom(cluster, "app delete Secret held").deletions[0]?.live;
    if (blocked === undefined) throw new Error("no object");
    cluster.put({
      ...blocked,
      metadata: { ...blocked.metadata, finalizers: ["acme.example/guard"] },
    });
    const plan = planFrom(cluster, "app delete Secret held");
    expect(outcomes(await apply(cluster, plan, { noProgressMs: 90_000 }))).toBe(
      "core:Secret::shop/held: failed (no progress of its deletion for 90 s: it waits for the finalizers acme.example/guard)",
    );
  });

  it("a rejected object of appSetup prevents the deployment of app", async () => {
    const cluster = fakeCluster();
    const plan = planFrom(
      cluster,
      `appSetup create ConfigMap a
       app create ConfigMap b
       app delete ConfigMap old`,
    );
    const { failure } = refused("invalid", 422, "ConfigMap is invalid", [
      { reason: "FieldValueInvalid", field: "data", message: "too long" },
    ]);
    cluster.refuse("ConfigMap shop/a", failure);
    const result = await apply(cluster, plan);
    expect(cluster.writes).toEqual(["apply ConfigMap shop/a"]);
    expect(outcomes(result)).toBe(
      text(`core:ConfigMap::shop/a: failed (the API server rejected it as invalid: data: too long)
            core:ConfigMap::shop/b: not attempted (ConfigMap shop/a failed)
            core:ConfigMap::shop/old: not attempted (ConfigMap shop/a failed)`),
    );
  });

  it("a waiting object isn't sent after another one was rejected", async () => {
    const cluster = fakeCluster();
    const plan = planFrom(
      cluster,
      `app create ConfigMap a
       app create ConfigMap b
       app create ConfigMap c`,
    );
    cluster.refuse("ConfigMap shop/a", refused("invalid", 422, "no").failure);
    await apply(cluster, plan, { concurrency: 1 });
    expect(cluster.writes).toEqual(["apply ConfigMap shop/a"]);
  });

  it("an unchanged object that is not ready fails the deployment like any other", async () => {
    const cluster = fakeCluster();
    const plan = planFrom(
      cluster,
      `app unchanged Deployment web
       app delete ConfigMap old`,
    );
    const broken = plan.changes.map((c) => ({
      ...c,
      live: { ...(c.live ?? c.desired), status: {} },
    }));
    const live = cluster.get("apps:Deployment::shop/web");
    cluster.put({ ...(live ?? brokenPod()), status: {} });
    const result = await apply(cluster, { ...plan, changes: broken });
    expect(result.results.map((r) => r.outcome)).toEqual(["failed", "not attempted"]);
    expect(cluster.writes).toEqual([]);
  });

  it("a deletion that a finalizer blocks names the finalizer, and its dependencies stay", async () => {
    const cluster = fakeCluster();
    const blocked = planFrom(cluster, "app delete Secret held").deletions[0]?.live;
    if (blocked === undefined) throw new Error("no object");
    cluster.put({
      ...blocked,
      metadata: { ...blocked.metadata, finalizers: ["acme.example/guard"] },
    });
    const plan = planFrom(
      cluster,
      `app delete Secret held
       app delete ConfigMap base after Secret held`,
    );
    const result = await apply(cluster, plan);
    expect(cluster.writes).toEqual(["delete Secret shop/held"]);
    expect(outcomes(result)).toBe(
      text(`core:Secret::shop/held: failed (not deleted after 600 s: it waits for the finalizers acme.example/guard)
            core:ConfigMap::shop/base: not attempted (Secret shop/held failed)`),
    );
  });

  it("a deletion that waits for dependent objects reports them", async () => {
    const cluster = fakeCluster();
    const owner = planFrom(cluster, "app delete Secret owner").deletions[0]?.live;
    if (owner === undefined) throw new Error("no object");
    cluster.put({ ...owner, metadata: { ...owner.metadata, finalizers: ["foregroundDeletion"] } });
    const result = await apply(cluster, planFrom(cluster, "app delete Secret owner"));
    expect(outcomes(result)).toBe(
      "core:Secret::shop/owner: failed (not deleted after 600 s: its dependent objects are still being deleted)",
    );
  });

  it("an object that was replaced after the plan was made is not deleted", async () => {
    const cluster = fakeCluster();
    const plan = planFrom(cluster, "app delete ConfigMap old");
    const address = { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "old" };
    cluster.remove(address);
    cluster.put({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "old", namespace: "shop" },
    });
    const result = await apply(cluster, plan);
    expect(outcomes(result)).toBe(
      "core:ConfigMap::shop/old: kept (another object took its name after the plan was made; qvs doesn't delete it)",
    );
    expect(cluster.get("core:ConfigMap::shop/old")).toBeDefined();
  });
});

describe("the run ends early", () => {
  const plan = `
    app create ConfigMap a
    app create ConfigMap b after ConfigMap a
    app delete ConfigMap old`;

  const cases = [
    { name: "cancelled", stopped: "cancelled", why: "the run was canceled" },
    { name: "superseded", stopped: "superseded", why: "a newer run took over" },
    {
      name: "its lease is lost",
      stopped: "lock lost",
      why: "this run lost its deployment lock, and another run might be deploying",
    },
  ] as const;
  it.each(cases)("$name: running requests are completed and no others are sent", async (end) => {
    const cluster = fakeCluster();
    const switchOff = new AbortController();
    cluster.onWrite(() => switchOff.abort());
    const signals = {
      cancelled: { signal: switchOff.signal },
      superseded: { superseded: switchOff.signal },
      "lock lost": { lost: switchOff.signal },
    }[end.stopped];
    const result = await apply(cluster, planFrom(cluster, plan), signals);
    expect(cluster.writes).toEqual(["apply ConfigMap shop/a"]);
    expect(outcomes(result)).toBe(
      text(`core:ConfigMap::shop/a: created
            core:ConfigMap::shop/b: not attempted (${end.why})
            core:ConfigMap::shop/old: not attempted (${end.why})`),
    );
    expect(result).toMatchObject({ succeeded: false, stopped: end.stopped, failures: [] });
  });

  it("an object that isn't ready yet is reported as written but not confirmed", async () => {
    const cluster = fakeCluster();
    const cancel = new AbortController();
    const running = apply(cluster, planFrom(cluster, "app create Job migrate"), {
      signal: cancel.signal,
    });
    cluster.onWrite(() => setImmediate(() => cancel.abort()));
    expect(outcomes(await running)).toBe(
      "batch:Job::shop/migrate: created (not confirmed as ready: 0/1 completed)",
    );
  });

  it("a blocked rollout yields to a newer run immediately", async () => {
    const cluster = fakeCluster([], settlingExcept("web"));
    const newer = new AbortController();
    cluster.onWrite((write) => {
      if (write.endsWith("/web")) setImmediate(() => newer.abort());
    });
    const plan = planFrom(
      cluster,
      `app create ConfigMap a
       app update Deployment web after ConfigMap a
       app create Service last after Deployment web
       app delete ConfigMap old`,
    );
    const result = await apply(cluster, plan, { superseded: newer.signal });
    expect(outcomes(result)).toBe(
      text(`core:ConfigMap::shop/a: created
            apps:Deployment::shop/web: updated (not confirmed as ready: its controller hasn't observed the change yet)
            core:Service::shop/last: not attempted (a newer run took over)
            core:ConfigMap::shop/old: not attempted (a newer run took over)`),
    );
    expect(result).toMatchObject({ succeeded: false, stopped: "superseded", failures: [] });
  });

  it.each([
    ["superseded", "it is completed first", "created"],
    ["signal", "it is left at once", "created (not confirmed as ready: 0/1 completed, 1 active)"],
  ] as const)("a running Job, if the run is ended by %s: %s", async (how, _, end) => {
    const job = (status: object) => (object: KubeObject) =>
      ({ ...object, status: { ...status } }) as KubeObject;
    const running = job({ active: 1, ready: 1 });
    const done = job({ succeeded: 1, conditions: [{ type: "Complete", status: "True" }] });
    const cluster = fakeCluster([], (object) => [running(object)]);
    const ending = new AbortController();
    const progress: ApplyContext["progress"] = {
      report: (event) => {
        if (event.type === "waiting" && event.why.includes("active")) ending.abort();
      },
    };
    ending.signal.addEventListener("abort", () => {
      setTimeout(() => {
        const live = cluster.get("batch:Job::shop/migrate");
        if (live !== undefined) cluster.put(done(live));
      }, 5);
    });
    const plan = planFrom(cluster, "app create Job migrate");
    const clock = { now: () => new Date(), elapsed: () => performance.now(), sleep: slowly };
    const result = await apply(cluster, plan, { [how]: ending.signal, clock, progress });
    expect(outcomes(result)).toBe(`batch:Job::shop/migrate: ${end}`);
  });

  it("a deleted object is recreated before the run yields to a newer one", async () => {
    const cluster = fakeCluster([], settlingExcept());
    const newer = new AbortController();
    cluster.onWrite((write) => {
      if (write.startsWith("delete")) newer.abort();
    });
    const plan = planFrom(
      cluster,
      `app replace Deployment web
       app create ConfigMap last after Deployment web`,
    );
    await apply(cluster, plan, { superseded: newer.signal });
    expect(cluster.writes).toEqual(["delete Deployment shop/web", "apply Deployment shop/web"]);
  });

  it("an object isn't deleted for recreation after a newer run has asked", async () => {
    const cluster = fakeCluster([], settlingExcept());
    const newer = new AbortController();
    cluster.onWrite(() => newer.abort());
    const plan = planFrom(
      cluster,
      `app create ConfigMap first
       app replace Deployment web after ConfigMap first`,
    );
    await apply(cluster, plan, { superseded: newer.signal });
    expect(cluster.writes).toEqual(["apply ConfigMap shop/first"]);
  });

  it("an object that is only awaited isn't reported as changed", async () => {
    const cluster = fakeCluster([], settlingExcept("new"));
    const plan = planFrom(
      cluster,
      `app unchanged Deployment web
       app create Deployment new`,
    );
    const live = cluster.get("apps:Deployment::shop/web");
    if (live === undefined) throw new Error("it is not there");
    const unready = { ...live, status: {} };
    cluster.put(unready);
    const changes = plan.changes.map((change) =>
      change.action === "unchanged" ? { ...change, live: unready } : change,
    );
    const cancel = new AbortController();
    cluster.onWrite(() => setImmediate(() => cancel.abort()));
    const clock = { ...virtualClock(), sleep: slowly };
    const result = await apply(cluster, { ...plan, changes }, { signal: cancel.signal, clock });
    expect(result.stillServing.slice(2)).toEqual([
      "changed, but not confirmed as ready: Deployment shop/new",
      "unchanged, and not ready: Deployment shop/web",
    ]);
  });

  it("a run that is canceled during the last step succeeds", async () => {
    const cluster = fakeCluster();
    const cancel = new AbortController();
    cluster.onWrite(() => cancel.abort());
    const plan = planFrom(cluster, "app create ConfigMap a");
    const result = await apply(cluster, plan, { signal: cancel.signal });
    expect(result).toMatchObject({ succeeded: true, stopped: undefined });
  });
});

describe("a paused rollout", () => {
  it("keeps objects that its old Pods might still use until the next run", async () => {
    const cluster = fakeCluster([], (object) => [{ ...object, status: {} }]);
    const plan = planFrom(
      cluster,
      `app update Deployment web
       app delete ConfigMap old`,
    );
    const paused = plan.changes.map((c) => ({
      ...c,
      desired: { ...c.desired, spec: { paused: true } },
    }));
    const result = await apply(cluster, { ...plan, changes: paused });
    expect(result.succeeded).toBe(true);
    expect(outcomes(result)).toBe(
      text(`apps:Deployment::shop/web: updated (paused by spec.paused)
            core:ConfigMap::shop/old: kept (for now: Deployment shop/web is held back, and its old Pods might still use it)`),
    );
  });
});

describe("a custom object that its status reports as suspended", () => {
  it("keeps objects that it might still use", async () => {
    const suspended = { status: { phase: "Suspended" } };
    const cluster = fakeCluster([], (object) => [
      object.kind === "Widget" ? { ...object, ...suspended } : object,
    ]);
    const plan = planFrom(
      cluster,
      `app create Widget new
       app delete ConfigMap old`,
    );
    const changes = plan.changes.map((change) => ({
      ...change,
      desired: { ...change.desired, ...suspended },
    }));
    expect(outcomes(await apply(cluster, { ...plan, changes }))).toBe(
      text(`example.com:Widget::shop/new: created (status.phase is Suspended)
            core:ConfigMap::shop/old: kept (for now: Widget shop/new is suspended, and might still use it)`),
    );
  });
});

describe("a dependency outside the deployment", () => {
  function planWith(cluster: FakeCluster): Plan {
    const outsider = planFrom(cluster, "app unchanged Job theirs").changes[0];
    if (outsider?.live === undefined) throw new Error("no object");
    const { key, id, live } = outsider;
    const plan = planFrom(cluster, "app create ConfigMap ours after Job theirs");
    return { ...plan, awaited: [{ key, id, live: { ...live, status: {} } }] };
  }

  it("is awaited and never written", async () => {
    const cluster = fakeCluster();
    const result = await apply(cluster, planWith(cluster));
    expect(result.succeeded).toBe(true);
    expect(cluster.writes).toEqual(["apply ConfigMap shop/ours"]);
  });

  it("fails the deployment before anything that needs it is written", async () => {
    const cluster = fakeCluster();
    const plan = planWith(cluster);
    const theirs = cluster.get("batch:Job::shop/theirs");
    if (theirs !== undefined) cluster.put({ ...theirs, status: {} });
    const result = await apply(cluster, plan);
    expect(cluster.writes).toEqual([]);
    expect(result.failures.map((failure) => failure.name)).toEqual(["Job shop/theirs"]);
    expect(outcomes(result)).toBe(
      "core:ConfigMap::shop/ours: not attempted (Job shop/theirs failed)",
    );
  });
});

describe("a reference to the live value of another resource", () => {
  function planWithReference(cluster: FakeCluster): Plan {
    const plan = planFrom(
      cluster,
      `app create Service web
       app create ConfigMap a after Service web`,
    );
    const late = {
      path: ["data", "url"],
      pieces: [
        "http://",
        {
          on: "core:Service::shop/web",
          path: ["status", "loadBalancer", "ingress", 0, "ip"],
          text: "service-web.status.loadBalancer.ingress[0].ip",
          secret: false,
        },
        "/",
      ],
      base64: false,
      awaits: "core:Service::shop/web",
      secretValues: { declared: [], live: [] },
    };
    const data = { url: "http://(known after deploy)/" };
    const [service, config] = plan.changes;
    if (service === undefined || config === undefined) throw new Error("no changes");
    const desired = { ...config.desired, data };
    return { ...plan, changes: [service, { ...config, desired, applyTimeReferences: [late] }] };
  }

  it("is awaited and replaced by its value", async () => {
    const cluster = fakeCluster([], (object) => [
      { ...object, status: { loadBalancer: { ingress: [{ ip: "192.0.2.7" }] } } },
    ]);
    const result = await apply(cluster, planWithReference(cluster));
    expect(result.succeeded).toBe(true);
    expect(cluster.get("core:ConfigMap::shop/a")?.data).toEqual({ url: "http://192.0.2.7/" });
  });

  it("is resolved again if the other object is unchanged, and updates an unchanged object", async () => {
    const cluster = fakeCluster();
    const planned = planWithReference(cluster);
    const service = planFrom(cluster, "app unchanged Service web").changes[0];
    const config = planFrom(cluster, "app unchanged ConfigMap a after Service web").changes[0];
    const late = planned.changes[1]?.applyTimeReferences?.map((text) => ({
      ...text,
      awaits: undefined,
    }));
    if (service?.live === undefined || config === undefined || late === undefined)
      throw new Error();
    const desired = { ...config.desired, data: { url: "http://192.0.2.1/" } };
    const at = (ip: string) => ({ status: { loadBalancer: { ingress: [{ ip }] } } });
    cluster.put({ ...service.live, ...at("192.0.2.9") });
    const before = { ...service, live: { ...service.live, ...at("192.0.2.1") } };
    const plan: Plan = {
      ...planned,
      changes: [before, { ...config, desired, applyTimeReferences: late }],
    };
    const result = await apply(cluster, plan);
    expect(outcomes(result)).toBe(
      "core:Service::shop/web: unchanged\ncore:ConfigMap::shop/a: updated",
    );
    expect(cluster.get("core:ConfigMap::shop/a")?.data).toEqual({ url: "http://192.0.2.9/" });
  });

  it("fails the object with it if the value is an object instead of a string", async () => {
    const cluster = fakeCluster([], (object) => [
      { ...object, status: { loadBalancer: { ingress: [{ ip: { v4: "192.0.2.7" } }] } } },
    ]);
    const result = await apply(cluster, planWithReference(cluster));
    expect(result.results[0]?.detail).toBe(
      "service-web.status.loadBalancer.ingress[0].ip is an object, but ConfigMap shop/a needs a string",
    );
    expect(cluster.writes).toEqual(["apply Service shop/web"]);
  });

  it("fails the object with it if the other object is paused", async () => {
    const cluster = fakeCluster([], settlingExcept());
    const planned = planWithReference(cluster);
    const rollout = planFrom(cluster, "app create Deployment web").changes[0];
    const config = planned.changes[1];
    const [text] = config?.applyTimeReferences ?? [];
    if (rollout === undefined || config === undefined || text === undefined) throw new Error();
    const blocked = { ...rollout, desired: { ...rollout.desired, spec: { paused: true } } };
    const pieces = text.pieces.map((piece) =>
      typeof piece === "string" ? piece : { ...piece, on: rollout.key },
    );
    const after = [{ on: rollout.key, reason: "the test says so" }];
    const needing = { ...config, after, applyTimeReferences: [{ ...text, pieces }] };
    const result = await apply(cluster, { ...planned, changes: [blocked, needing] });
    expect(result.failures.map(({ name, what }) => `${name}: ${what}`)).toEqual([
      "ConfigMap shop/a: service-web.status.loadBalancer.ingress[0].ip has no value",
    ]);
  });

  it("fails the other object by name if the value never exists", async () => {
    const cluster = fakeCluster();
    const result = await apply(cluster, planWithReference(cluster));
    expect(result.failures[0]?.name).toBe("Service shop/web");
    expect(result.results[0]?.detail).toBe(
      "not ready after 600 s: no value for service-web.status.loadBalancer.ingress[0].ip yet, which ConfigMap shop/a needs",
    );
  });
});

it("a rejected watch fails the objects that wait for it, with the reason", async () => {
  const cluster = fakeCluster();
  const blind: FakeCluster = {
    ...cluster,
    async *watch() {
      yield refused("forbidden", 403, 'User "ci" cannot watch resource "jobs"');
    },
  };
  const result = await apply(blind, planFrom(blind, "app create Job migrate"));
  expect(result.failures[0]).toMatchObject({
    detail: `it can't be watched: User "ci" cannot watch resource "jobs"`,
    fix: "Allow watch on jobs to this identity, in a Role or ClusterRole that is bound to it",
  });
});

it("a stalled watch is detected before an object is reported as not ready", async () => {
  const cluster = fakeCluster([], settlingExcept());
  const deaf: FakeCluster = {
    ...cluster,
    async *watch(apiVersion, kind, namespace, signal) {
      for await (const event of cluster.watch(apiVersion, kind, namespace, signal)) {
        yield event;
        return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      }
    },
  };
  const result = await apply(deaf, planFrom(deaf, "app create Job migrate"));
  expect(result.succeeded).toBe(true);
});
