import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { previewDeployment } from "../../../src/deploying/preview-deployment.ts";
import { defaultRequest } from "../../../src/model/deployments/deploy-request.ts";
import { failed, ok } from "../../../src/model/problems/problem.ts";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import type { World } from "../../../src/ports/world.ts";
import { encodeRelease } from "../../../src/releases/encode.ts";
import { releaseSelector } from "../../../src/releases/release-names.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";
import { manifestsFrom } from "../../support/plan/declare.ts";
import { release } from "../../support/plan/release-from.ts";
import { cautious } from "../../support/policy.ts";
import { plainDeployment } from "../../support/shop/plain-deployment.ts";
import { virtualClock } from "../../support/virtual-clock.ts";

const deployment = plainDeployment();

interface Compiling {
  /** The time that the compilation takes, in milliseconds. */
  readonly takes?: number;
  readonly fails?: boolean;
}

/**
 * Runs a preview whose adapters compile only after the release and its objects were requested from
 * the cluster.
 */
async function preview({ takes = 0, fails = false }: Compiling) {
  const how = { namespace: "shop", compress: (text: string) => gzipSync(text) };
  const fake = fakeCluster(encodeRelease(release(1, "succeeded", { names: ["a"] }), how));
  const log: string[] = [];
  const { promise: requested, resolve: markRequested } = Promise.withResolvers<void>();
  const cluster: Cluster = {
    ...fake,
    list: (apiVersion, kind, namespace, selector) => {
      if (kind === "ConfigMap") {
        log.push("objects");
        markRequested();
      } else if (selector === releaseSelector("shop")) log.push("releases");
      return fake.list(apiVersion, kind, namespace, selector);
    },
  };
  const clock = virtualClock();
  const { layout } = release(1, "succeeded");
  const name = "app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: b}}\n";
  const compilation = {
    ...{ resources: manifestsFrom(name), pulumi: undefined, layout },
    ...{ warnings: [], inputs: [] },
  };
  const compileCached = async () => {
    await requested;
    await clock.sleep(takes);
    log.push("compiled");
    return fails ? failed([]) : ok(compilation);
  };
  const world = {
    clock,
    signal: new AbortController().signal,
    origin: { commit: "c0ffee", actor: undefined, run: undefined },
    source: {
      tree: {
        read: async () => "designPatterns: []\nmodules: []\n",
        list: async () => [],
        trackedByLfs: async () => [],
      },
      modules: {},
      compiler: { compileCached },
      declaredParams: async () => new Set(),
    },
    repository: undefined,
    target: async () => ({ cluster, dryRunLock: async () => undefined }),
    compareCommits: async () => "unknown",
    decompress: (bytes: Uint8Array) => gunzipSync(bytes).toString(),
    hash: (text: string) => createHash("sha256").update(text).digest("hex"),
  } as unknown as World;
  const request = {
    ...{ deployment, before: undefined, inline: [], withoutCluster: undefined },
    request: { ...defaultRequest, policy: cautious },
  };
  const report = await previewDeployment(world, request);
  return { log, report };
}

test("qvs reads the cluster once, while the adapters compile", async () => {
  const { log, report } = await preview({});
  expect(log).toEqual(["releases", "objects", "compiled"]);
  expect(report.clusterState).toEqual({ compared: true });
});

test("qvs reads everything again if the compilation took long", async () => {
  const { log, report } = await preview({ takes: 10_001 });
  expect(log).toEqual(["releases", "objects", "compiled", "releases", "objects"]);
  expect(report.clusterState).toEqual({ compared: true });
});

test("a config that doesn't compile isn't compared, even after the cluster was read", async () => {
  const { log, report } = await preview({ fails: true });
  expect(log).toEqual(["releases", "objects", "compiled"]);
  expect(report.clusterState).toEqual({ compared: false, because: "the config doesn't compile" });
});
