import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { DeployedOutcome } from "../../../src/deploying/deploy-outcome.ts";
import { executePlan } from "../../../src/deploying/execute-plan.ts";
import type { DeployContext } from "../../../src/deploying/with-lock.ts";
import {
  type DeployRequest,
  defaultRequest,
} from "../../../src/model/deployments/deploy-request.ts";
import { emptyHistory } from "../../../src/model/deployments/release-history.ts";
import { idOf, nameOf } from "../../../src/model/object.ts";
import { UserError } from "../../../src/model/problems/errors.ts";
import type { DesiredState } from "../../../src/planning/desired-state.ts";
import { preparePlan } from "../../../src/planning/prepare-plan.ts";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import type { World } from "../../../src/ports/world.ts";
import { objectHistory } from "../../../src/releases/history.ts";
import { readReleases } from "../../../src/releases/store.ts";
import { expectDigest } from "../../../src/report/plans/parse-expected-plan.ts";
import { type FakeCluster, fakeCluster, refused } from "../../support/fake-cluster.ts";
import { manifestsFrom } from "../../support/plan/declare.ts";
import { release } from "../../support/plan/release-from.ts";
import { cautious } from "../../support/policy.ts";
import { plainDeployment } from "../../support/shop/plain-deployment.ts";
import { virtualClock } from "../../support/virtual-clock.ts";

const deployment = plainDeployment();

const limits = { timeoutMs: 1000, concurrency: 4 };
const policy = cautious;
const request: DeployRequest = { ...defaultRequest, limits, policy };

const { layout, inputConfig: input } = release(1, "succeeded");

function desiredConfigMaps(...names: readonly string[]): DesiredState {
  const yaml = names.map(
    (name) =>
      `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {a: ${name}}}`,
  );
  return {
    manifests: manifestsFrom(yaml.join("\n")),
    input,
    layout,
    rollbackOf: undefined,
    unsupported: [],
  };
}

interface Stage {
  readonly cluster: Cluster;
  readonly fake: FakeCluster;
  readonly world: World;
  /** The names of the objects with a dry-run, in order. */
  readonly dryRuns: string[];
}

/**
 * Creates a world with only a cluster in memory, without anything that a deployment must not need.
 */
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
    source: {},
    repository: undefined,
    compareCommits: async () => "unknown",
    compress: (text: string) => gzipSync(text),
    decompress: (bytes: Uint8Array) => gunzipSync(bytes).toString(),
    hash: (text: string) => createHash("sha256").update(text).digest("hex"),
  } as unknown as World;
  return { cluster, fake, world, dryRuns };
}

function contextOf({ cluster }: Stage, changed: Partial<DeployContext> = {}): DeployContext {
  const never = new AbortController().signal;
  const requested = { yieldRequested: never, challenger: () => undefined };
  const lock = { lost: never, ...requested, cluster, release: async () => undefined };
  const target = { cluster, lock: async () => lock, dryRunLock: async () => undefined };
  return { target, lock, deployment, request, endLock: () => undefined, ...changed };
}

async function execute(
  { world }: Stage,
  context: DeployContext,
  desired: DesiredState,
): Promise<DeployedOutcome> {
  const outcome = await executePlan(world, context, desired);
  if (outcome.type === "superseded") throw new Error(outcome.why.what);
  return outcome;
}

async function revisionsIn({ cluster, world }: Stage): Promise<readonly string[]> {
  const recorded = await readReleases(cluster, deployment, world);
  if (!recorded.ok) throw new UserError(recorded.problems);
  return recorded.value.releases.map(({ revision, status }) => `${revision} ${status}`);
}

test("the namespace keeps ten failed records and the last success", { tags: "slow" }, async () => {
  const shop = stage();
  await executePlan(shop.world, contextOf(shop), desiredConfigMaps("a"));
  const failure = refused("invalid", 422, "no").failure;
  shop.fake.refuse("ConfigMap shop/b", ...Array.from({ length: 12 }, () => failure));
  for (let run = 0; run < 12; run++) {
    const { result } = await execute(shop, contextOf(shop), desiredConfigMaps("a", "b"));
    expect(result.succeeded).toBe(false);
  }
  expect(await revisionsIn(shop)).toEqual([
    ...Array.from({ length: 10 }, (_, index) => `${13 - index} failed`),
    "1 succeeded",
  ]);
});

