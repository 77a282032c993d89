import { expect, test } from "vitest";
import { openCluster } from "../../../../../src/io/kubernetes/cluster.ts";
import type { JsonObject } from "../../../../../src/model/json.ts";
import {
  connectionTo,
  defaultDiscovery,
  quickPace,
  type Scripted,
  scriptedApi,
  status,
} from "../../../../support/servers/scripted-api.ts";

const oldServer: Readonly<Record<string, Scripted>> = {
  "/api": { json: { kind: "APIVersions", versions: ["v1"] } },
  "/api/v1": { json: { kind: "APIResourceList", resources: [] } },
  "/apis": {
    json: {
      kind: "APIGroupList",
      groups: [
        { name: "down.example", versions: [{ groupVersion: "down.example/v1", version: "v1" }] },
        { name: "apps", versions: [{ groupVersion: "apps/v1", version: "v1" }] },
      ],
    },
  },
  "/apis/down.example/v1": { status: 500, json: {} },
  "/apis/apps/v1": {
    json: {
      kind: "APIResourceList",
      resources: [
        { name: "deployments", kind: "Deployment", namespaced: true, verbs: ["get", "list"] },
        { name: "deployments/status", kind: "Deployment", namespaced: true },
        { name: "deployments/scale", kind: "Scale", namespaced: true },
      ],
    },
  },
};

async function open(discovery = defaultDiscovery, script: readonly Scripted[] = []) {
  const api = await scriptedApi(script, discovery);
  const cluster = openCluster(connectionTo(api), quickPace());
  return { api, cluster, asked: () => api.discovered.map((one) => one.line) };
}

test("many concurrent questions need two requests", async () => {
  const { cluster, asked } = await open();
  const kinds = [
    ["v1", "Pod"],
    ["v1", "ConfigMap"],
    ["apps/v1", "Deployment"],
    ["apps/v1", "Deployment"],
  ] as const;
  const answers = await Promise.all(kinds.map(([version, kind]) => cluster.kind(version, kind)));
  cluster.close();
  expect(answers.map((answer) => answer.ok && answer.value.plural)).toEqual([
    "pods",
    "configmaps",
    "deployments",
    "deployments",
  ]);
  expect([...asked()].sort()).toEqual(["GET /api", "GET /apis"]);
});

test("a server without aggregated discovery is read per group and version, once", async () => {
  const { cluster, asked } = await open(oldServer);
  const deployments = {
    group: "apps",
    version: "v1",
    kind: "Deployment",
    plural: "deployments",
    namespaced: true,
    hasStatus: true,
    listable: true,
    names: [],
  };
  expect(await cluster.kind("apps/v1", "Deployment")).toEqual({ ok: true, value: deployments });
  expect(await cluster.preferredKind("apps", "Deployment")).toEqual({
    ok: true,
    value: deployments,
  });
  cluster.close();
  expect(asked().filter((line) => !line.includes("down.example"))).toEqual([
    "GET /apis",
    "GET /apis/apps/v1",
  ]);
});

test("aggregated discovery lists the kinds that have a status", async () => {
  const version = (subresources: readonly { subresource: string }[]) => ({
    version: "v1",
    resources: [
      {
        ...{ resource: "widgets", responseKind: { kind: "Widget" }, scope: "Namespaced" },
        ...{ verbs: ["list"], subresources },
      },
    ],
  });
  const answers = [[{ subresource: "scale" }, { subresource: "status" }], []].map(
    async (subresources) => {
      const item = { metadata: { name: "example.com" }, versions: [version(subresources)] };
      const list = { kind: "APIGroupDiscoveryList", items: [item] };
      const { cluster } = await open({ ...defaultDiscovery, "/apis": { json: list } });
      const answer = await cluster.kind("example.com/v1", "Widget");
      cluster.close();
      return answer.ok && answer.value.hasStatus;
    },
  );
  expect(await Promise.all(answers)).toEqual([true, false]);
});

test("the preferred version of a group is its first version", async () => {
  const { cluster } = await open();
  const answer = await cluster.preferredKind("autoscaling", "HorizontalPodAutoscaler");
  cluster.close();
  expect(answer).toMatchObject({ value: { version: "v2" } });
});

test("a subresource isn't treated as a kind", async () => {
  const { cluster } = await open(oldServer);
  const answer = await cluster.kind("apps/v1", "Scale");
  cluster.close();
  expect(answer).toMatchObject({ ok: false, failure: { reason: "unknown-kind" } });
});

test("the error for an unserved version lists the served versions", async () => {
  const { cluster } = await open(defaultDiscovery, [status(404, "NotFound", "404")]);
  const answer = await cluster.kind("extensions/v1beta1", "Ingress");
  cluster.close();
  expect(answer).toMatchObject({
    failure: {
      reason: "unknown-kind",
      message:
        "the API server doesn't serve Ingress in extensions/v1beta1; it serves Ingress in networking.k8s.io/v1",
    },
  });
});

test.each([
  ["v1", "Deployment", "Deployment in apps/v1"],
  ["apps/v1", "ConfigMap", "ConfigMap in v1"],
  ["v1", "configmap", "ConfigMap in v1"],
  ["apps/v1", "Deployments", "Deployment in apps/v1"],
])("the error for %s %s says that the cluster serves %s", async (version, kind, served) => {
  const { cluster } = await open(defaultDiscovery, [status(404, "NotFound", "404")]);
  const answer = await cluster.kind(version, kind);
  cluster.close();
  expect(answer.ok ? "" : answer.failure.message).toBe(
    `the API server doesn't serve ${kind} in ${version}; it serves ${served}`,
  );
});

