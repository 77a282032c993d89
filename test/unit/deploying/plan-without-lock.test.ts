import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { dryRunWithoutLock, planWithoutLock } from "../../../src/deploying/plan-without-lock.ts";
import {
  type DeployRequest,
  defaultRequest,
} from "../../../src/model/deployments/deploy-request.ts";
import type { DesiredState } from "../../../src/planning/desired-state.ts";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import type { World } from "../../../src/ports/world.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";
import { manifestsFrom } from "../../support/plan/declare.ts";
import { release } from "../../support/plan/release-from.ts";
import { cautious } from "../../support/policy.ts";
import { plainDeployment } from "../../support/shop/plain-deployment.ts";
import { virtualClock } from "../../support/virtual-clock.ts";

const world = {
  clock: virtualClock(),
  origin: { commit: "c0ffee", actor: undefined, run: undefined },
  source: {},
  repository: undefined,
  compareCommits: async () => "unknown",
  compress: (text: string) => gzipSync(text),
  decompress: (bytes: Uint8Array) => gunzipSync(bytes).toString(),
  hash: (text: string) => createHash("sha256").update(text).digest("hex"),
} as unknown as World;

const { layout } = release(1, "succeeded");
const desired: DesiredState = {
  manifests: manifestsFrom(`
    app/web:
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: web}
      spec:
        selector: {matchLabels: {app: web}}
        template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}
  `),
  unsupported: [],
  input: { config: "{}", params: {}, modules: [] },
  layout,
  rollbackOf: undefined,
};
const request = { ...defaultRequest, policy: cautious } as DeployRequest;

/** Returns the kinds that the plan lists in all namespaces. */
async function clusterLists(plan: typeof planWithoutLock | typeof dryRunWithoutLock) {
  const fake = fakeCluster();
  const lists = new Set<string>();
  const cluster: Cluster = {
    ...fake,
    list: (apiVersion, kind, namespace, selector) => {
      if (namespace === undefined) lists.add(kind);
      return fake.list(apiVersion, kind, namespace, selector);
    },
  };
  const lock = async () => {
    throw new Error("A plan needs no lock.");
  };
  const target = { cluster, lock, dryRunLock: async () => undefined };
  await plan(world, { target, deployment: plainDeployment(), request }, desired);
  return [...lists].toSorted();
}

test("a plan before the lock reads no facts for predictions that no one reads", async () => {
  expect(await clusterLists(planWithoutLock)).toEqual([]);
});

test("a dry run reads the facts for its findings", async () => {
  const all = ["Namespace", "Node", "Pod", "PriorityClass"];
  expect(await clusterLists(dryRunWithoutLock)).toEqual(all);
});
