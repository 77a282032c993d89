import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  type DeploymentsQuery,
  getDeployments,
  getInstances,
  getObjects,
} from "../../../../src/commands/queries/get.ts";
import { listRecorded } from "../../../../src/deploying/queries/list-recorded.ts";
import { readInstanceStates } from "../../../../src/deploying/queries/read-instance-states.ts";
import { matchesKind, parseKind } from "../../../../src/inputs/kind-selector.ts";
import type { Release } from "../../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../../src/model/deployments/release-history.ts";
import { type KubeObject, keyOf } from "../../../../src/model/object.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import type { World } from "../../../../src/ports/world.ts";
import { encodeRelease } from "../../../../src/releases/encode.ts";
import { recordedInstances } from "../../../../src/releases/queries/instances.ts";
import { fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { release } from "../../../support/plan/release-from.ts";

const namespaces = ["dark", "shop", "team"].map((name) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
}));

function recordsIn(namespace: string): readonly KubeObject[] {
  const compress = (text: string) => gzipSync(text);
  return encodeRelease(release(1, "succeeded", { names: ["a"] }), { namespace, compress });
}

/**
 * Creates a cluster that rejects listing Secrets of all namespaces, and of the namespace `dark`.
 */
function shortSighted(objects: readonly KubeObject[], seesNamespaces = true): Cluster {
  const fake = fakeCluster(objects);
  return {
    ...fake,
    async listMetadata(apiVersion, kind, namespace, selector) {
      const isDark = kind === "Secret" && (namespace === undefined || namespace === "dark");
      if (isDark || (kind === "Namespace" && !seesNamespaces)) {
        const what = kind === "Secret" ? "secrets" : "namespaces";
        const message = `${what} is forbidden: User "dev" cannot list resource "${what}" in API group "" at the cluster scope`;
        return refused("forbidden", 403, message);
      }
      return fake.listMetadata(apiVersion, kind, namespace, selector);
    },
  };
}

describe("an identity that isn't allowed to list Secrets of all namespaces", () => {
  const records = ["dark", "shop", "team"].flatMap(recordsIn);

  it("gets the deployments of each readable namespace and a list of the missing namespaces", async () => {
    const { deployments, notices } = await listRecorded(
      shortSighted([...namespaces, ...records]),
      undefined,
    );
    expect(deployments.map(({ namespace }) => namespace)).toEqual(["shop", "team"]);
    expect(notices).toMatchObject([
      {
        what: "1 of 3 namespaces are missing from the answer",
        facts: [{ label: "missing", value: "dark" }],
      },
    ]);
  });

  it("gets an error if it isn't allowed to list namespaces either", async () => {
    const cluster = shortSighted([...namespaces, ...records], false);
    await expect(listRecorded(cluster, undefined)).rejects.toThrow(
      /cannot list resource "secrets"[^→]*\n {2}help: Name a namespace with --namespace/,
    );
  });
});