test("a deployment from another config is rejected before any write", async () => {
  const shop = stage();
  const first = await execute(shop, contextOf(shop), desiredConfigMaps("a"));
  expect(first.release.source).toMatchObject({ commit: "c0ffee", config: "qvs.yaml" });
  const moved = { deployment: { ...deployment, config: "new/qvs.yaml" } };
  await expect(
    executePlan(shop.world, contextOf(shop, moved), desiredConfigMaps("b")),
  ).rejects.toThrow('"shop" in namespace shop was last deployed from another source');
  expect(await revisionsIn(shop)).toEqual(["1 succeeded"]);
  const adopting = { ...moved, request: { ...request, adopt: true } };
  await executePlan(shop.world, contextOf(shop, adopting), desiredConfigMaps("b"));
  await executePlan(shop.world, contextOf(shop, moved), desiredConfigMaps("b"));
  expect(await revisionsIn(shop)).toEqual(["3 succeeded", "2 succeeded", "1 succeeded"]);
});

test("an approved plan has a dry-run for each object, like its preview", async () => {
  const shop = stage();
  const { manifests } = desiredConfigMaps("a", "b", "c");
  const { hash } = shop.world;
  const history = objectHistory(emptyHistory);
  const preview = await preparePlan(shop.cluster, {
    rules: {
      deployment: deployment.name,
      namespace: deployment.namespace,
      policy,
      purpose: "preview",
      dryRuns: "all",
      recorded: false,
      isOtherSource: false,
      adopt: false,
      hash,
    },
    manifests,
    inventory: [],
    history,
    concurrency: 1,
  });
  if (!preview.ok) throw new UserError(preview.problems);
  const previewed = shop.dryRuns.splice(0);
  const expected = expectDigest(preview.value.plan.digest);
  const context = contextOf(shop, { request: { ...request, expected } });
  await executePlan(shop.world, context, desiredConfigMaps("a", "b", "c"));
  expect(shop.dryRuns).toEqual(previewed);
});

test("without an approved plan, one dry-run represents all objects of its kind", async () => {
  const shop = stage();
  await executePlan(shop.world, contextOf(shop), desiredConfigMaps("a", "b", "c"));
  expect(shop.dryRuns).toEqual(["ConfigMap shop/a"]);
});

/** Returns the world at a commit. A commit is older than those after it in the alphabet. */
function atCommit({ world }: Stage, commit: string): World {
  const relationOf = async (one: string, other: string) => (one < other ? "older" : "newer");
  return { ...world, origin: { ...world.origin, commit }, compareCommits: relationOf } as World;
}

test("an older commit is superseded, rejected or allowed, depending on the request", async () => {
  const shop = stage();
  await execute({ ...shop, world: atCommit(shop, "d") }, contextOf(shop), desiredConfigMaps("a"));
  const late = atCommit(shop, "c");
  const superseding = contextOf(shop, { request: { ...request, whenOlder: "supersede" } });
  const outcome = await executePlan(late, superseding, desiredConfigMaps("a", "b"));
  expect(outcome).toMatchObject({
    type: "superseded",
    why: {
      what: 'The commit to deploy is older than release 1 of "shop"',
      facts: [
        { label: "commit", value: "c" },
        { label: "current release", value: "d" },
      ],
    },
  });
  await expect(executePlan(late, contextOf(shop), desiredConfigMaps("a", "b"))).rejects.toThrow(
    "is older than release 1",
  );
  const allowing = contextOf(shop, { request: { ...request, whenOlder: "allow" } });
  const allowed = await execute({ ...shop, world: late }, allowing, desiredConfigMaps("a", "b"));
  expect(allowed.plan.notices.map(({ what }) => what).join()).toContain("is older than release 1");
  expect(await revisionsIn(shop)).toEqual(["2 succeeded", "1 succeeded"]);
});

test("a failed run knows the release for a rollback", async () => {
  const shop = stage();
  await execute(shop, contextOf(shop), desiredConfigMaps("a"));
  shop.fake.refuse("ConfigMap shop/b", refused("invalid", 422, "no").failure);
  const failed = await execute(shop, contextOf(shop), desiredConfigMaps("a", "b"));
  expect(failed).toMatchObject({ result: { succeeded: false }, previous: 1 });
  expect(await revisionsIn(shop)).toEqual(["2 failed", "1 succeeded"]);
});

