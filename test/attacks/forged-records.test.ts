import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { InventoryEntry, LiveObjects } from "../../src/model/deployments/release.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { isKubeObject, type KubeObject, keyOf, withMetadata } from "../../src/model/object.ts";
import { ownershipProblems } from "../../src/plan/ownership/ownership.ts";
import { decodeReleases } from "../../src/releases/decode.ts";
import { encodeRelease } from "../../src/releases/encode.ts";
import { foreignProtection } from "../../src/ssa/protection.ts";
import { declare } from "../support/plan/declare.ts";
import { applied } from "../support/plan/live.ts";
import { planOf, planText } from "../support/plan/plan-text.ts";
import { release } from "../support/plan/release-from.ts";
import { stepsOf } from "../support/plan/steps.ts";
import { attacks } from "./attack.ts";

// Simulates an attacker with write access to Secrets in the namespace `shop`, which contains the
// records of the deployment `shop-test`.

const configMap = (name: string, namespace: string) =>
  `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: ${namespace}, annotations: {vs.axis-dev.io/keepOnDelete: their-key}}}`;
const clusterRole =
  "app/x: {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: x}}";

const owner = { deployment: "shop-test", namespace: "shop" };
const releaseNamespace = "vs.axis-dev.io/release-namespace";
const notAssigned =
  "not ours: its labels and field managers don't assign it to the deployment shop-test in namespace shop";

/** Returns an object as a deployment has applied it, with other labels. */
function liveOf(manifest: string, labels: JsonObject, owner?: string): LiveObjects {
  return new Map(
    declare(manifest).map((desired) => {
      const object = applied(desired, owner);
      const all = { ...(object.metadata.labels as JsonObject), ...labels };
      const left = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
      return [desired.key, { ...object, metadata: { ...object.metadata, labels: left } }];
    }),
  );
}

/** Returns an inventory that claims all objects for the deployment. */
function inventoryOf(live: LiveObjects): readonly InventoryEntry[] {
  return [...live].map(([key, { apiVersion, kind, metadata }]) => {
    const group = apiVersion.includes("/") ? apiVersion.replace(/\/.*/, "") : "";
    const id = {
      group,
      kind,
      namespace: String(metadata.namespace ?? ""),
      name: String(metadata.name),
    };
    expect(keyOf(id)).toBe(key);
    return { id, apiVersion, stage: "app", after: [] };
  });
}

function becomes(live: LiveObjects): string {
  const situation = { declared: configMap("own", "shop"), live, inventory: inventoryOf(live) };
  const lines = planText(planOf({ ...situation, allowDelete: ["everything"], keepRevisions: 1 }));
  return lines
    .split("\n")
    .filter((line) => /^(delete|keep) /.test(line))
    .join("\n");
}

attacks(
  "forged records",
  "a forged inventory deletes no $what",
  [
    {
      what: "object of a deployment with the same name in its own namespace",
      live: liveOf(configMap("x", "other"), { [releaseNamespace]: "other" }),
      keeps: `keep ConfigMap other/x (${notAssigned})`,
    },
    {
      what: "cluster-scoped object of a deployment with the same name",
      live: liveOf(clusterRole, { [releaseNamespace]: "other" }),
      keeps: `keep ClusterRole x (${notAssigned})`,
    },
    {
      what: "object of a deployment with the same name in the same namespace",
      live: liveOf(configMap("x", "shop").replace(/, annotations: {[^}]*}/, ""), {
        [releaseNamespace]: "other",
      }),
      keeps: `keep ConfigMap shop/x (not ours: its label ${releaseNamespace} names other)`,
    },
    {
      what: "cluster-scoped object that an earlier version of qvs created",
      live: liveOf(clusterRole, { [releaseNamespace]: null }),
      keeps: `keep ClusterRole x (not ours: an earlier version of qvs deployed it, and it has no label ${releaseNamespace} with the namespace shop)`,
    },
    {
      what: "object of an earlier version in another namespace, and shows no key of it",
      live: liveOf(configMap("x", "other"), { [releaseNamespace]: null }),
      keeps: `keep ConfigMap other/x (not ours: an earlier version of qvs deployed it, and it has no label ${releaseNamespace} with the namespace shop)`,
    },
    {
      what: "object of another deployment",
      live: liveOf(configMap("x", "other"), { "vs.axis-dev.io/deployment": "bakery" }),
      keeps: `keep ConfigMap other/x (${notAssigned})`,
    },
    {
      what: "object without a deployment, and shows no owner",
      live: liveOf(clusterRole, {
        "vs.axis-dev.io/deployment": null,
        [releaseNamespace]: null,
        "app.kubernetes.io/managed-by": "their-secret-tool",
      }),
      keeps: `keep ClusterRole x (${notAssigned})`,
    },
    {
      what: "object with copied labels and another field manager",
      live: liveOf(clusterRole, {}, "bakery"),
      keeps: `keep ClusterRole x (${notAssigned})`,
    },
  ],
  ({ live, keeps }) => expect(becomes(live)).toBe(keeps),
);

