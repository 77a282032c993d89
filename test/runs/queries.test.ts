import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../src/model/object.ts";
import type { Cluster } from "../../src/ports/kubernetes.ts";
import { encodeRelease } from "../../src/releases/encode.ts";
import { instancesOf } from "../../src/releases/queries/instances.ts";
import { judgeObjects } from "../../src/runs/queries/judge-objects.ts";
import { listRecorded } from "../../src/runs/queries/list-recorded.ts";
import { release } from "../releases/release-from.ts";
import { fakeCluster, refused } from "../support/fake-cluster.ts";

const namespaces = ["dark", "shop", "team"].map((name) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
}));

function recordsIn(namespace: string): readonly KubeObject[] {
  const compress = (text: string) => gzipSync(text);
  return encodeRelease(release(1, "succeeded", { names: ["a"] }), { namespace, compress });
}

/** Refuses to list Secrets of the whole cluster, and in the namespace `dark`. */
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

describe("an identity that may not list Secrets of all namespaces", () => {
  const records = ["dark", "shop", "team"].flatMap(recordsIn);

  it("gets those of each namespace that it may list, and is told which are missing", async () => {
    const { deployments, notices } = await listRecorded(
      shortSighted([...namespaces, ...records]),
      undefined,
    );
    expect(deployments.map(({ namespace }) => namespace)).toEqual(["shop", "team"]);
    expect(notices.map(({ what }) => what)).toEqual([
      "1 of 3 namespaces are not in the answer, since this identity may not list their Secrets: dark",
    ]);
  });

  it("is refused where it may not list namespaces either", async () => {
    const cluster = shortSighted([...namespaces, ...records], false);
    await expect(listRecorded(cluster, undefined)).rejects.toThrow(
      /cannot list resource "secrets"[^→]*→ Name a namespace with --namespace/,
    );
  });
});

describe("how an object stands", () => {
  const instances = instancesOf([
    release(1, "succeeded", { names: ["there", "unlabelled", "gone"], inventory: ["old"] }),
  ]);
  const configMap = (name: string, labels: Readonly<Record<string, string>>) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "shop", labels },
  });

  it("is told by its metadata, whether it has kept its labels or not", async () => {
    const cluster = fakeCluster([
      configMap("there", { "vs.axis-dev.io/deployment": "shop" }),
      configMap("unlabelled", {}),
    ]);
    const states = await judgeObjects(cluster, instances, new Date(0));
    expect([...states].map(([key, { state }]) => `${key} ${state}`)).toEqual([
      "core:ConfigMap::shop/there ready",
      "core:ConfigMap::shop/unlabelled ready",
      "core:ConfigMap::shop/gone missing",
      "core:ConfigMap::shop/old missing",
    ]);
  });

  it("is not known where its kind may not be listed", async () => {
    const cluster: Cluster = {
      ...fakeCluster(),
      listMetadata: async () => refused("forbidden", 403, "no"),
    };
    const states = await judgeObjects(cluster, instances, new Date(0));
    expect(new Set([...states.values()].map(({ state, why }) => `${state}: ${why}`))).toEqual(
      new Set(["unknown: no"]),
    );
  });
});