const withVersion = (gitVersion: string) => ({
  ...defaultDiscovery,
  "/version": { json: { gitVersion } },
});

test("the version is requested once", async () => {
  const { cluster, asked } = await open(withVersion("v1.32.13"));
  const answers = await Promise.all([cluster.version(), cluster.version()]);
  cluster.forgetKinds();
  const later = await cluster.version();
  cluster.close();
  expect([...answers, later]).toEqual(
    Array.from({ length: 3 }, () => ({
      ok: true,
      value: { major: 1, minor: 32, full: "v1.32.13" },
    })),
  );
  expect(asked()).toEqual(["GET /version"]);
});

test("a server without a version is a failure", async () => {
  const { cluster } = await open(withVersion("unknown"));
  const answer = await cluster.version();
  cluster.close();
  expect(answer).toMatchObject({ ok: false, failure: { reason: "other" } });
});

test("the error for a kind that other versions have names them and the server's version", async () => {
  const { cluster } = await open(withVersion("v1.33.13"), [status(404, "NotFound", "404")]);
  const answer = await cluster.kind("resource.k8s.io/v1", "ResourceClaim");
  cluster.close();
  expect(answer.ok ? "" : answer.failure.message).toBe(
    "the API server doesn't serve ResourceClaim in resource.k8s.io/v1; it exists since Kubernetes 1.34; this server is 1.33",
  );
});

test("a new kind is found after qvs forgets the known kinds", async () => {
  const widgets: Scripted = {
    json: { resources: [{ name: "widgets", kind: "Widget", namespaced: false }] },
  };
  const { cluster } = await open(defaultDiscovery, [status(404, "NotFound", "404"), widgets]);
  const before = await cluster.kind("acme.example/v1", "Widget");
  const still = await cluster.kind("acme.example/v1", "Widget");
  cluster.forgetKinds();
  const after = await cluster.kind("acme.example/v1", "Widget");
  cluster.close();
  expect([before.ok, still.ok, after.ok]).toEqual([false, false, true]);
});

test("a failed discovery isn't cached", async () => {
  const forbidden = status(403, "Forbidden", "no discovery");
  const apps = oldServer["/apis/apps/v1"] as Scripted;
  const { cluster } = await open({ "/apis": forbidden }, [forbidden, apps]);
  const before = await cluster.kind("apps/v1", "Deployment");
  const after = await cluster.kind("apps/v1", "Deployment");
  cluster.close();
  expect(before).toMatchObject({ failure: { reason: "forbidden", message: "no discovery" } });
  expect(after.ok).toBe(true);
});

const aggregated = (...items: readonly JsonObject[]): Scripted => ({
  json: { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", items },
});

const staleServer: Readonly<Record<string, Scripted>> = {
  "/api": aggregated({
    metadata: {},
    versions: [
      {
        version: "v1",
        freshness: "Current",
        resources: [
          {
            resource: "pods",
            responseKind: { kind: "Pod" },
            scope: "Namespaced",
            verbs: ["list"],
            subresources: [{ subresource: "eviction", responseKind: { kind: "Eviction" } }],
          },
        ],
      },
    ],
  }),
  "/apis": aggregated({
    metadata: { name: "down.example" },
    versions: [{ version: "v1", freshness: "Stale" }],
  }),
  "/apis/down.example/v1": { status: 503, json: {} },
  "/apis/new.example/v1": {
    json: { kind: "APIResourceList", resources: [{ name: "news", kind: "New", namespaced: true }] },
  },
};

test.each([
  ["v1/Pod", true],
  ["v1/Eviction", true],
  ["v1", true],
  ["v1/Nothing", false],
  ["nothing", false],
  // A group version is listed although its API server doesn't answer, but its kinds are unknown.
  ["down.example/v1", true],
  ["down.example/v1/Thing", "failed"],
  // The list is older than this definition.
  ["new.example/v1", true],
  ["new.example/v1/New", true],
  ["new.example/v1/Other", false],
])("the answer to the question whether the server serves %s is %s", async (name, expected) => {
  const { cluster } = await open({ ...staleServer, "/api/v1": { json: { resources: [] } } });
  const answer = await cluster.servesApi(name);
  cluster.close();
  expect(answer.ok ? answer.value : "failed").toBe(expected);
});

test.each([
  ["aggregated", staleServer, ["v1", "v1/Pod", "v1/Eviction", "down.example/v1"]],
  ["plain", oldServer, ["v1", "down.example/v1", "apps/v1", "apps/v1/Deployment"]],
] as const)(
  "the APIs of %s discovery include those that can't be read",
  async (_, server, names) => {
    const { cluster } = await open(server);
    const answer = await cluster.apis();
    cluster.close();
    expect(answer.ok && [...new Set(answer.value.names)]).toEqual(names);
    expect(answer.ok && answer.value.unreadable).toEqual(["down.example/v1"]);
  },
);

test("an absent API of a built-in group costs no request", async () => {
  const { cluster, asked } = await open({ ...staleServer, "/api/v1": { json: { resources: [] } } });
  for (const name of ["v1/Nothing", "apps/v9", "policy/v1beta1", "networking.k8s.io/v9/Ingress"])
    expect(await cluster.servesApi(name)).toEqual({ ok: true, value: false });
  cluster.close();
  expect([...asked()].sort()).toEqual(["GET /api", "GET /apis"]);
});
