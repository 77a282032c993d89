import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { carryOut } from "../../src/commands/carry-out.ts";
import { gatherPlan } from "../../src/commands/gather-plan.ts";
import type { Wanted } from "../../src/commands/plan-wanted.ts";
import { readReleases } from "../../src/commands/release-store.ts";
import type { DeployContext, DeployOptions } from "../../src/commands/under-lock.ts";
import type { World } from "../../src/commands/world.ts";
import { UserError } from "../../src/errors.ts";
import type { Deployment } from "../../src/model/deployment.ts";
import { idOf, nameOf } from "../../src/model/object.ts";
import type { Cluster } from "../../src/ports.ts";
import { historyOf } from "../../src/releases/history.ts";
import { manifestsFrom } from "../plan/declare.ts";
import { release } from "../releases/release-from.ts";
import { type FakeCluster, fakeCluster, refused } from "../support/fake-cluster.ts";
import { cautious } from "../support/policy.ts";
import { virtualClock } from "../support/virtual-clock.ts";

const deployment: Deployment = {
  name: "shop",
  config: "qvs.yaml",
  params: [],
  environment: undefined,
  context: undefined,
  namespace: "shop",
  dependsOn: [],
};

const limits = { timeoutMs: 1000, concurrency: 4 };
const policy = cautious;
const options: DeployOptions = {
  limits,
  policy,
  waitForLock: true,
  adopt: false,
};

const { layout, inputConfig: input } = release(1, "succeeded");

function wanted(...names: readonly string[]): Wanted {
  const yaml = names.map(
    (name) =>
      `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {a: ${name}}}`,
  );
  return { manifests: manifestsFrom(yaml.join("\n")), input, layout, rollbackOf: undefined };
}

interface Stage {
  readonly cluster: Cluster;
  readonly fake: FakeCluster;
  readonly world: World;
  /** Names of the objects that were asked about, in the order of the questions. */
  readonly dryRuns: string[];
}

/** A world with nothing but a cluster in memory. What a deployment must not need is missing in it. */
function stage(): Stage {
  const fake = fakeCluster();
  const dryRuns: string[] = [];
  const cluster: Cluster = {
    ...fake,
    async apply(object, how) {
      if (!how.dryRun) return fake.apply(object, how);
      dryRuns.push(nameOf(idOf(object)));
      return { ok: true, value: object };
    },
  };
  const world = {
    clock: virtualClock(),
    progress: () => ({ report: () => {} }),
    signal: new AbortController().signal,
    origin: { commit: "c0ffee", actor: undefined, run: undefined },
    repository: undefined,
    compress: (text: string) => gzipSync(text),
    decompress: (bytes: Uint8Array) => gunzipSync(bytes).toString(),
    hash: (text: string) => createHash("sha256").update(text).digest("hex"),
  } as unknown as World;
  return { cluster, fake, world, dryRuns };
}

function contextOf({ cluster }: Stage, changed: Partial<DeployContext> = {}): DeployContext {
  const lock = { lost: new AbortController().signal, cluster, release: async () => {} };
  const target = { cluster, lock: async () => lock };
  return { target, lock, deployment, options, ...changed };
}

async function revisionsIn({ cluster, world }: Stage): Promise<readonly string[]> {
  const recorded = await readReleases(cluster, deployment, world);
  if (!recorded.ok) throw new UserError(recorded.problems);
  return recorded.value.releases.map(({ revision, status }) => `${revision} ${status}`);
}

test("failures do not fill the namespace with records: ten stay, and the last success", async () => {
  const shop = stage();
  await carryOut(shop.world, contextOf(shop), wanted("a"));
  const failure = refused("invalid", 422, "no").failure;
  shop.fake.refuse("ConfigMap shop/b", ...Array.from({ length: 12 }, () => failure));
  for (let run = 0; run < 12; run++) {
    const { result } = await carryOut(shop.world, contextOf(shop), wanted("a", "b"));
    expect(result.succeeded).toBe(false);
  }
  expect(await revisionsIn(shop)).toEqual([
    ...Array.from({ length: 10 }, (_, index) => `${13 - index} failed`),
    "1 succeeded",
  ]);
});

test("a deployment from another config is refused before anything is asked or written", async () => {
  const shop = stage();
  const first = await carryOut(shop.world, contextOf(shop), wanted("a"));
  expect(first.release.source).toMatchObject({ commit: "c0ffee", config: "qvs.yaml" });
  const asked = [...shop.dryRuns];
  const moved = { deployment: { ...deployment, config: "new/qvs.yaml" } };
  await expect(carryOut(shop.world, contextOf(shop, moved), wanted("b"))).rejects.toThrow(
    'The deployment "shop" in namespace shop was last deployed from qvs.yaml, not from here (new/qvs.yaml)',
  );
  expect(shop.dryRuns).toEqual(asked);
  expect(await revisionsIn(shop)).toEqual(["1 succeeded"]);
  const adopting = { ...moved, options: { ...options, adopt: true } };
  await carryOut(shop.world, contextOf(shop, adopting), wanted("b"));
  await carryOut(shop.world, contextOf(shop, moved), wanted("b"));
  expect(await revisionsIn(shop)).toEqual(["3 succeeded", "2 succeeded", "1 succeeded"]);
});

test("a plan that was approved is asked about object by object, as its preview was", async () => {
  const shop = stage();
  const { manifests } = wanted("a", "b", "c");
  const { hash } = shop.world;
  const history = historyOf([]);
  const request = { deployment, manifests, inventory: [], history, policy, concurrency: 1, hash };
  const preview = await gatherPlan(shop.cluster, { ...request, purpose: "diff" });
  if (!preview.ok) throw new UserError(preview.problems);
  const previewed = shop.dryRuns.splice(0);
  const expected = { digest: preview.value.plan.digest, operations: undefined };
  const context = contextOf(shop, { options: { ...options, expected } });
  await carryOut(shop.world, context, wanted("a", "b", "c"));
  expect(shop.dryRuns).toEqual(previewed);
});

test("without an approved plan one question stands for all of its kind", async () => {
  const shop = stage();
  await carryOut(shop.world, contextOf(shop), wanted("a", "b", "c"));
  expect(shop.dryRuns).toEqual(["ConfigMap shop/a"]);
});
