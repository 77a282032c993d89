import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { deploy } from "../../../src/commands/deploy.ts";
import { loadWasm } from "../../../src/io/cue/engine/lazy-program.ts";
import { defaultRequest } from "../../../src/model/deployments/deploy-request.ts";
import { idOf, keyOf } from "../../../src/model/object.ts";
import type { ApprovedPlans } from "../../../src/model/plan/approval.ts";
import { UserError } from "../../../src/model/problems/errors.ts";
import type { DeclaredObject } from "../../../src/plan/declared/objects.ts";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import type { LockOptions, World } from "../../../src/ports/world.ts";
import { expectDigest } from "../../../src/report/plans/parse-expected-plan.ts";
import { describeProblem } from "../../support/describe-problem.ts";
import { type FakeCluster, fakeCluster } from "../../support/fake-cluster.ts";
import { applied } from "../../support/plan/live.ts";
import { cautious } from "../../support/policy.ts";
import { plainDeployment } from "../../support/shop/plain-deployment.ts";
import { virtualClock } from "../../support/virtual-clock.ts";
import { sourceOf } from "../compile/specification.ts";

let wasm: WebAssembly.Module;
beforeAll(async () => {
  wasm = await loadWasm(new URL("../../../dist/cue.wasm.zst", import.meta.url));
});

const deployment = plainDeployment();

/** An adapter with the namespace of its releases, and an object in another namespace. */
const adapter = `DesignPattern: resources: {
	appSetup: ns: #Object & {apiVersion: "v1", kind: "Namespace", metadata: name: "shop"}
	app: {
		own: #ConfigMap & {metadata: name: "own"}
		other: #ConfigMap & {metadata: {name: "other", namespace: "elsewhere"}, data: a: "new"}
	}
}`;

/**
 * Deploys the adapter into a cluster with only the namespace "elsewhere". Returns the messages and
 * the writes.
 */
async function deployed(expected: ApprovedPlans, onNamespaceCreated: (fake: FakeCluster) => void) {
  const fake = fakeCluster();
  fake.onWrite((write) => {
    if (write === "apply Namespace shop") onNamespaceCreated(fake);
  });
  const cluster: Cluster = {
    ...fake,
    async kind(apiVersion, kind) {
      const known = await fake.kind(apiVersion, kind);
      return known.ok
        ? { ok: true, value: { ...known.value, namespaced: kind !== "Namespace" } }
        : known;
    },
    async apply(object, how) {
      const key = keyOf(idOf(object));
      const live = fake.get(key)?.metadata;
      const status = object.kind === "Namespace" ? { status: { phase: "Active" } } : {};
      const whole = { ...object, ...status };
      if (how.dryRun)
        return { ok: true, value: { ...whole, metadata: { ...live, ...object.metadata } } };
      const { metadata } = applied({ key, object, stage: "appSetup" } as DeclaredObject, "shop");
      const { resourceVersion: _version, ...rest } = metadata;
      return fake.apply({ ...whole, metadata: rest }, how);
    },
  };
  try {
    await deploy(worldOf(cluster), deployment, [], {
      ...defaultRequest,
      limits: { timeoutMs: 1000, concurrency: 4 },
      policy: cautious,
      expected,
    });
    return { text: "", writes: fake.writes };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { text: error.problems.map(describeProblem).join("\n"), writes: fake.writes };
  }
}

function worldOf(cluster: Cluster): World {
  const never = new AbortController().signal;
  const lockSignals = { yieldRequested: never, challenger: () => undefined };
  const lock = async ({ createNamespace }: LockOptions) => {
    await createNamespace?.();
    return { lost: never, ...lockSignals, cluster, release: async () => undefined };
  };
  return {
    source: sourceOf({ name: "", adapters: { it: adapter }, expected: "" }, wasm),
    clock: virtualClock(),
    progress: () => ({ report: () => {} }),
    signal: never,
    origin: { commit: "c0ffee", actor: undefined, run: undefined },
    repository: undefined,
    compareCommits: async () => "unknown",
    compress: (text: string) => gzipSync(text),
    decompress: (bytes: Uint8Array) => gunzipSync(bytes).toString(),
    hash: (text: string) => createHash("sha256").update(text).digest("hex"),
    target: async () => ({ cluster, lock, dryRunLock: async () => undefined }),
  } as unknown as World;
}

test("the approval doesn't include a change that another writer makes during the first write", async () => {
  const nothing = () => {};
  const unexpected = await deployed(expectDigest("0".repeat(12)), nothing);
  expect(unexpected.writes).toEqual([]);
  const [, digest = ""] = /found: +([0-9a-f]{12})/.exec(unexpected.text) ?? [];
  const approved = await deployed(expectDigest(digest), nothing);
  expect(approved.text).toBe("");
  expect(approved.writes).toContain("apply ConfigMap elsewhere/other");

  const refused = await deployed(expectDigest(digest), (fake) =>
    fake.put({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "other",
        namespace: "elsewhere",
        labels: {
          "app.kubernetes.io/managed-by": "qvs",
          "vs.axis-dev.io/deployment": "shop",
          "vs.axis-dev.io/release-namespace": "shop",
        },
      },
      data: { a: "old" },
    }),
  );
  expect(refused.text).toContain("update ConfigMap elsewhere/other");
  expect(refused.writes).toEqual(["apply Namespace shop"]);
});