describe("the state of an object", () => {
  const instances = recordedInstances(
    createReleaseHistory([
      release(1, "succeeded", { names: ["there", "unlabelled", "gone"], inventory: ["old"] }),
    ]),
  );
  const configMap = (name: string, labels: Readonly<Record<string, string>>) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "shop", labels },
  });

  it("is found by its metadata, with or without its labels", async () => {
    const cluster = fakeCluster([
      configMap("there", { "vs.axis-dev.io/deployment": "shop" }),
      configMap("unlabelled", {}),
    ]);
    const states = await readInstanceStates(cluster, instances, new Date(0));
    expect([...states].map(([key, { state }]) => `${key} ${state}`)).toEqual([
      "core:ConfigMap::shop/there ready",
      "core:ConfigMap::shop/unlabelled ready",
      "core:ConfigMap::shop/gone missing",
      "core:ConfigMap::shop/old missing",
    ]);
  });

  it("is that of this deployment, not of another one that has adopted the object", async () => {
    const of = (deployment: string, namespace = "shop") => ({
      "vs.axis-dev.io/deployment": deployment,
      "vs.axis-dev.io/release-namespace": namespace,
    });
    const own = release(1, "succeeded", {
      names: ["own", "taken", "namesake"],
      inventory: ["moved"],
    });
    const cluster = fakeCluster([
      ...encodeRelease(own, { namespace: "shop", compress: (text) => gzipSync(text) }),
      configMap("own", of("shop")),
      configMap("taken", of("other")),
      configMap("namesake", of("shop", "team")),
      configMap("moved", of("other")),
    ]);
    const { deployments } = await getDeployments(worldOf(cluster), asking());
    const listed = deployments.flatMap(({ instances }) => instances);
    expect(listed.map(({ id, state, why, isHealthy }) => [id.name, state, isHealthy, why])).toEqual(
      [
        ["own", "ready", true, ""],
        ["taken", "missing", false, "the object with its name belongs to the deployment other"],
        [
          "namesake",
          "missing",
          false,
          "the object with its name belongs to the deployment shop in namespace team",
        ],
        ["moved", "missing", true, "the object with its name belongs to the deployment other"],
      ],
    );
  });

  it("is ready if the object has completed and is absent", async () => {
    const done = instances.map((each) => ({ ...each, isDoneWhenAbsent: true }));
    const states = await readInstanceStates(fakeCluster(), done.slice(0, 1), new Date(0));
    expect([...states.values()]).toEqual([
      { state: "ready", why: "completed, then deleted", live: undefined },
    ]);
  });

  it("is unknown if its kind can't be listed, after one request for all namespaces", async () => {
    const requested: (string | undefined)[] = [];
    const cluster: Cluster = {
      ...fakeCluster(),
      listMetadata: async (_, __, namespace) => {
        requested.push(namespace);
        return refused("other", 500, "the conversion webhook does not answer");
      },
    };
    const elsewhere = instances.map((each) => ({ ...each, id: { ...each.id, namespace: "team" } }));
    const states = await readInstanceStates(cluster, [...instances, ...elsewhere], new Date(0));
    expect(new Set([...states.values()].map(({ state }) => state))).toEqual(new Set(["unknown"]));
    expect(requested).toEqual([undefined]);
  });

  it("is unknown if the identity isn't allowed to list its kind", async () => {
    const cluster: Cluster = {
      ...fakeCluster(),
      listMetadata: async () => refused("forbidden", 403, "no"),
    };
    const states = await readInstanceStates(cluster, instances, new Date(0));
    expect(new Set([...states.values()].map(({ state, why }) => `${state}: ${why}`))).toEqual(
      new Set(["unknown: no"]),
    );
  });
});

const ids = {
  settings: { group: "", kind: "ConfigMap", namespace: "shop", name: "settings" },
  web: { group: "apps", kind: "Deployment", namespace: "shop", name: "web" },
  queue: { group: "apps", kind: "StatefulSet", namespace: "shop", name: "queue" },
};

/** Returns a release with objects of three kinds. */
function mixed(): Release {
  const entries = Object.values(ids).map((id) => ({
    id,
    apiVersion: id.group === "" ? "v1" : `${id.group}/v1`,
  }));
  return {
    ...release(1, "succeeded"),
    expandedConfig: entries.map(({ id: { kind, namespace, name }, apiVersion }) => ({
      stage: "app",
      resource: name,
      object: { apiVersion, kind, metadata: { namespace, name } },
      dependsOn: [],
    })),
    inventory: entries.map((entry) => ({ ...entry, stage: "app", after: [] })),
  };
}

/** Records the requests to a cluster in which only the ConfigMap of the release exists. */
function recordingWorld(record: Release = mixed()) {
  const requests: string[] = [];
  const compress = (text: string) => gzipSync(text);
  const labels = { "vs.axis-dev.io/deployment": "shop" };
  const settings = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", namespace: "shop", labels },
  };
  const fake = fakeCluster([...encodeRelease(record, { namespace: "shop", compress }), settings]);
  const cluster: Cluster = {
    ...fake,
    async read(address) {
      requests.push(`read ${address.kind} ${address.name}`);
      return fake.read(address);
    },
    async list(apiVersion, kind, ...more) {
      requests.push(`list ${kind}`);
      return fake.list(apiVersion, kind, ...more);
    },
    async listMetadata(apiVersion, kind, ...more) {
      requests.push(`list metadata of ${kind}`);
      return fake.listMetadata(apiVersion, kind, ...more);
    },
  };
  return { world: worldOf(cluster), requests };
}

function worldOf(cluster: Cluster): World {
  return {
    target: async () => ({ cluster, namespace: "shop" }),
    clock: { now: () => new Date(0) },
    decompress: (bytes: Uint8Array) => gunzipSync(bytes).toString("utf8"),
  } as unknown as World;
}

