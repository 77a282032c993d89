import { expect, test } from "vitest";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { useShopAction } from "../../support/shop/shop-action.ts";

/** Tests the GitHub deployments that the Action creates for releases on a real control plane. */
const cluster = useCluster();
const action = useShopAction(cluster);
const { github } = action;

function start(name: string, folder: string, commit: string, event: object, more: object) {
  const env = { GITHUB_SERVER_URL: "https://github.com", GITHUB_RUN_ID: "7" };
  const inputs = { "github-deployments": "true", token: "t", ...more };
  return action.act({ folder, name, event, commit, inputs, env });
}

test("a deployment, an unchanged run, a failure of GitHub and a rollback are recorded on GitHub", async () => {
  const namespace = await cluster.namespace("shown");
  const shop = action.shopIn(namespace);
  const commit = (version: string) => shop.commitParams({ version, greeting: "hello" });
  const commits = [commit("1"), commit("2")] as const;
  github().state.branches.set("main", commits);
  const repository = { default_branch: "main" };
  const push = (before: string, after: string) =>
    start(
      "push",
      shop.folder,
      after,
      { before, after, ref: "refs/heads/main", repository },
      {
        "environment-url": "https://shop.example",
      },
    );

  const first = await push("0".repeat(40), commits[0]);
  expect(first.exitCode, first.log).toBeUndefined();
  await push("0".repeat(40), commits[0]);
  github().failNext(403, 1, { part: "/deployments", message: "Resource not accessible" });
  const refused = await push(commits[0], commits[1]);
  expect(refused.exitCode, refused.log).toBeUndefined();
  expect(refused.log).toContain("permissions: deployments: write");
  const dispatch = { inputs: {}, ref: "refs/heads/main", repository };
  const back = await start("workflow_dispatch", shop.folder, commits[1], dispatch, {
    revision: "1",
    deployment: "shop",
  });
  expect(back.exitCode, back.log).toBeUndefined();

  const shown = github().state.deployments.map(({ payload, statuses, ...rest }) => ({
    ...{ ref: rest.ref, description: rest.description },
    images: (payload as { images: unknown }).images,
    statuses: statuses.map(({ state }) => state).join(", "),
  }));
  expect(shown).toEqual([
    {
      ref: commits[0],
      description: "Release 1",
      images: ["shop:1"],
      statuses: "in_progress, success, inactive",
    },
    {
      ref: commits[1],
      description: "Release 3 (rollback to release 1)",
      images: ["shop:1"],
      statuses: "in_progress, success",
    },
  ]);
  expect(github().state.deployments[0]?.statuses[1]).toMatchObject({
    log_url: "https://github.com/acme/shop/actions/runs/7",
    environment_url: "https://shop.example",
  });
});