test("an object with the labels and field manager of this deployment is deleted in any namespace", () => {
  const bare = configMap("x", "other").replace(/, annotations: {[^}]*}/, "");
  expect(becomes(liveOf(bare, {}))).toBe("delete ConfigMap other/x (app)");
  expect(becomes(liveOf(clusterRole, {}))).toBe("delete ClusterRole x (app)");
});

test("an object of an earlier version in the namespace of the releases is deleted", () => {
  const bare = configMap("x", "shop").replace(/, annotations: {[^}]*}/, "");
  expect(becomes(liveOf(bare, { [releaseNamespace]: null }))).toBe("delete ConfigMap shop/x (app)");
});

attacks(
  "forged records",
  "qvs recreates no object of $what",
  [
    {
      what: "a deployment with the same name in another namespace",
      labels: { [releaseNamespace]: "other" },
      says: "its labels and field managers don't assign it to the deployment shop-test in namespace shop",
    },
    {
      what: "an earlier version, if it is cluster-scoped",
      labels: { [releaseNamespace]: null },
      says: `an earlier version of qvs deployed it, and it has no label ${releaseNamespace} with the namespace shop`,
    },
  ],
  ({ labels, says }) => {
    const [desired] = declare(clusterRole);
    if (desired === undefined) throw new Error("one object is declared");
    const rest = { predicted: undefined, certainty: { by: "server" } as const, after: [] };
    const change = {
      ...desired,
      ...rest,
      desired: desired.object,
      action: "replace" as const,
      steps: stepsOf("replace"),
    };
    const live = liveOf(clusterRole, labels).get(desired.key);
    const [problem] = ownershipProblems({ ...change, live }, owner);
    expect(problem?.what).toBe("ClusterRole x can't be recreated");
    expect(problem?.why).toBe(`The change requires a new object, but ${says}`);
    expect(ownershipProblems({ ...change, live: applied(desired) }, owner)).toEqual([]);
  },
);

test("the command that labels an object is one safe shell command", () => {
  const [live] = liveOf(clusterRole, { [releaseNamespace]: null }).values();
  if (live === undefined) throw new Error("one object is live");
  const odd = withMetadata(live, { name: "x; $(id) '" });
  expect(foreignProtection(odd, owner)?.claim).toBe(
    `kubectl label clusterrole.rbac.authorization.k8s.io 'x; $(id) '\\''' ${releaseNamespace}=shop`,
  );
});

attacks(
  "forged records",
  "a record doesn't delete a Namespace before its objects: $name",
  [
    { name: "by an edge", forge: { Namespace: { after: [edgeTo("core:ConfigMap::other/x")] } } },
    {
      name: "by edges through another object",
      forge: {
        Namespace: { after: [edgeTo("rbac.authorization.k8s.io:ClusterRole::x")] },
        ClusterRole: { after: [edgeTo("core:ConfigMap::other/x")] },
      },
    },
    { name: "by a stage", forge: { ConfigMap: { stage: "appSetup" } } },
  ] satisfies readonly { name: string; forge: Readonly<Record<string, Partial<InventoryEntry>>> }[],
  ({ forge }) => {
    const bare = configMap("x", "other").replace(/, annotations: {[^}]*}/, "");
    const namespace = "app/n: {apiVersion: v1, kind: Namespace, metadata: {name: other}}";
    const live = new Map([bare, namespace, clusterRole].flatMap((one) => [...liveOf(one, {})]));
    const changed = new Map<string, Partial<InventoryEntry>>(Object.entries(forge));
    const inventory = inventoryOf(live).map((one) => ({ ...one, ...changed.get(one.id.kind) }));
    const declared = configMap("own", "shop");
    const plan = planOf({ declared, live, inventory, allowDelete: ["Namespace"] });
    if (!plan.ok) throw new Error(planText(plan));
    const order = plan.value.deletions.map(({ stage, id }) => `${stage} ${id.kind}`);
    const kinds = order.toSorted(byStage).map((one) => one.replace(/.* /, ""));
    expect(kinds.indexOf("ConfigMap")).toBeLessThan(kinds.indexOf("Namespace"));
  },
);

function edgeTo(on: string) {
  return { on, reason: "forged" };
}

/** Compares in the order of a deletion: app before appSetup, each in its own order. */
function byStage(a: string, b: string): number {
  return Number(a.startsWith("appSetup")) - Number(b.startsWith("appSetup"));
}

