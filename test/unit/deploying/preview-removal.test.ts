import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { executePlan } from "../../../src/deploying/execute-plan.ts";
import { previewRemoval } from "../../../src/deploying/preview-removal.ts";
import type { DeployContext } from "../../../src/deploying/with-lock.ts";
import { defaultRequest } from "../../../src/model/deployments/deploy-request.ts";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import type { World } from "../../../src/ports/world.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";
import { manifestsFrom } from "../../support/plan/declare.ts";
import { release } from "../../support/plan/release-from.ts";
import { cautious } from "../../support/policy.ts";
import { plainDeployment } from "../../support/shop/plain-deployment.ts";
import { virtualClock } from "../../support/virtual-clock.ts";

const deployment = plainDeployment({ context: "prod" });

const limits = { timeoutMs: 1000, concurrency: 4 };
const request = { ...defaultRequest, limits, policy: cautious };

function stage() {
  const fake = fakeCluster();
  const cluster: Cluster = {
    ...fake,
    apply: (object, how) => {
      const owner = { manager: how.fieldManager, operation: "Apply", apiVersion: "v1" };
      const managedFields = [{ ...owner, fieldsType: "FieldsV1", fieldsV1: {} }];
      return fake.apply({ ...object, metadata: { ...object.metadata, managedFields } }, how);
    },
  };
  const never = new AbortController().signal;
  const target = { cluster, lock: async () => lock, dryRunLock: async () => undefined };
  const lock = {
    ...{ lost: never, yieldRequested: never, challenger: () => undefined },
    ...{ cluster, release: async () => undefined },
  };
  const world = {
    clock: virtualClock(),
    progress: () => ({ report: () => {} }),
    signal: never,
    origin: { commit: "c0ffee", actor: undefined, run: undefined },
    source: {},
    repository: undefined,
    target: async () => target,
    compareCommits: async () => "unknown",
    compress: (text: string) => gzipSync(text),
    decompress: (bytes: Uint8Array) => gunzipSync(bytes).toString(),
    hash: (text: string) => createHash("sha256").update(text).digest("hex"),
  } as unknown as World;
  const context = { target, lock, deployment, request, endLock: () => undefined };
  return { world, context: context as unknown as DeployContext };
}

const { layout, inputConfig: input } = release(1, "succeeded");
const config = (name: string) =>
  `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {a: b}}\n`;

test("the warning lists the remaining objects and the command that deletes exactly those", async () => {
  const { world, context } = stage();
  expect(await previewRemoval(world, deployment, request)).toBeUndefined();
  const manifests = manifestsFrom(config("a") + config("b"));
  const nothingElse = { input, layout, rollbackOf: undefined, unsupported: [] };
  await executePlan(world, context, { manifests, ...nothingElse });
  const preview = await previewRemoval(world, deployment, request);
  const [left] = preview?.orphanWarnings ?? [];
  expect(left).toMatchObject({
    what: 'Removed deployment "shop" leaves its objects in namespace shop of context prod',
    facts: [{ label: "objects", value: "ConfigMap shop/a, ConfigMap shop/b" }],
  });
  expect(left?.fix).toMatch(
    /^Run this after the merge to delete 2 objects: qvs delete -d shop -n shop --context prod --expect-digest [0-9a-f]{12}$/,
  );
});

test("the preview is the plan of the deletion if the merge deletes the deployment", async () => {
  const { world, context } = stage();
  const manifests = manifestsFrom(config("a") + config("b"));
  const nothingElse = { input, layout, rollbackOf: undefined, unsupported: [] };
  await executePlan(world, context, { manifests, ...nothingElse });
  const removed = { ...deployment, onRemoved: "delete" } as const;
  const preview = await previewRemoval(world, removed, { ...request, adopt: true });
  expect(preview).toMatchObject({ removal: "delete", orphanWarnings: [], release: 1 });
  expect(preview?.plan?.deletions.map(({ id }) => id.name)).toEqual(["a", "b"]);
});
