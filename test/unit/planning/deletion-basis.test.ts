import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { chartCapabilities } from "../../../src/deploying/chart-capabilities.ts";
import { dryRunWithoutLock } from "../../../src/deploying/plan-without-lock.ts";
import {
  type DeployRequest,
  defaultRequest,
} from "../../../src/model/deployments/deploy-request.ts";
import type { InventoryEntry, ReleaseSource } from "../../../src/model/deployments/release.ts";
import { idOf, type KubeObject } from "../../../src/model/object.ts";
import type { World } from "../../../src/ports/world.ts";
import { encodeRelease } from "../../../src/releases/encode.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";
import { declare, manifestsFrom } from "../../support/plan/declare.ts";
import { applied } from "../../support/plan/live.ts";
import { release } from "../../support/plan/release-from.ts";
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

const deployment = plainDeployment();
const name = "things.a.example";

/** Returns the definition as this deployment applied it, with other labels and annotations. */
function definition(labels: object, annotations: object): KubeObject {
  const [declared] = declare(`
    appSetup/crd:
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: ${name}, annotations: ${JSON.stringify(annotations)}}
      spec: {group: a.example, scope: Namespaced, names: {kind: Thing, plural: things}, versions: [{name: v1, served: true, storage: true}]}
  `);
  if (declared === undefined) throw new Error("The manifest declares one object.");
  const live = applied(declared, "shop");
  const all = {
    "vs.axis-dev.io/deployment": "shop",
    "vs.axis-dev.io/release-namespace": "shop",
    "app.kubernetes.io/managed-by": "qvs",
    ...labels,
  };
  return { ...live, metadata: { ...live.metadata, labels: all } };
}

interface Situation {
  readonly labels?: object;
  readonly annotations?: object;
  readonly entry?: Partial<InventoryEntry>;
  readonly source?: Partial<ReleaseSource>;
  readonly request?: Partial<DeployRequest>;
  readonly otherManager?: string;
  readonly isAbsent?: boolean;
  readonly unrendered?: readonly string[];
}

/** Returns the definitions that the plan deletes, and those that charts see as deleted. */
async function deletions(situation: Situation) {
  const { labels = {}, annotations = {}, entry, source, otherManager } = situation;
  const live = definition(labels, annotations);
  const managedFields = [
    ...((live.metadata.managedFields ?? []) as readonly object[]),
    ...(otherManager === undefined
      ? []
      : [
          {
            ...{ manager: otherManager, operation: "Apply", apiVersion: live.apiVersion },
            fieldsV1: { "f:spec": { "f:scope": {} } },
          },
        ]),
  ];
  const metadata = { ...live.metadata, managedFields } as KubeObject["metadata"];
  const recorded = release(1, "succeeded", { names: ["a"] });
  const inventory: readonly InventoryEntry[] = [
    ...recorded.inventory,
    {
      ...{ id: idOf(live), apiVersion: live.apiVersion, stage: "appSetup", after: [] },
      ...entry,
    },
  ];
  const records = encodeRelease(
    { ...recorded, inventory, source: { ...recorded.source, ...source } },
    { namespace: "shop", compress: (text: string) => gzipSync(text) },
  );
  const objects = situation.isAbsent === true ? [] : [{ ...live, metadata }];
  const cluster = fakeCluster([...records, ...objects]);
  const lock = async () => {
    throw new Error("A plan needs no lock.");
  };
  const target = { cluster, lock, dryRunLock: async () => undefined };
  const policy = { ...defaultRequest.policy, allowDelete: ["CustomResourceDefinition"] };
  const request = { ...defaultRequest, policy, ...situation.request };
  const desired = {
    manifests: manifestsFrom(
      "app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: b}}\n",
    ),
    ...{ unsupported: [], input: recorded.inputConfig, layout: recorded.layout },
    unrendered: situation.unrendered ?? [],
    rollbackOf: undefined,
  };
  const subject = { target, deployment, request };
  const { planned } = await dryRunWithoutLock(world, subject, desired);
  const charts = chartCapabilities(world, deployment, async () => target, { request });
  return {
    plan: planned.plan?.deletions.map(({ id }) => id.name),
    kept: planned.plan?.kept.map(({ why, detail }) => `${why}: ${detail}`),
    charts: [...(await charts.deletes(new Set([name, "others.a.example"])))],
  };
}

test("a chart doesn't see a kind whose definition the plan deletes", async () => {
  expect(await deletions({})).toMatchObject({ plan: [name], charts: [name] });
});

test.each<readonly [string, Situation]>([
  ["has the annotation to keep it", { annotations: { "vs.axis-dev.io/keepOnDelete": "things" } }],
  ["was recorded to be kept", { entry: { keepOnDelete: "things" } }],
  ["was adopted by another deployment", { labels: { "vs.axis-dev.io/deployment": "platform" } }],
  [
    "has no label of this deployment",
    { labels: { "vs.axis-dev.io/release-namespace": undefined } },
  ],
  ["is also applied by another tool", { otherManager: "argocd" }],
  ["was left by a rollback", { entry: { origin: "left" } }],
  ["belongs to another source", { source: { config: "other.yaml" } }],
  ["is in a stage that isn't deployed", { request: { onlyStage: "app" } }],
  ["doesn't exist any more", { isAbsent: true }],
])("a chart sees a kind whose definition stays because it %s", async (_, situation) => {
  expect(await deletions(situation)).toMatchObject({ plan: [], charts: [] });
});

test("a plan deletes nothing while the objects of a chart aren't known", async () => {
  expect(await deletions({ unrendered: ["app/web"] })).toMatchObject({
    plan: [],
    kept: ["chart unknown: the objects of these charts aren't known: app/web"],
  });
});

test("a chart sees the kind of a definition that qvs can't read", async () => {
  const fake = fakeCluster();
  const cluster = {
    ...fake,
    list: async () => ({
      ok: false as const,
      failure: { reason: "forbidden" as const, status: 403, message: "no", causes: [] },
    }),
  };
  const charts = chartCapabilities(world, deployment, async () => ({ cluster }));
  expect([...(await charts.deletes(new Set([name])))]).toEqual([]);
});
