import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { applyPlan } from "../../../../src/apply/apply-plan.ts";
import { unservedWebhook } from "../../../../src/model/cluster/api/messages/denials.ts";
import type { DeployEvent } from "../../../../src/model/deployments/event.ts";
import type { Json } from "../../../../src/model/json.ts";
import { isKubeObject, type KubeObject } from "../../../../src/model/object.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import { checkPorts } from "../../../support/check-ports.ts";
import { type FakeCluster, fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { planFrom, settledObject } from "../../../support/plan/plan-from-text.ts";
import { virtualClock } from "../../../support/virtual-clock.ts";

const unserved = (reason = 'no endpoints available for service "guard"') =>
  refused(
    "other",
    500,
    `Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.shop.svc:443/?timeout=1s": ${reason}`,
  ).failure;

function objectFrom(yaml: string): KubeObject {
  const object: Json = parse(yaml);
  if (!isKubeObject(object)) throw new Error(`not an object: ${yaml}`);
  return object;
}

const configuration = (written: string) =>
  objectFrom(`
    apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingWebhookConfiguration
    metadata:
      name: guard
      creationTimestamp: "2025-01-01T00:00:00Z"
      managedFields: [{manager: helm, operation: Update, time: "${written}", fieldsV1: {}}]
    webhooks: [{name: guard.example.com, clientConfig: {service: {name: guard, namespace: shop}}}]`);

const service = (written: string) =>
  objectFrom(`
    apiVersion: v1
    kind: Service
    metadata: {name: guard, namespace: shop, creationTimestamp: "${written}"}
    spec: {selector: {app: guard}}`);

const deployment = (written: string, subresource = "") =>
  objectFrom(`
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: guard
      namespace: shop
      creationTimestamp: "2025-01-01T00:00:00Z"
      managedFields: [{manager: helm, operation: Update, subresource: "${subresource}", time: "${written}", fieldsV1: {}}]
    spec: {template: {metadata: {labels: {app: guard}}, spec: {containers: []}}}`);

interface Outcome {
  readonly details: readonly string[];
  readonly seconds: number;
  readonly waits: readonly string[];
}

async function apply(cluster: FakeCluster, plan: Plan, noProgressMs?: number): Promise<Outcome> {
  const clock = virtualClock();
  const began = clock.elapsed();
  const events: DeployEvent[] = [];
  const never = new AbortController().signal;
  const result = await applyPlan(
    plan,
    {
      ...{ cluster, ...checkPorts, clock, signal: never, lost: never },
      progress: { report: (event) => events.push(event) },
    },
    { concurrency: 1, timeoutMs: 60_000, noProgressMs },
  );
  return {
    details: result.results.map(({ key, outcome, detail }) => `${key} ${outcome} ${detail}`.trim()),
    seconds: Math.round((clock.elapsed() - began) / 1000),
    waits: events.flatMap((event) => (event.type === "waiting" ? [event.why] : [])),
  };
}

const newCluster = () => fakeCluster([], (object) => [settledObject(object)]);
const text = `the webhook guard.example.com doesn't serve yet: no endpoints available for service "guard"`;

describe("an object that a webhook without endpoints rejects", () => {
  it("is sent again if the webhook's Service belongs to the deployment", async () => {
    const cluster = newCluster();
    const plan = planFrom(cluster, "app unchanged Service guard\napp create ConfigMap a");
    cluster.refuse("ConfigMap shop/a", unserved(), unserved(), unserved());
    const { details, seconds, waits } = await apply(cluster, plan);
    expect(details[1]).toBe("core:ConfigMap::shop/a created");
    expect(seconds).toBe(1 + 2 + 4);
    expect(waits).toEqual([text, text, text]);
  });

  it("leaves its place to the objects of the webhook", async () => {
    const cluster = newCluster();
    const plan = planFrom(cluster, "app create ConfigMap a\napp create Service guard");
    cluster.refuse("ConfigMap shop/a", unserved());
    const { details } = await apply(cluster, plan);
    expect(cluster.writes.filter((write) => write.startsWith("apply"))).toEqual([
      "apply ConfigMap shop/a",
      "apply Service shop/guard",
      "apply ConfigMap shop/a",
    ]);
    expect(details).toEqual(["core:ConfigMap::shop/a created", "core:Service::shop/guard created"]);
  });

  it("fails after the timeout", async () => {
    const cluster = newCluster();
    const plan = planFrom(cluster, "app unchanged Service guard\napp create ConfigMap a");
    cluster.refuse("ConfigMap shop/a", ...Array.from({ length: 99 }, () => unserved()));
    const { details, seconds } = await apply(cluster, plan);
    expect(details[1]).toContain("failed an admission webhook didn't answer: ");
    expect(details[1]).toContain("gave up after 60 s");
    expect(seconds).toBe(60);
  });

  it("fails earlier without progress", async () => {
    const cluster = newCluster();
    const plan = planFrom(cluster, "app unchanged Service guard\napp create ConfigMap a");
    cluster.refuse("ConfigMap shop/a", ...Array.from({ length: 99 }, () => unserved()));
    expect((await apply(cluster, plan, 20_000)).seconds).toBe(20);
  });

  const old = "2025-06-01T00:00:00Z";
  const recent = "2025-12-31T23:59:30Z";
  const around: readonly (readonly [string, readonly KubeObject[], boolean])[] = [
    ["its objects are unknown", [], false],
    ["its objects are old", [configuration(old), service(old), deployment(old)], false],
    ["only a status is new", [service(old), deployment(recent, "status")], false],
    ["its configuration is new", [configuration(recent), service(old)], true],
    ["its Service is new", [service(recent)], true],
    ["its Deployment is new", [service(old), deployment(recent)], true],
  ];
  it.each(around)("of others: %s", async (_name, objects, isSentAgain) => {
    const cluster = newCluster();
    const plan = planFrom(cluster, "app create ConfigMap a");
    for (const object of objects) cluster.put(object);
    cluster.refuse("ConfigMap shop/a", unserved());
    const { details } = await apply(cluster, plan);
    expect(details[0]?.includes("created")).toBe(isSentAgain);
  });

  it("is not sent again after any other answer of the webhook", async () => {
    const cluster = newCluster();
    const plan = planFrom(cluster, "app unchanged Service guard\napp create ConfigMap a");
    cluster.refuse("ConfigMap shop/a", unserved("context deadline exceeded"));
    expect((await apply(cluster, plan)).details[1]).toContain("failed an admission webhook");
  });
});

it.each([
  ['service "guard" not found', 'service "guard" not found'],
  ["dial tcp 10.0.0.1:443: connect: connection refused", "connect: connection refused"],
  ["EOF", undefined],
])("%s: the webhook doesn't serve because of %s", (reason, expected) => {
  const service = { namespace: "shop", name: "guard" };
  expect(unservedWebhook(unserved(reason))).toEqual(
    expected === undefined ? undefined : { name: "guard.example.com", service, reason: expected },
  );
});

it("a conversion webhook is named by its address", () => {
  const message =
    'conversion webhook for acme.example/v1, Kind=Widget failed: Post "https://convert.acme.svc:443/?timeout=30s": no endpoints available for service "convert"';
  expect(unservedWebhook({ message })?.name).toBe("convert.acme");
});

it("an error without a webhook is none", () => {
  expect(unservedWebhook({ message: "connect: connection refused" })).toBeUndefined();
});
