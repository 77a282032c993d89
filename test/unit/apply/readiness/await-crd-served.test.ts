import { expect, test } from "vitest";
import { awaitCrdServed } from "../../../../src/apply/readiness/await-crd-served.ts";
import { fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { virtualClock } from "../../../support/virtual-clock.ts";

const versions = ["v1", "v2", "v3"].map((name) => ({ name, served: true }));
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.acme.example" },
  spec: { group: "acme.example", names: { kind: "Widget" }, versions },
};
const cluster = {
  ...fakeCluster(),
  kind: async () => refused("unknown-kind", 404, "not served"),
};

test("the wait for an unserved CustomResourceDefinition with several versions ends after 15 s in total", async () => {
  const clock = virtualClock();
  const began = clock.elapsed();
  await awaitCrdServed(definition, { cluster, clock, signal: new AbortController().signal });
  expect(clock.elapsed() - began).toBe(15_000);
});

test("a canceled run doesn't wait for a CustomResourceDefinition", async () => {
  const clock = virtualClock();
  const cancel = new AbortController();
  const began = clock.elapsed();
  const waiting = awaitCrdServed(definition, { cluster, clock, signal: cancel.signal });
  cancel.abort();
  await waiting;
  expect(clock.elapsed()).toBe(began);
});