const decompress = (bytes: Uint8Array) => gunzipSync(bytes).toString();

/** Returns a record with other fields. `name` is the name of its Secret. */
function forged(fields: JsonObject, name = "qvs.shop.v2"): KubeObject {
  const [secret] = encodeRelease(release(2, "succeeded", { names: ["a"] }), {
    namespace: "shop",
    compress: (json) => new Uint8Array(gzipSync(json)),
  });
  if (secret === undefined) throw new Error("a release is one Secret");
  const data = secret.data as Readonly<Record<string, string>>;
  const changed = (part: string) => {
    const whole = JSON.parse(decompress(Buffer.from(data[part] ?? "", "base64")));
    return gzipSync(JSON.stringify({ ...whole, ...fields })).toString("base64");
  };
  const metadata = { ...secret.metadata, name };
  const both = { ...data, content: changed("content"), state: changed("state") };
  const made: Json = { ...secret, metadata, data: both };
  if (!isKubeObject(made)) throw new Error("a Secret has a kind");
  return made;
}

const entry = (id: string, rest = "apiVersion: v1") =>
  parse(`inventory: [{id: {${id}}, ${rest}, stage: app, after: []}]`) as JsonObject;
const kept = (revision: number): JsonObject => ({
  revisions: [{ group: "", kind: "ConfigMap", namespace: "shop", key: "k", revision }],
});

attacks(
  "forged records",
  "a record is rejected if it contains $name",
  [
    {
      name: "a namespace within a name",
      fields: entry(`group: "", kind: ConfigMap, namespace: "", name: other/x`),
      at: "inventory.0.id.name",
    },
    {
      name: "an encoded slash",
      fields: entry(`group: "", kind: ConfigMap, namespace: shop, name: "other%2Fx"`),
      at: "inventory.0.id.name",
    },
    {
      name: "the name ..",
      fields: entry(`group: "", kind: ConfigMap, namespace: shop, name: ".."`),
      at: "inventory.0.id.name",
    },
    {
      name: "no name",
      fields: entry(`group: "", kind: ConfigMap, namespace: shop, name: ""`),
      at: "inventory.0.id.name",
    },
    {
      name: "a path outside the namespace",
      fields: entry(`group: "", kind: ConfigMap, namespace: "../../nodes", name: x`),
      at: "inventory.0.id.namespace",
    },
    {
      name: "a key within a kind",
      fields: entry(`group: "", kind: "ConfigMap::other/x", namespace: shop, name: x`),
      at: "inventory.0.id.kind",
    },
    {
      name: "a key within a group",
      fields: entry(`group: "core:ConfigMap::other/x", kind: ConfigMap, namespace: shop, name: x`),
      at: "inventory.0.id.group",
    },
    {
      name: "a path as the version",
      fields: entry(
        `group: "", kind: Secret, namespace: shop, name: x`,
        "apiVersion: ../api/v1/namespaces/other/secrets",
      ),
      at: "inventory.0.apiVersion",
    },
    {
      name: "a version of another group",
      fields: entry(
        `group: "", kind: ClusterRole, namespace: "", name: x`,
        "apiVersion: rbac.authorization.k8s.io/v1",
      ),
      at: "inventory.0.apiVersion",
    },
    { name: "the number 2^53 - 1", fields: kept(2 ** 53 - 1), at: "revisions.0.revision" },
    { name: "the number 10^9", fields: kept(1e9), at: "revisions.0.revision" },
    { name: "a fraction", fields: kept(1.5), at: "revisions.0.revision" },
    { name: "a number below 0", fields: kept(-1), at: "revisions.0.revision" },
    { name: "a rollback to an impossible release", fields: { rollbackOf: 1e9 }, at: "rollbackOf" },
  ],
  ({ fields, at }) => {
    const decoded = decodeReleases("shop", [forged(fields)], decompress);
    expect(decoded.ok ? "no problem" : decoded.problems[0]).toMatchObject({
      what: "Release qvs.shop.v2 can't be read",
      why: `The value of ${at} is invalid`,
    });
  },
);

attacks(
  "forged records",
  "a record is rejected if it is of $name",
  [
    { name: "another deployment", fields: { deployment: "bakery" }, says: "qvs.bakery.v2" },
    { name: "another number", fields: { revision: 1 }, says: "qvs.shop.v1" },
  ],
  ({ fields, says }) => {
    const decoded = decodeReleases("shop", [forged(fields)], decompress);
    expect(decoded.ok ? "no problem" : decoded.problems[0]).toMatchObject({
      what: "Release qvs.shop.v2 can't be read",
      why: `Its content is of release ${says}`,
    });
  },
);
