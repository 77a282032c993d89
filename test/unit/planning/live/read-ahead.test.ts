import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readAhead } from "../../../../src/planning/live/read-ahead.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import { encodeRelease } from "../../../../src/releases/encode.ts";
import { fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { release } from "../../../support/plan/release-from.ts";
import { plainDeployment } from "../../../support/shop/plain-deployment.ts";

const deployment = plainDeployment();

const world = { decompress: (bytes: Uint8Array) => gunzipSync(bytes).toString() };

/**
 * Creates a cluster with one release, and records its lists, with `+` for those with a selector.
 */
function clusterWith(names: readonly string[]): { cluster: Cluster; requests: string[] } {
  const how = { namespace: "shop", compress: (text: string) => gzipSync(text) };
  const fake = fakeCluster(encodeRelease(release(1, "succeeded", { names }), how));
  const requests: string[] = [];
  const cluster: Cluster = {
    ...fake,
    list: (apiVersion, kind, namespace, selector) => {
      requests.push(`${kind}${selector === undefined ? "" : "+"}`);
      return fake.list(apiVersion, kind, namespace, selector);
    },
    listMetadata: (...query) => fake.listMetadata(...query),
  };
  return { cluster, requests };
}

async function readFrom(cluster: Cluster) {
  const ahead = readAhead(cluster, deployment, world);
  const recorded = await ahead.recorded;
  return { ...ahead, recorded };
}

test("qvs requests the releases and their recorded kinds early", async () => {
  const { cluster, requests } = clusterWith(["a", "b"]);
  const { recorded } = await readFrom(cluster);
  expect(recorded.ok && recorded.value.releases.map(({ revision }) => revision)).toEqual([1]);
  expect(requests).toEqual(["Secret+", "ConfigMap"]);
});

test("each list is used once, and further lists are requested from the API server", async () => {
  const { cluster, requests } = clusterWith(["a"]);
  const ahead = await readFrom(cluster);
  const lists = [
    ["ConfigMap", "shop"],
    ["ConfigMap", "shop"],
    ["ConfigMap", "elsewhere"],
    ["Service", "shop"],
  ] as const;
  const answers = [];
  for (const [kind, namespace] of lists) {
    await ahead.cluster.list("v1", kind, namespace);
    answers.push(requests.length);
  }
  expect(requests).toEqual(["Secret+", "ConfigMap", "ConfigMap", "ConfigMap", "Service"]);
  expect(answers).toEqual([2, 3, 4, 5]);
});

test("a list with a selector is a different list", async () => {
  const { cluster, requests } = clusterWith(["a"]);
  const ahead = await readFrom(cluster);
  await ahead.cluster.list("v1", "ConfigMap", "shop", "app=a");
  expect(requests).toEqual(["Secret+", "ConfigMap", "ConfigMap+"]);
});

test("only the releases are read if they record more than a thousand objects", async () => {
  const names = Array.from({ length: 1_001 }, (_, i) => `n${i}`);
  const { cluster, requests } = clusterWith(names);
  await readFrom(cluster);
  expect(requests).toEqual(["Secret+"]);
});

test("unreadable releases prevent further reads, and the plan reports the error", async () => {
  const requests: string[] = [];
  const fake = fakeCluster();
  const cluster: Cluster = {
    ...fake,
    list: async (_, kind) => {
      requests.push(kind);
      return refused("forbidden", 403, "no");
    },
    listMetadata: (...query) => fake.listMetadata(...query),
  };
  const { recorded } = await readFrom(cluster);
  expect(recorded.ok).toBe(false);
  expect(requests).toEqual(["Secret"]);
});
