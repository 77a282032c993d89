import { expect, test } from "vitest";
import { recordBeforeWrites } from "../../../../src/deploying/recording/pending-release.ts";
import { addressOf, type KubeObject } from "../../../../src/model/object.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";

const object: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
const how = { fieldManager: "qvs", force: false };

test.each([
  ["apply", "recorded, apply ConfigMap a"],
  ["delete", "recorded, delete ConfigMap a"],
  ["a dry-run", "apply ConfigMap a"],
  ["read", ""],
] as const)("%s", async (verb, expected) => {
  const done: string[] = [];
  const fake = fakeCluster([object]);
  fake.onWrite((write) => done.push(write));
  const cluster = recordBeforeWrites(fake, async () => void done.push("recorded"));
  if (verb === "apply") await cluster.apply(object, { ...how, dryRun: false });
  if (verb === "a dry-run") await cluster.apply(object, { ...how, dryRun: true });
  if (verb === "delete") await cluster.delete(addressOf(object), "any");
  if (verb === "read") await cluster.read(addressOf(object));
  expect(done.join(", ")).toBe(expected);
});