const by = "https://github.com/acme/shop/actions/runs/7 (pid 4)";

/**
 * Returns a context in which a newer run asks for the lock, immediately or when `when` is written.
 */
function contextWithChallenger(shop: Stage, when?: string): Partial<DeployContext> {
  const requested = new AbortController();
  if (when === undefined) requested.abort();
  else
    shop.fake.onWrite((write) => {
      if (write.endsWith(when)) requested.abort();
    });
  const challenger = () => ({ does: "deploy" as const, commit: "d".repeat(40), by });
  return {
    lock: { ...contextOf(shop).lock, yieldRequested: requested.signal, challenger: challenger },
  };
}

test("a run that is superseded before its first change writes no record", async () => {
  const shop = stage();
  const outcome = await executePlan(
    shop.world,
    contextOf(shop, contextWithChallenger(shop)),
    desiredConfigMaps("a"),
  );
  expect(outcome).toMatchObject({
    type: "superseded",
    why: {
      what: 'This run of "shop" was superseded before its first change',
      facts: [
        {
          label: "newer run",
          value: "commit dddddddddddd in https://github.com/acme/shop/actions/runs/7",
        },
      ],
    },
  });
  expect(await revisionsIn(shop)).toEqual([]);
});

test("a superseded run is recorded as failed, with the newer run and its changes", async () => {
  const shop = stage();
  const manifests = desiredConfigMaps("a", "b").manifests.map((each) =>
    each.id === "b" ? { ...each, dependsOn: ["a"] } : each,
  );
  const context = contextOf(shop, contextWithChallenger(shop, "ConfigMap shop/a"));
  const outcome = await execute(shop, context, { ...desiredConfigMaps(), manifests });
  expect(outcome.superseded?.by).toBe(by);
  expect(outcome.result).toMatchObject({ succeeded: false, stopped: "superseded", failures: [] });
  const read = await readReleases(shop.cluster, deployment, shop.world);
  if (!read.ok) throw new UserError(read.problems);
  const [release] = read.value.releases;
  expect(release).toMatchObject({
    status: "failed",
    superseded: { does: "deploy", commit: "d".repeat(40), by },
  });
  expect(release?.inventory.map(({ id }) => id.name)).toEqual(["a", "b"]);
  const next = await execute(shop, contextOf(shop), desiredConfigMaps("a", "b"));
  expect(next.result.results.map(({ outcome }) => outcome)).toEqual(["updated", "created"]);
});

test("the freeze is checked again under the lock, and an override is recorded", async () => {
  const shop = stage();
  const data = { reason: "Black Friday", name: "bf" };
  const metadata = { name: "qvs-freeze", namespace: "shop" };
  shop.fake.put({ apiVersion: "v1", kind: "ConfigMap", metadata, data });
  await expect(executePlan(shop.world, contextOf(shop), desiredConfigMaps("a"))).rejects.toThrow(
    "Deployments in namespace shop are frozen\n  reason: Black Friday",
  );
  expect(await revisionsIn(shop)).toEqual([]);
  const named = contextOf(shop, { request: { ...request, overrideFreeze: "bf" } });
  const outcome = await execute(shop, named, desiredConfigMaps("a"));
  expect(outcome.plan.notices.map(({ code }) => code)).toEqual(["deployments-frozen"]);
  const read = await readReleases(shop.cluster, deployment, shop.world);
  if (!read.ok) throw new UserError(read.problems);
  expect(read.value.releases[0]?.overrode).toMatchObject({ id: "bf", reason: "Black Friday" });
});

test("cancellation during planning doesn't wait for an answer of the API server", async () => {
  const at = stage();
  const stop = new AbortController();
  const requested = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  const silent: Cluster = {
    ...at.cluster,
    apply: () => {
      requested.resolve();
      return never;
    },
  };
  const world = { ...at.world, signal: stop.signal };
  const running = execute(
    { ...at, world },
    contextOf({ ...at, cluster: silent }),
    desiredConfigMaps("a"),
  );
  await requested.promise;
  stop.abort(new Error("interrupted"));
  await expect(running).rejects.toThrow("interrupted");
  expect(at.fake.writes).toEqual([]);
});
