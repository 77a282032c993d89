import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Deployment } from "../../../src/model/deployments/deployment.ts";
import type { Release } from "../../../src/model/deployments/release.ts";
import { encodeRelease } from "../../../src/releases/encode.ts";
import { changedByPush } from "../../../src/sources/changed-by-push.ts";
import { listDeployments } from "../../../src/sources/list-deployments.ts";
import { type FakeCluster, fakeCluster, refused } from "../../support/fake-cluster.ts";
import type { GitFixture } from "../../support/git/git-fixture.ts";
import { release } from "../../support/plan/release-from.ts";
import { shopDeployment } from "../../support/shop/shop-report.ts";
import { deploymentsFile, shopUnderGit, useWorlds } from "../../support/shop/shop-world.ts";

const openShop = useWorlds();
const shop = deploymentsFile({ name: "shop", namespace: "shop" });

interface PushTo {
  readonly git: GitFixture;
  readonly before: string;
  readonly cluster?: FakeCluster;
  readonly adjusted?: (deployment: Deployment) => Deployment;
}

async function pushed({ git, before, cluster, adjusted = (each) => each }: PushTo) {
  const world = await openShop(git.directory, cluster);
  const listed = await listDeployments(world.source.tree, "shop");
  if (!listed.ok) throw new Error("The test's deployments are wrong.");
  const push = { before, inline: [], adjusted, readsCluster: cluster !== undefined };
  const found = await changedByPush(world, listed.value.map(adjusted), push);
  return {
    deployments: found.deployments.map(({ name }) => name),
    notices: found.notices.map(({ what }) => what),
  };
}

function recorded(...releases: readonly Partial<Release>[]): FakeCluster {
  return fakeCluster(
    releases.flatMap((changes, index) => {
      const record = { ...release(index + 1, "succeeded"), deployment: "shop", ...changes };
      return encodeRelease(record, { namespace: "shop", compress: (text) => gzipSync(text) });
    }),
  );
}

function madeFrom(commit: string): Pick<Release, "source"> {
  return { source: { commit, actor: undefined, run: undefined } };
}

/** Creates three commits. Only the second one changes the shop. */
function threePushes() {
  const git = shopUnderGit();
  const first = git.commit(shop);
  const second = git.commit({ "params.yaml": "version: 2.0.0\nreplicas: 2\n" });
  const third = git.commit({ "README.md": "The shop." });
  return { git, first, second, third };
}

test("a push deploys only if it changes an input of the compilation", async () => {
  const { git, first, second } = threePushes();
  expect((await pushed({ git, before: first })).deployments).toEqual(["shop"]);
  expect((await pushed({ git, before: second })).deployments).toEqual([]);
});

test("inputs that apply to both commits aren't a change", async () => {
  const { git, second: before } = threePushes();
  git.commit({ "extra.yaml": "replicas: 3\n" });
  const adjusted = (each: Deployment): Deployment => ({
    ...each,
    params: [...each.params, "params.yaml"],
    context: "staging",
    namespace: "elsewhere",
  });
  expect((await pushed({ git, before, adjusted })).deployments).toEqual([]);
});

test("the next push deploys unfinished work of an earlier push", async () => {
  const { git, first, second: before } = threePushes();
  const cases: readonly (readonly [FakeCluster, readonly string[]])[] = [
    [recorded(madeFrom(before)), []],
    [recorded(), ["shop"]],
    [recorded({ ...madeFrom(before), status: "failed" }), ["shop"]],
    [recorded({ ...madeFrom(before), status: "pending" }), ["shop"]],
    [recorded(madeFrom(first)), ["shop"]],
    [recorded(madeFrom("0123456789".repeat(4))), ["shop"]],
    [recorded({ status: "failed" }, madeFrom(before)), []],
  ];
  for (const [cluster, expected] of cases) {
    expect((await pushed({ git, before, cluster })).deployments).toEqual(expected);
  }
});

test("a release made from an older commit is enough if no input has changed since", async () => {
  const { git, second, third: before } = threePushes();
  git.commit({ "README.md": "The shop!" });
  const cluster = recorded(madeFrom(second));
  expect((await pushed({ git, before, cluster })).deployments).toEqual([]);
});

test("an older commit doesn't deploy a deployment that a newer commit has deployed or failed", async () => {
  const { git, first, second, third } = threePushes();
  git.git("checkout", "--quiet", "--detach", first);
  for (const status of ["succeeded", "failed"] as const) {
    const cluster = recorded({ ...madeFrom(third), status });
    expect((await pushed({ git, before: first, cluster })).deployments).toEqual([]);
  }
  git.git("checkout", "--quiet", "--detach", second);
  const cluster = recorded({ ...madeFrom(first), status: "failed" });
  expect((await pushed({ git, before: second, cluster })).deployments).toEqual(["shop"]);
});

test("a run without changes counts as the deployment of its commit", async () => {
  const { git, first, second: before } = threePushes();
  const lastSeen = { commit: before, actor: undefined, run: undefined, at: "2026-01-02" };
  const seen = recorded({ ...madeFrom(first), lastSeen });
  expect((await pushed({ git, before, cluster: seen })).deployments).toEqual([]);
  const uncommitted = recorded({
    ...madeFrom(first),
    lastSeen: { ...lastSeen, uncommitted: true },
  });
  expect((await pushed({ git, before, cluster: uncommitted })).deployments).toEqual(["shop"]);
});

test("everything is deployed after a forced push, with a notice", async () => {
  const { git } = threePushes();
  const { deployments, notices } = await pushed({ git, before: "0123456789".repeat(4) });
  expect(deployments).toEqual(["shop"]);
  expect(notices.join()).toContain("before this push isn't in this clone");
});

test("a rollback is undone only by a change of the deployment", async () => {
  const { git, first, second: before } = threePushes();
  const cluster = recorded(madeFrom(before), { ...madeFrom(first), rollbackOf: 1 });
  expect((await pushed({ git, before, cluster })).deployments).toEqual([]);
  expect((await pushed({ git, before: first, cluster })).deployments).toEqual(["shop"]);
});

test("a release of one stage is followed by a deployment of both", async () => {
  const { git, second: before } = threePushes();
  const cluster = recorded({ ...madeFrom(before), onlyStage: "app" });
  expect((await pushed({ git, before, cluster })).deployments).toEqual(["shop"]);
});

test("an unreadable cluster causes a notice and doesn't stop a deployment", async () => {
  const { git, first, second } = threePushes();
  const cluster: FakeCluster = {
    ...fakeCluster(),
    list: async () => refused("forbidden", 403, "secrets is forbidden"),
  };
  expect((await pushed({ git, before: first, cluster })).deployments).toEqual(["shop"]);
  const { deployments, notices } = await pushed({ git, before: second, cluster });
  expect(deployments).toEqual([]);
  expect(notices.join()).toContain("read the releases of shop in namespace shop");
});

test("a new branch deploys everything", async () => {
  const { git } = threePushes();
  const world = await openShop(git.directory);
  const chosen = [shopDeployment()];
  const push = { before: undefined, inline: [], adjusted: (each: Deployment) => each };
  const found = await changedByPush(world, chosen, { ...push, readsCluster: true });
  expect(found.deployments).toBe(chosen);
});
