import { expect, test } from "vitest";
import { openCluster } from "../../../../src/io/kubernetes/cluster.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import {
  connectionTo,
  quickPace,
  type ScriptedApi,
  scriptedApi,
  status,
} from "../../../support/servers/scripted-api.ts";

const ssa = { fieldManager: "qvs-shop-app", dryRun: false, force: false };

function object(apiVersion: string, kind: string, metadata: JsonObject) {
  return { apiVersion, kind, metadata };
}

async function requests(work: (cluster: Cluster) => Promise<unknown>): Promise<ScriptedApi> {
  const api = await scriptedApi([{ json: object("v1", "Pod", { resourceVersion: "1" }) }]);
  const cluster = openCluster(connectionTo(api), quickPace());
  await work(cluster);
  cluster.close();
  return api;
}

const web = { name: "web", namespace: "shop" };

test.each<readonly [string, (cluster: Cluster) => Promise<unknown>, string]>([
  [
    "an apply names its manager and is strict",
    (cluster) => cluster.apply(object("apps/v1", "Deployment", web), ssa),
    "PATCH /apis/apps/v1/namespaces/shop/deployments/web?fieldManager=qvs-shop-app&fieldValidation=Strict&force=false",
  ],
  [
    "a dry-run is marked as one",
    (cluster) => cluster.apply(object("v1", "Pod", web), { ...ssa, dryRun: true, force: true }),
    "PATCH /api/v1/namespaces/shop/pods/web?fieldManager=qvs-shop-app&fieldValidation=Strict&force=true&dryRun=All",
  ],
  [
    "the namespace of a cluster-scoped object is ignored",
    (cluster) =>
      cluster.read({ apiVersion: "v1", kind: "Namespace", namespace: "shop", name: "shop" }),
    "GET /api/v1/namespaces/shop",
  ],
  [
    "names with colons are encoded",
    (cluster) =>
      cluster.read({
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        namespace: "",
        name: "system:aggregate to/view",
      }),
    "GET /apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aaggregate%20to%2Fview",
  ],
  [
    "an object is created in its collection",
    (cluster) => cluster.create(object("v1", "Pod", web)),
    "POST /api/v1/namespaces/shop/pods?fieldValidation=Strict",
  ],
  [
    "a list covers all namespaces by default",
    (cluster) => cluster.list("apps/v1", "Deployment", undefined, "a=b,c!=d"),
    "GET /apis/apps/v1/deployments?labelSelector=a%3Db%2Cc%21%3Dd&limit=500",
  ],
  [
    "a log is requested by container and number of lines",
    (cluster) => cluster.logTail("shop", "web-1", "main", 20),
    "GET /api/v1/namespaces/shop/pods/web-1/log?container=main&tailLines=20&limitBytes=262144",
  ],
])("%s", async (_, work, expected) => {
  expect((await requests(work)).lines()).toEqual([expected]);
});

test("the API server gets the object exactly as given, including unknown fields", async () => {
  const given = {
    ...object("v1", "Pod", { ...web, ownFields: null }),
    "x-unknown": { deep: [1, 1.5, "ü", null, { "": [] }] },
  };
  const api = await requests((cluster) => cluster.apply(given, ssa));
  expect(JSON.parse(api.received[0]?.body ?? "")).toEqual(given);
  expect(api.received[0]?.headers["content-type"]).toBe("application/apply-patch+yaml");
});

test("a deletion has a uid precondition and deletes dependents first", async () => {
  const address = { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "web" };
  const api = await requests((cluster) => cluster.delete(address, "u-7"));
  expect(JSON.parse(api.received[0]?.body ?? "")).toMatchObject({
    propagationPolicy: "Foreground",
    preconditions: { uid: "u-7" },
  });
});

test("a deletion can have a resource version precondition", async () => {
  const address = { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "web" };
  const api = await requests((cluster) => cluster.delete(address, "u-7", "41"));
  expect(JSON.parse(api.received[0]?.body ?? "")).toMatchObject({
    preconditions: { uid: "u-7", resourceVersion: "41" },
  });
});

test.each([
  ["a name that would change the URL", { name: "..", namespace: "shop" }],
  ["a namespace that would change the URL", { name: "web", namespace: ".." }],
  ["no name", { namespace: "shop" }],
  ["no namespace", { name: "web" }],
])("%s is rejected before any request", async (_, metadata) => {
  const api = await requests(async (cluster) => {
    const answer = await cluster.apply(object("v1", "Pod", metadata as JsonObject), ssa);
    expect(answer).toMatchObject({ ok: false, failure: { reason: "invalid" } });
  });
  expect(api.lines()).toEqual([]);
});

test("every request has impersonation and credentials", async () => {
  const api = await scriptedApi([{ json: object("v1", "Pod", web) }]);
  const impersonation = { "Impersonate-User": "ann", "Impersonate-Group": ["dev", "ops"] };
  const cluster = openCluster(connectionTo(api, { impersonation }), quickPace());
  await cluster.read({ apiVersion: "v1", kind: "Pod", ...web });
  cluster.close();
  expect(api.received[0]?.headers).toMatchObject({
    authorization: "Bearer first",
    "impersonate-user": "ann",
    "impersonate-group": "dev, ops",
  });
});

test("a rejection keeps the API server's message and causes", async () => {
  const causes = [
    { reason: "FieldManagerConflict", field: ".spec.replicas", message: 'conflict with "hpa"' },
  ];
  const api = await scriptedApi([status(409, "Conflict", "Apply failed", { details: { causes } })]);
  const cluster = openCluster(connectionTo(api), quickPace());
  const answer = await cluster.apply(object("v1", "Pod", web), ssa);
  cluster.close();
  expect(answer).toEqual({
    ok: false,
    failure: { reason: "conflict", status: 409, message: "Apply failed", causes },
  });
});

test("the page of a proxy isn't shown as the API server's message", async () => {
  const api = await scriptedApi([{ status: 418, text: "<html>teapot</html>" }]);
  const cluster = openCluster(connectionTo(api), quickPace());
  const answer = await cluster.read({ apiVersion: "v1", kind: "Pod", ...web });
  cluster.close();
  expect(answer).toMatchObject({ failure: { reason: "other", status: 418, message: "HTTP 418" } });
});

test("a forbidden log counts as missing", async () => {
  const api = await scriptedApi([status(403, "Forbidden", "no")]);
  const cluster = openCluster(connectionTo(api), quickPace());
  expect(await cluster.logTail("shop", "web-1", "main", 20)).toBeUndefined();
  cluster.close();
});
