import { expect, test } from "vitest";
import { applyPlan } from "../../../../src/apply/apply-plan.ts";
import { waitAnnotation } from "../../../../src/model/annotations.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import { isKubeObject, type KubeObject } from "../../../../src/model/object.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import { checkPorts } from "../../../support/check-ports.ts";
import { type FakeCluster, fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { planFrom } from "../../../support/plan/plan-from-text.ts";
import { virtualClock } from "../../../support/virtual-clock.ts";

const never = new AbortController().signal;

const broken: JsonObject = { phase: "Failed", message: "the backend doesn't exist" };

interface Setup {
  /** The status that the controller sets a second after it sees the object. */
  readonly reports?: JsonObject | undefined;
  /** True if discovery lists the subresource `status` (default: true). */
  readonly hasSubresource?: boolean;
  readonly schema?: JsonObject;
  readonly noWatch?: boolean;
  readonly adapt?: (plan: Plan) => Plan;
  readonly timeoutMs?: number;
  readonly noProgressMs?: number;
}

/** Applies a plan and returns the writes and the results, one per line. */
async function run(
  text: string,
  {
    reports,
    hasSubresource = true,
    schema,
    noWatch = false,
    adapt = (plan) => plan,
    timeoutMs = 600_000,
    noProgressMs,
  }: Setup = {},
): Promise<string> {
  const clock = virtualClock();
  const base = fakeCluster();
  const cluster: FakeCluster = {
    ...base,
    kind: async (apiVersion, kind) => {
      const answer = await base.kind(apiVersion, kind);
      return answer.ok
        ? { ok: true, value: { ...answer.value, hasStatus: hasSubresource } }
        : answer;
    },
    schema: async () => ({ ok: true, value: schema }),
    apply: async (object, options) => {
      const answer = await base.apply(object, options);
      if (answer.ok && reports !== undefined && object.kind === "Widget") {
        void clock.sleep(1000).then(() => base.put({ ...answer.value, status: reports }));
      }
      return answer;
    },
    ...(noWatch ? { watch: deniedWatch } : {}),
  };
  const plan = adapt(planFrom(cluster, text));
  const context = { cluster, ...checkPorts, clock, progress: { report: () => {} }, hash: String };
  const result = await applyPlan(
    plan,
    { ...context, signal: never, lost: never },
    { concurrency: 16, timeoutMs, noProgressMs },
  );
  const lines = result.results.map(({ key, outcome, detail }) =>
    [`${key.replace(/^.*:/, "")}: ${outcome}`, detail].filter(Boolean).join(", "),
  );
  return [...cluster.writes, ...lines].join("\n");
}

async function* deniedWatch() {
  yield refused("forbidden", 403, 'User "ci" cannot watch resource "widgets"');
}

function withoutWait(plan: Plan): Plan {
  const changes = plan.changes.map((change) => {
    const metadata = { ...change.desired.metadata, annotations: { [waitAnnotation]: "false" } };
    return { ...change, desired: { ...change.desired, metadata } };
  });
  return { ...plan, changes };
}

const replaced = `
  app create Widget new
  app delete Widget old`;

test("a failure after the write keeps the old object", async () => {
  expect(await run(replaced, { reports: broken })).toMatchInlineSnapshot(`
    "apply Widget shop/new
    shop/new: failed, status.phase is Failed: the backend doesn't exist
    shop/old: not attempted, Widget shop/new failed"
  `);
});

test("a failure after the write stops the dependents", async () => {
  const text = `
    app create Widget new
    app create ConfigMap later after Widget new`;
  expect(await run(text, { reports: broken })).toMatchInlineSnapshot(`
    "apply Widget shop/new
    shop/new: failed, status.phase is Failed: the backend doesn't exist
    shop/later: not attempted, Widget shop/new failed"
  `);
});

test("a failure is also found without the permission to watch", async () => {
  expect(await run(replaced, { reports: broken, noWatch: true })).toBe(
    await run(replaced, { reports: broken }),
  );
});

test("the first status ends the wait", async () => {
  expect(await run(replaced, { reports: { phase: "Ready" } })).toMatchInlineSnapshot(`
    "apply Widget shop/new
    delete Widget shop/old
    shop/new: created
    shop/old: deleted"
  `);
});

test("an object whose controller reports nothing counts as ready in the end", async () => {
  const expected = await run(replaced);
  expect(expected).toMatchInlineSnapshot(`
    "apply Widget shop/new
    delete Widget shop/old
    shop/new: created, its controller reported no status in time
    shop/old: deleted"
  `);
  expect(await run(replaced, { noWatch: true })).toBe(expected);
  expect(await run(replaced, { timeoutMs: 2_000 })).toBe(expected);
  expect(await run(replaced, { noProgressMs: 2_000 })).toBe(expected);
});

test("an object that an earlier run created a moment ago is also awaited", async () => {
  const text = "app unchanged Widget new\napp delete Widget old";
  const created = (creationTimestamp: string) => (plan: Plan) => ({
    ...plan,
    changes: plan.changes.map((change) => {
      if (change.live === undefined) return change;
      const metadata = { ...change.live.metadata, creationTimestamp };
      return { ...change, live: { ...change.live, metadata } };
    }),
  });
  expect(await run(text, { adapt: created("2025-12-31T23:59:45Z") })).toContain(
    "new: unchanged, its controller reported no status in time",
  );
  expect(await run(text, { adapt: created("2025-12-31T23:59:15Z") })).toContain("new: unchanged\n");
});

test("a schema with a status is enough, without the subresource", async () => {
  const schema = { properties: { status: { type: "object" } } };
  expect(await run(replaced, { reports: broken, hasSubresource: false, schema })).toBe(
    await run(replaced, { reports: broken }),
  );
});

test.each<readonly [string, string, Setup]>([
  ["its kind has no status", replaced, { hasSubresource: false, schema: { properties: {} } }],
  ["its annotation accepts that", replaced, { adapt: withoutWait }],
  ["nothing waits for it", "app create Widget new", {}],
  ["it isn't new", "app update Widget old\napp delete ConfigMap former", {}],
])("an object is ready at once if %s", async (_, text, setup) => {
  const written = await run(text, { reports: broken, ...setup });
  expect(written).not.toContain("failed");
  expect(written).not.toContain("status");
});

test("a definition in the same deployment shows whether its kind has a status", async () => {
  const withDefinition = (versions: readonly JsonObject[]) => (plan: Plan) => ({
    ...plan,
    changes: plan.changes.map((change) =>
      change.id.kind === "CustomResourceDefinition"
        ? { ...change, desired: definition(change.desired, versions) }
        : change,
    ),
  });
  const text = `
    appSetup unchanged CustomResourceDefinition widgets.example.com
    ${replaced.trim()}`;
  const ready = await run(text, {
    ...{ reports: broken, hasSubresource: false },
    adapt: withDefinition([{ name: "v1" }]),
  });
  expect(ready).toContain("new: created\n");
  const waiting = await run(text, {
    ...{ reports: broken, hasSubresource: false },
    adapt: withDefinition([{ name: "v1", subresources: { status: {} } }]),
  });
  expect(waiting).toContain("new: failed");
});

function definition(crd: KubeObject, versions: readonly JsonObject[]): KubeObject {
  const spec = { group: "example.com", names: { kind: "Widget" }, versions };
  const object = { ...crd, spec };
  if (!isKubeObject(object)) throw new Error("not an object");
  return object;
}
