import { expect, test } from "vitest";
import { compile } from "../../../src/commands/compile.ts";
import { deploy } from "../../../src/commands/deploy.ts";
import { diff } from "../../../src/commands/diff.ts";
import {
  type DeployRequest,
  defaultRequest,
} from "../../../src/model/deployments/deploy-request.ts";
import type { Deployment } from "../../../src/model/deployments/deployment.ts";
import { failed } from "../../../src/model/problems/problem.ts";
import type { Compiler } from "../../../src/ports/cue.ts";
import type { World } from "../../../src/ports/world.ts";
import { changedByPush } from "../../../src/sources/changed-by-push.ts";
import { listDeployments } from "../../../src/sources/list-deployments.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";
import { cautious } from "../../support/policy.ts";
import { deploymentsFile, shopUnderGit, useWorlds } from "../../support/shop/shop-world.ts";

const openShop = useWorlds();

/**
 * Returns the names of the compiler's functions that a command calls. Both fail, so that the
 * command stops.
 */
async function compilerCalls(
  command: (world: World, deployment: Deployment, base: string) => unknown,
) {
  const git = shopUnderGit();
  const base = git.commit(deploymentsFile({ name: "shop" }));
  // A change of the list of deployments alone wouldn't need the engine.
  git.commit({ "adapters/another/another.cue": "package another\n" });
  const calls: string[] = [];
  const answer = (call: string) => async () => {
    calls.push(call);
    return failed<never>([]);
  };
  const compiler: Compiler = {
    compile: answer("compile"),
    compileCached: answer("compileCached"),
    describe: answer("describe"),
    list: answer("list"),
    render: answer("render"),
    renderChart: answer("renderChart"),
    close: async () => {},
  };
  const world = await openShop(git.directory, fakeCluster());
  const listed = await listDeployments(world.source.tree, "shop");
  const [deployment] = listed.ok ? listed.value : [];
  if (deployment === undefined) throw new Error("The test's list is wrong.");
  await Promise.resolve(
    command({ ...world, source: { ...world.source, compiler } }, deployment, base),
  ).catch(() => {});
  return [...new Set(calls)];
}

const request: DeployRequest = {
  ...defaultRequest,
  ...{ limits: { timeoutMs: 1, concurrency: 1 }, policy: cautious, waitForLock: false },
};

test("deployments don't use the compilation cache", async () => {
  expect(await compilerCalls((world, shop) => deploy(world, shop, [], request))).toEqual([
    "compile",
  ]);
  const push = { inline: [], adjusted: (each: Deployment) => each, readsCluster: false };
  expect(
    await compilerCalls((world, shop, before) => changedByPush(world, [shop], { ...push, before })),
  ).toEqual(["compile"]);
});

test("previews use the compilation cache", async () => {
  expect(await compilerCalls((world, shop) => compile(world, shop, []))).toEqual(["compileCached"]);
  expect(
    await compilerCalls((world, shop, base) => diff(world, shop, { inline: [], request, base })),
  ).toEqual(["compileCached"]);
});