function asking(about: Partial<DeploymentsQuery> = {}): DeploymentsQuery {
  const place = { context: undefined, namespace: "shop", allNamespaces: false };
  return { ...place, deployment: undefined, ...about };
}

function kind(text: string): Pick<DeploymentsQuery, "kind"> {
  const word = parseKind(text);
  return { kind: { text, is: ({ id }) => matchesKind(word, id) } };
}

/** The requests for records: by their labels and by their type, and then the current release. */
const records = [
  ...["list metadata of Secret", "list metadata of Secret"],
  "read Secret qvs.shop.v1",
];

describe("the requests of a query to the cluster", () => {
  it.each<[string, (world: World) => Promise<unknown>, readonly string[]]>([
    [
      "the objects of one kind without a status: the metadata of that kind",
      (world) => getInstances(world, asking(kind("cm"))),
      [...records, "list metadata of ConfigMap"],
    ],
    [
      "the objects of one kind with a status: that kind, and those without its label",
      (world) => getInstances(world, asking(kind("sts"))),
      [...records, ...["list StatefulSet", "read StatefulSet queue"]],
    ],
    [
      "the types in use, of one kind",
      (world) => getObjects(world, asking(kind("cm"))),
      [...records, "list metadata of ConfigMap"],
    ],
    [
      "a kind without objects: only the records",
      (world) => getInstances(world, asking(kind("ds"))).catch(() => undefined),
      records,
    ],
  ])("%s", async (_, ask, expected) => {
    const { world, requests } = recordingWorld();
    await ask(world);
    expect(requests).toEqual(expected);
  });
});

describe("filtered deployments", () => {
  it("have the health of all their objects, not only of the selected ones", async () => {
    const { deployments } = await getDeployments(recordingWorld().world, asking(kind("cm")));
    const states = deployments.flatMap(({ instances }) =>
      instances.map(({ id, state }) => `${keyOf(id)} ${state}`),
    );
    expect(states.toSorted()).toEqual([
      "apps:Deployment::shop/web missing",
      "apps:StatefulSet::shop/queue missing",
      "core:ConfigMap::shop/settings ready",
    ]);
  });

  it("are unhealthy even without objects", async () => {
    const failed = { ...release(1, "failed"), inventory: [], results: [] };
    const { world } = recordingWorld(failed);
    const { deployments } = await getDeployments(world, asking({ unhealthy: true }));
    expect(deployments.map(({ name }) => name)).toEqual(["shop"]);
  });
});

describe("a deployment given by name", () => {
  const list = "deployments: [{name: shop, config: qvs.yaml, namespace: shop, context: blue}]";
  const requested: Partial<DeploymentsQuery> = { deployment: "shop", namespace: undefined };

  /** Creates a world in a cluster whose context has another namespace. */
  function worldIn(files: Readonly<Record<string, string>>) {
    const contexts: (string | undefined)[] = [];
    const { world } = recordingWorld();
    const tree = { read: async (path: string) => files[path], list: async () => [] };
    const target: World["target"] = async (deployment) => {
      contexts.push(deployment.context);
      return { ...(await world.target(deployment)), namespace: "elsewhere" };
    };
    const here = { ...world, target, source: { tree }, repositoryName: "app" };
    return { world: here as unknown as World, contexts };
  }

  it.each<[string, (world: World) => Promise<{ namespace: string | undefined }>]>([
    ["with its state", (world) => getDeployments(world, asking(requested))],
    ["by the types of its objects", (world) => getObjects(world, asking(requested))],
    ["by its objects", (world) => getInstances(world, asking(requested))],
  ])("%s is found through the list of this repository, in its context", async (_, ask) => {
    const { world, contexts } = worldIn({ ".valuestream/deployments.yaml": list });
    expect(await ask(world)).toMatchObject({ namespace: "shop", deployments: [{ name: "shop" }] });
    expect(contexts).toEqual(["blue"]);
  });

  it("is found by its records if no list contains it", async () => {
    const answer = await getDeployments(worldIn({}).world, asking(requested));
    expect(answer).toMatchObject({ namespace: "shop", deployments: [{ name: "shop" }] });
  });
});

it("unreadable objects are listed next to the readable ones", async () => {
  const broken = { ...mixed(), inventory: [{}] } as unknown as Release;
  const { notices } = await getInstances(recordingWorld(broken).world, asking());
  expect(notices.map(({ what }) => what).join()).toContain("qvs.shop.v1");
});
