import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type {
  DeploymentCheck,
  PassedCheck,
} from "../../../src/model/deployments/deployment-checks.ts";
import type { Release } from "../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import { canonicalOperations, digestOperations } from "../../../src/plan/digest.ts";
import { currentIfUnchanged } from "../../../src/releases/current-release.ts";
import { decodeReleases } from "../../../src/releases/decode.ts";
import { encodeRelease } from "../../../src/releases/encode.ts";
import { finishRelease } from "../../../src/releases/record.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";
import { planFrom } from "../../support/plan/plan-from-text.ts";
import { release } from "../../support/plan/release-from.ts";

const timing = { intervalMs: 1000, holdMs: 0, timeoutMs: 60_000 };
const http: DeploymentCheck = {
  ...{ type: "http", name: "web", status: [200], ...timing },
  target: { type: "service", service: "web", port: "80", scheme: "http", path: "/" },
  headers: [
    { name: "X-Token", secret: "keys", key: "token", prefix: "Key " },
    { name: "Accept", value: "text/plain" },
  ],
};
const checks: readonly DeploymentCheck[] = [
  http,
  {
    ...{ type: "prometheus", name: "errors", query: "up", min: 0.5, headers: [], ...timing },
    target: { type: "address", url: "https://metrics.acme.example/" },
  },
  { type: "job", name: "smoke", timeoutMs: 60_000, spec: { template: { spec: {} } } },
];

const passed: PassedCheck = {
  ...{ name: "web", type: "http", at: "2026-03-04T10:00:00.000Z", attempts: 2 },
  evidence: [{ label: "status", value: "200" }],
};

/** Returns the recorded release, or undefined if the record is unreadable. */
function recorded(written: unknown, passedChecks?: unknown): Release | undefined {
  const encoding = {
    namespace: "shop",
    compress: (text: string) => new Uint8Array(gzipSync(text)),
  };
  const content = { ...release(2, "pending", { names: ["a"] }), checks: written };
  const whole = { ...content, passedChecks } as Release;
  const decoded = decodeReleases("shop", encodeRelease(whole, encoding), (bytes) =>
    gunzipSync(bytes).toString(),
  );
  return decoded.ok ? decoded.value.releases[0] : undefined;
}

test("a record returns its checks, with references to Secrets", () => {
  expect(recorded(checks)?.checks).toEqual(checks);
  expect(recorded(undefined)?.checks).toBeUndefined();
});

test("the state of a record contains the checks that passed", () => {
  expect(recorded(checks, [passed])?.passedChecks).toEqual([passed]);
  expect(recorded(checks)?.passedChecks).toBeUndefined();
  const plan = planFrom(fakeCluster(), "app create ConfigMap a");
  const end = { succeeded: true, results: [], finishedAt: "2026-03-04T10:00:00Z" };
  const pending = release(1, "pending", { names: ["a"] });
  expect(finishRelease(pending, plan, { ...end, passedChecks: [passed] })).toMatchObject({
    passedChecks: [passed],
  });
  expect(finishRelease(pending, plan, end)).not.toHaveProperty("passedChecks");
});

test.each([
  ["another kind", { type: "exec", name: "a" }],
  ["a name that is a path", { ...http, name: "../a" }],
  ["a Service that is a path", { ...http, target: { ...http.target, service: "a/../b" } }],
  ["a port that is a path", { ...http, target: { ...http.target, port: "80/../.." } }],
  ["a Secret that is a path", { ...http, headers: [{ name: "A", secret: "../x", key: "k" }] }],
  ["no interval", { ...http, intervalMs: 0 }],
  [
    "a header with a value and a Secret",
    { ...http, headers: [{ ...http.headers[0], value: "x" }] },
  ],
])("a forged record with %s is unreadable", (_, check) => {
  expect(recorded([check])).toBeUndefined();
});

test("a release with other checks isn't the current one", () => {
  const newest = { ...release(1, "succeeded", { names: ["a"] }), checks };
  const [entry] = newest.inventory;
  const [manifest] = newest.expandedConfig;
  if (entry === undefined || manifest === undefined) throw new Error("it declares one");
  const { id, stage, after } = entry;
  const change = { key: "core:ConfigMap::shop/a", id, stage, after, action: "unchanged" };
  const plan = (own: readonly DeploymentCheck[]) =>
    ({
      ...{ changes: [{ ...change, desired: manifest.object }], deletions: [], kept: [] },
      checks: own,
    }) as unknown as Plan;
  const current = (own: readonly DeploymentCheck[]) =>
    currentIfUnchanged(
      {
        plan: plan(own),
        expandedConfig: newest.expandedConfig,
        source: { commit: "newer", actor: undefined, run: undefined },
      },
      createReleaseHistory([newest]),
    )?.revision;
  expect(current(checks)).toBe(1);
  expect(current(checks.slice(1))).toBeUndefined();
  expect(current([])).toBeUndefined();
});

test("the digest of a plan and of each operation contains the checks, but no hidden string", () => {
  const { changes, deletions } = planFrom(fakeCluster(), "app create ConfigMap a");
  const text = (own: readonly DeploymentCheck[], hides: readonly string[] = []) =>
    canonicalOperations("shop", changes, deletions, { checks: own, hides });
  expect(text(checks)).toContain('"query":"up"');
  expect(text([])).toBe(canonicalOperations("shop", changes, deletions));
  expect(text([{ ...http, contains: "hunter2hunter2" }], ["hunter2hunter2"])).not.toContain(
    "hunter2",
  );
  const digests = (own: readonly DeploymentCheck[]) =>
    digestOperations("shop", changes, deletions, { hash: (each) => each, checks: own });
  expect(digests(checks)).not.toEqual(digests([http]));
  const gate = { key: "core:Check::shop/web", name: "web", stage: "app", after: [] } as const;
  const gates = [{ ...gate, before: ["core:ConfigMap::shop/a"], digest: "1" }];
  expect(canonicalOperations("shop", changes, deletions, { checks, gates })).not.toBe(text(checks));
  expect(digests([])).toEqual(
    digestOperations("shop", changes, deletions, { hash: (each) => each }),
  );
});
